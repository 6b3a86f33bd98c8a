"""DeepEval's test cases, alone or within a saved test run."""

from annotate.formats.format import Beginning, Format, example_of
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


FORMAT = Format(
    key="deepeval",
    title="DeepEval test cases",
    extensions=(".json", ".jsonl"),
    kind="outputs",
    description="Test cases of one turn with the context retrieved for them and the expected "
    "output.",
    example=example_of("deepeval.json"),
    begins_so=_begins_so,
    records=records,
)
