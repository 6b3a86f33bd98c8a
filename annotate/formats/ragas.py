"""RAGAS' samples of one turn, as its data sets are saved, with the names before and since 0.2."""

from annotate.formats.format import Beginning, Format
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


EXAMPLE = (
    '{"user_input": "How high is the Zugspitze?", "retrieved_contexts": ["At 2,962 m the Zugspitze '
    'is the highest peak of Germany.", "The Wetterstein mountains include the Zugspitze."], '
    '"response": "It is 2,962 metres high [1].", "reference": "2,962 m", "faithfulness": 1.0}\n'
)

FORMAT = Format(
    key="ragas",
    title="RAGAS samples",
    extensions=(".jsonl", ".json"),
    kind="outputs",
    description="Answers with the contexts retrieved for them and a reference, as RAGAS saves its "
    "evaluation data sets.",
    example=EXAMPLE,
    begins_so=_begins_so,
    records=records,
)
