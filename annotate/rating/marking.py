"""What a rater marks in the texts of a question: evidence, and what nothing supports; and words
that answer it, where they are typed instead of marked."""

from typing import Any

from annotate.models import Assignment, Evidence, Source
from annotate.protocol import answers
from annotate.protocol.dimensions import UnitKind
from annotate.protocol.steps import Step
from annotate.rating.answering import refuse_of_other_words, refuse_unless_asked, refuse_unless_open
from annotate.web.errors import Refused

MOST = 100
"""Stretches that one judge may mark for one dimension."""

Span = tuple[int, int]


def mark(
    assignment: Assignment,
    step: Step,
    source: Source | None,
    span: Span,
    about: str | None = None,
) -> Evidence:
    """Mark a stretch of a passage that convinced, or (no source) one of the text that is judged
    which nothing supports. What is marked already stays as it is. `about` are the places of the
    words of the claim that it was marked for."""
    of_question = _of_question(assignment, step, source)
    refuse_unless_asked(assignment, step)
    refuse_of_other_words(assignment, step, about)
    if source is None and step.unit.kind == UnitKind.PAIR:
        raise Refused("Of two answers that are compared, words of their passages are marked.")
    if source is None and step.written is not None:
        raise Refused("A claim of one's own has no words that others would call unsupported.")
    text = step.unit.judged_text if source is None else source.passage.text
    start, end = span
    if not 0 <= start < end <= len(text):
        raise Refused("The marked stretch lies outside the text.")
    present = Evidence.objects.filter(**of_question)
    stretch: dict[str, Any] = {"source": source, "start": start, "end": end}
    if present.count() >= MOST and not present.filter(**stretch).exists():
        raise Refused(f"More than {MOST} stretches cannot be marked for one dimension.")
    return Evidence.objects.get_or_create(**of_question, **stretch)[0]


def unmark(assignment: Assignment, step: Step, source: Source | None, span: Span) -> None:
    """Take a mark away, where there is one."""
    of_question = _of_question(assignment, step, source)
    start, end = span
    Evidence.objects.filter(**of_question, source=source, start=start, end=end).delete()


def typed_span(
    step: Step, words: str, *, passage: str, which: str, label: str, severity: str
) -> answers.MarkedSpan:
    """The place of words that were typed: where they stand for the `which`th time in the judged
    text, or in a passage of the question."""
    number, text = 0, step.unit.judged_text
    if step.dimension.marks == "passages":
        source = next((one for one in step.sources if str(one.n) == passage), None)
        if source is None:
            raise Refused("Choose the passage in which the words are.")
        number, text = source.n, source.passage.text
    start = -1
    for _ in range(int(which) if which.isdecimal() and len(which) < 4 else 1):
        start = text.find(words, start + 1)
        if start < 0:
            times = f" {which} times" if which not in {"", "1"} else ""
            raise Refused(f"“{words}” does not occur there{times}, sign by sign.")
    return answers.MarkedSpan(number, start, start + len(words), label, severity)


def _of_question(assignment: Assignment, step: Step, source: Source | None) -> dict[str, Any]:
    """Whose marks they are, and on which question."""
    refuse_unless_open(assignment)
    if not step.sources:
        raise Refused("Nothing is marked where no passage is in sight.")
    if source is not None and source not in step.sources:
        raise Refused("This passage does not belong to the dimension.")
    return {
        "judge": assignment.judge,
        "unit": step.unit,
        "dimension": step.dimension.key,
    }
