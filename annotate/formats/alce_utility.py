"""ALCE's human evaluation of utility: one mark from 1 to 5 for each response."""

from annotate.formats.format import Beginning, Format, example_of
from annotate.formats.published import HUMAN, LIKERT, published_items, telling_field
from annotate.formats.reading import Reading, Records
from annotate.formats.records import JudgmentRecord, Problem, ResponseRecord


def records(reading: Reading) -> Records:
    """A response and at most one judgment for each item; the outputs have no marks."""
    for item in published_items(reading):
        if isinstance(item, Problem):
            yield item
            continue
        fields = item.fields
        question = item.question()
        output = fields.text("output")
        if fields.absent("utility_score"):
            fields.complain("utility_score", "a score from 1 to 5, or null", "no such field")
        utility = item.choice(fields, "utility_score", LIKERT)
        for index, score in enumerate(fields.items("automatic_correctness_scores", required=False)):
            if not isinstance(score, bool) and score not in (0, 1):
                name = f"automatic_correctness_scores[{index}]"
                fields.complain(name, "true or false", repr(score)[:60])
        if item.problems:
            yield from item.problems
            continue
        judged = JudgmentRecord("r", "utility", HUMAN, "human", utility, where=fields.where)
        metadata = fields.rest()
        correctness = fields.take("automatic_correctness_scores")
        if correctness is not None:
            metadata["automatic_correctness_scores"] = correctness
        yield ResponseRecord(
            where=fields.where,
            question=question,
            output=output,
            system=item.system,
            run=reading.run,
            judgments=(judged,) if utility else (),
            metadata=metadata,
        )


def _begins_so(beginning: Beginning) -> bool:
    return telling_field(beginning) == "utility_score"


FORMAT = Format(
    key="alce-utility",
    title="ALCE human evaluation of utility",
    extensions=(".json",),
    kind="outputs",
    description="Outputs with one mark from 1 to 5 each.",
    example=example_of("alce-utility.json"),
    begins_so=_begins_so,
    records=records,
)
