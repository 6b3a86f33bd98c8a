"""What is counted, for Prometheus. A count costs a microsecond where nobody listens."""

from prometheus_client import Counter, Histogram

REQUESTS = Histogram(
    "attest_request_seconds",
    "Requests, and the seconds they took.",
    ["view", "method", "status"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
ERRORS = Counter("attest_errors", "Faults: answers of 500, and work that failed.", ["where"])
ANSWERS = Counter("attest_answers_saved", "Answers of raters that were saved.")
TASKS_TAKEN = Counter("attest_tasks_taken", "Responses that raters were given to judge.")
LEASES_LOST = Counter(
    "attest_leases_lost", "Work whose worker fell silent, or that another took over.", ["task"]
)
PARTS = Counter("attest_parts_done", "Parts of runs that were judged.")
PAIRS = Counter("attest_pairs_judged", "Pairs of texts that an entailment model judged.")
