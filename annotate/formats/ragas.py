"""RAGAS' samples of one turn, as its data sets are saved, with the names before and since 0.2."""

from annotate.formats.format import Beginning, Format, example_of
from annotate.formats.json_records import first_record
from annotate.formats.reading import Reading, Records
from annotate.formats.samples import Naming, samples

NAMING = Naming(
    question=("user_input", "question"),
    output=("response", "answer"),
    passages=("retrieved_contexts", "contexts"),
    passage_ids="retrieved_context_ids",
    reference=("reference", "ground_truth", "ground_truths"),
    under=("samples",),
)


def records(reading: Reading) -> Records:
    return samples(reading, NAMING)


def _begins_so(beginning: Beginning) -> bool:
    keys = first_record(beginning, NAMING.under).keys()
    old = keys >= {"question", "answer"} and bool({"contexts", "ground_truth"} & keys)
    return old or bool({"user_input", "retrieved_contexts"} & keys)


FORMAT = Format(
    key="ragas",
    title="RAGAS samples",
    extensions=(".jsonl", ".json"),
    kind="outputs",
    description="Answers with the contexts retrieved for them and a reference, as RAGAS saves its "
    "evaluation data sets.",
    example=example_of("ragas.jsonl"),
    begins_so=_begins_so,
    records=records,
)
