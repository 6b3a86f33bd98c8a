"""DeepEval's test cases, alone or within a saved test run."""

from annotate.formats.format import Beginning, Format
from annotate.formats.json_records import first_record
from annotate.formats.reading import Reading, Records
from annotate.formats.samples import Naming, samples

NAMING = Naming(
    question=("input",),
    output=("actual_output", "actualOutput"),
    passages=("retrieval_context", "retrievalContext", "context"),
    reference=("expected_output", "expectedOutput"),
    under=("testCases", "test_cases", "goldens"),
)


def records(reading: Reading) -> Records:
    return samples(reading, NAMING)


def _begins_so(beginning: Beginning) -> bool:
    keys = first_record(beginning, NAMING.under).keys()
    telling = {*NAMING.output, *NAMING.reference, *NAMING.passages[:2]}
    return "input" in keys and bool(telling & keys)


EXAMPLE = """\
[
  {
    "input": "How high is the Zugspitze?",
    "actual_output": "It is 2,962 metres high [1].",
    "expected_output": "2,962 m",
    "retrieval_context": ["At 2,962 m the Zugspitze is the highest peak of Germany."]
  }
]
"""

FORMAT = Format(
    key="deepeval",
    title="DeepEval test cases",
    extensions=(".json", ".jsonl"),
    kind="outputs",
    description="Test cases of one turn with the context retrieved for them and the expected "
    "output.",
    example=EXAMPLE,
    begins_so=_begins_so,
    records=records,
)
