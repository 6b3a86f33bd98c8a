"""What LlamaIndex's query engines and evaluators say of one query: the response with its contexts
or its source nodes."""

from annotate.formats.format import Beginning, Format, example_of
from annotate.formats.json_records import first_record
from annotate.formats.reading import Reading, Records
from annotate.formats.samples import Naming, samples

NAMING = Naming(
    question=("query", "query_str"),
    output=("response",),
    passages=("source_nodes", "contexts"),
    reference=("reference_answer", "reference"),
    under=("examples", "predictions", "results"),
)

BESIDE = {"contexts", "passing", "feedback", "reference_answer", "reference_contexts"}


def records(reading: Reading) -> Records:
    return samples(reading, NAMING)


def _begins_so(beginning: Beginning) -> bool:
    """By what stands beside query and response, which alone are any table's."""
    keys = first_record(beginning, NAMING.under).keys()
    return "source_nodes" in keys or ("response" in keys and bool(BESIDE & keys))


FORMAT = Format(
    key="llamaindex",
    title="LlamaIndex responses and evaluation results",
    extensions=(".json", ".jsonl"),
    kind="outputs",
    description="Queries with their responses and the source nodes or contexts of each.",
    example=example_of("llamaindex.json"),
    begins_so=_begins_so,
    records=records,
)
