"""Records made in a line."""

from annotate.formats.records import PassageRecord, QuestionRecord, ResponseRecord, Where

PEAK = "At 2,962 m the Zugspitze is the highest peak of Germany."
SKY = "Air scatters short waves of light more than long ones."


def record(output, passages=(PEAK, SKY), *, question="How high?", **more) -> ResponseRecord:
    return ResponseRecord(
        where=Where(),
        question=QuestionRecord(question, "q1"),
        output=output,
        system="A",
        passages=tuple(PassageRecord(n, "", text) for n, text in enumerate(passages, 1)),
        **more,
    )
