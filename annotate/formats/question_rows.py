"""Questions without an answer, each with its ranked passages.

They come as Attest's own lines, or as the input data of ALCE's systems.
"""

from annotate.formats import alce, attest
from annotate.formats.fields import Fields
from annotate.formats.json_records import first_record, json_lines, json_records, records_of
from annotate.formats.problems import shown
from annotate.formats.reading import Beginning, Format, Reading, Records, example_of
from annotate.formats.records import PassageRecord, QuestionRow
from annotate.formats.repeats import SeenKeys

MOST_SHOWN = 20
"""Maximum number of passages that ALCE's systems see, and that files of answers list."""

ANSWERED = ("output", "system", "response")
"""A record with an answer has at least one of these fields."""


def question_records(reading: Reading) -> Records:
    """Yield one question per line."""
    seen = SeenKeys()

    def row(fields: Fields) -> QuestionRow:
        question = attest.question_of(fields)
        passages = attest.passages_of(fields, reading.limits) if fields.has("passages") else []
        fields.take("passages")
        _refuse_answer(fields, "Attest responses")
        question = attest.add_metadata(question, fields.rest())
        return _once(QuestionRow(fields.where, question, tuple(passages)), fields, seen)

    yield from records_of(json_lines(reading.source), reading.limits, row)


def alce_question_records(reading: Reading) -> Records:
    """Yield one question per item of ALCE's data."""
    seen = SeenKeys()

    def row(fields: Fields) -> QuestionRow:
        passages: list[PassageRecord] = []
        if fields.has("docs"):
            docs = fields.passages("docs", reading.limits)
            passages = [alce.passage(n, one) for n, one in enumerate(docs, 1)]
        fields.take("docs")
        _refuse_answer(fields, "ALCE or ALiiCE result file")
        question, known = alce.question_of(fields, reading)
        question = attest.add_metadata(question, {**fields.rest(), **known})
        return _once(QuestionRow(fields.where, question, tuple(passages)), fields, seen)

    lines = json_records(reading.source, under=("data",))
    yield from records_of(lines, reading.limits, row)


def _refuse_answer(fields: Fields, answers: str) -> None:
    for name in ANSWERED[:2]:
        if fields.has(name):
            fields.complain(
                name,
                "nothing: a question by itself has no answer",
                shown(fields.take(name)),
                f"Answers are read in the format “{answers}”.",
            )


def _once(row: QuestionRow, fields: Fields, seen: SeenKeys) -> QuestionRow:
    """Return the row, and add a problem if its question was there before."""
    question = row.question
    key = ("id", question.external_id) if question.external_id else ("text", question.text)
    if not fields.problems and (earlier := seen.first(row.where, *key)):
        fields.complain("", "each question once", f"it again, as at {earlier}")
    return row


def _own_begin_so(beginning: Beginning) -> bool:
    members = beginning.members
    return isinstance(members.get("question"), dict) and _is_unanswered(beginning, "passages")


def _alce_begins_so(beginning: Beginning) -> bool:
    first = first_record(beginning, ("data",))
    listed = isinstance(beginning.value, list) or isinstance(beginning.members.get("data"), list)
    asked = isinstance(first.get("question"), str) or not _is_whole(beginning)
    has_own = bool(alce.ALCE_FIELDS & first.keys())
    return listed and asked and has_own and _is_unanswered(beginning, "docs")


def _is_unanswered(beginning: Beginning, passages: str) -> bool:
    """Return whether the first record has no answer. If its end is cut off, it must list more
    passages than records with an answer do."""
    if isinstance(beginning.members.get("args"), dict):
        return False  # the arguments of a system's run
    first = first_record(beginning, ("data",))
    if {*ANSWERED} & first.keys():
        return False
    listed = first.get(passages)
    return _is_whole(beginning) or (isinstance(listed, list) and len(listed) > MOST_SHOWN)


def _is_whole(beginning: Beginning) -> bool:
    """Return whether the first record ends within the text."""
    text = beginning.text.rstrip()
    value = beginning.members.get("data", beginning.value)
    if isinstance(value, list):
        return len(value) > 1 or text.endswith(("]", "}"))
    return "\n" in text or text.endswith("}")


OWN = Format(
    key="questions",
    title="Questions with ranked passages",
    extensions=(".jsonl",),
    kind="questions",
    description="One question a line that nobody answers here yet, with the passages that were "
    "ranked for it.",
    example=example_of("questions.jsonl"),
    begins_so=_own_begin_so,
    records=question_records,
)

ALCE = Format(
    key="alce-questions",
    title="ALCE data: questions with ranked passages",
    extensions=(".json",),
    kind="questions",
    description="What ALCE's systems start from: questions with references and the passages that "
    "were ranked for them, without outputs.",
    example=example_of("alce-questions.json"),
    begins_so=_alce_begins_so,
    records=alce_question_records,
)
