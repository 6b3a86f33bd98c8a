"""The log context of a thread, and Prometheus metrics. Pure: `config.observing` exports them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

from prometheus_client import Counter, Histogram

Context = Mapping[str, str]

_context: ContextVar[Context] = ContextVar("attest", default=MappingProxyType({}))


def known() -> Context:
    """Return the current context."""
    return _context.get()


def begin(**names: object) -> None:
    """Replace the context of this thread."""
    _context.set({key: str(value) for key, value in names.items() if value})


def learn(**names: object) -> None:
    """Add to the context, for example the study."""
    _context.set({**_context.get(), **{key: str(value) for key, value in names.items()}})


@contextmanager
def under(*, afresh: bool = False, **names: object) -> Iterator[None]:
    """Add names to the context of a block, and restore the earlier context afterwards.

    `afresh` starts from an empty context.
    """
    before = {} if afresh else _context.get()
    token = _context.set({**before, **{key: str(value) for key, value in names.items()}})
    try:
        yield
    finally:
        _context.reset(token)


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
