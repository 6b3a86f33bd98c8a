"""ALCE's human evaluation of citations: sentences, their passages, and two judges' scores."""

from collections.abc import Iterator
from typing import Any

from annotate.formats.fields import Fields
from annotate.formats.format import Beginning, Format, example_of
from annotate.formats.limits import LONG_NAME_CHARS
from annotate.formats.problems import shown
from annotate.formats.published import (
    AUTOMATIC,
    HUMAN,
    SUPPORT,
    YES_NO,
    PublishedItem,
    chosen,
    published_items,
    scores,
    telling_field,
)
from annotate.formats.reading import Reading, Records
from annotate.formats.records import (
    GivenStatement,
    JudgeKind,
    JudgmentRecord,
    PassageRecord,
    Problem,
    ResponseRecord,
    Where,
)
from annotate.text.marks import find_marks

MOST_CITATIONS = 3
RECALL, PRECISION = "automatic_recall_scores", "automatic_citation_precision_scores"


def records(reading: Reading) -> Records:
    """A response with its statements and judgments for each item."""
    for item in published_items(reading):
        if isinstance(item, Problem):
            yield item
            continue
        record = _response(item, reading)
        if item.problems:
            yield from item.problems
        else:
            yield record


def _response(item: PublishedItem, reading: Reading) -> ResponseRecord:
    fields = item.fields
    question = item.question()
    output = fields.text("output")
    sentences = list(fields.objects("sentences"))
    passages = _Passages(sentences)
    statements: list[GivenStatement] = []
    judgments: list[JudgmentRecord] = []
    kept: list[dict[str, Any]] = []
    for number, sentence in enumerate(sentences, start=1):
        text = sentence.text("text", blank=False)
        citations = list(sentence.objects("citations"))
        if len(citations) > MOST_CITATIONS:
            sentence.complain("citations", "at most 3 citations", str(len(citations)))
        statements.append(GivenStatement(text, tuple(passages.cited(text, citations))))
        recall = item.choice(sentence, "sentence_recall_score", YES_NO)
        judgments += _judged(f"s{number}", "citation_recall", recall, HUMAN, fields.where)
        for place, citation in enumerate(citations, start=1):
            support = item.choice(citation, "citation_precision_score", SUPPORT)
            unit = f"s{number}.c{place}"
            judgments += _judged(unit, "citation_support", support, HUMAN, fields.where)
        unknown = sentence.rest()
        if any(others := [citation.rest() for citation in citations]):
            unknown["citations"] = others
        kept.append(unknown)
    judgments += _automatic(fields, statements)
    metadata = fields.rest()
    if any(kept):
        metadata["sentences"] = kept
    if len(passages.in_order()) > reading.limits.max_passages:
        fields.complain(
            "sentences", f"at most {reading.limits.max_passages:,} passages in all", "more"
        )
    return ResponseRecord(
        where=fields.where,
        question=question,
        output=output,
        system=item.system,
        run=reading.run,
        passages=passages.in_order(),
        statements=tuple(statements),
        judgments=tuple(judgments),
        metadata=metadata,
    )


class _Passages:
    """The passages of a response, under the numbers that the marks in its sentences give them.

    Where a sentence has more passages than marks, or a number stands for another passage
    already, the passage gets a number that no mark has.
    """

    def __init__(self, sentences: list[Fields]) -> None:
        texts = (sentence.take("text") for sentence in sentences)
        marked = (n for text in texts if isinstance(text, str) for n in _marked(text))
        self._by_number: dict[int, PassageRecord] = {}
        self._spare: dict[tuple[str, str], int] = {}
        self._first_spare = max(marked, default=0) + 1

    def cited(self, text: str, citations: list[Fields]) -> Iterator[PassageRecord]:
        """The passages of one sentence, in the order of its citations."""
        marked = _marked(text)
        for place, citation in enumerate(citations):
            title, body = citation.text("title"), citation.text("text")
            external_id = citation.name("id", longest=LONG_NAME_CHARS)
            number = marked[place] if place < len(marked) else 0
            holder = self._by_number.get(number)
            taken = holder is not None and (holder.title, holder.text) != (title, body)
            if number < 1 or taken:
                spare = self._first_spare + len(self._spare)
                number = self._spare.setdefault((title, body), spare)
            passage = PassageRecord(number, title, body, external_id)
            yield self._by_number.setdefault(number, passage)

    def in_order(self) -> tuple[PassageRecord, ...]:
        return tuple(passage for _, passage in sorted(self._by_number.items()))


def _marked(text: str) -> list[int]:
    """The numbers of a sentence's marks, in the order written."""
    return [number for mark in find_marks(text) for number in mark.numbers]


def _automatic(fields: Fields, statements: list[GivenStatement]) -> Iterator[JudgmentRecord]:
    """The released metric's own scores, as judgments about the same units."""
    for index, score in enumerate(scores(fields, RECALL, len(statements))):
        value = chosen(fields, f"{RECALL}[{index}]", score, YES_NO)
        yield from _judged(f"s{index + 1}", "citation_recall", value, AUTOMATIC, fields.where)
    for index, row in enumerate(scores(fields, PRECISION, len(statements))):
        if not row:
            continue  # the released code scores no citation of a sentence with a bad mark
        name = f"{PRECISION}[{index}]"
        if not isinstance(row, list):
            fields.complain(name, "a list of scores", shown(row))
        elif len(row) != len(statements[index].passages):
            expected = f"{len(statements[index].passages)} scores, one for each citation"
            fields.complain(name, expected, str(len(row)))
        else:
            for place, score in enumerate(row):
                value = chosen(fields, f"{name}[{place}]", score, SUPPORT)
                unit = f"s{index + 1}.c{place + 1}"
                yield from _judged(unit, "citation_support", value, AUTOMATIC, fields.where)


def _judged(
    unit: str, dimension: str, value: str, judge: str, where: Where
) -> Iterator[JudgmentRecord]:
    """A judgment, where there is a value."""
    if value:
        kind: JudgeKind = "human" if judge == HUMAN else "automatic"
        yield JudgmentRecord(unit, dimension, judge, kind, value, where=where)


def _begins_so(beginning: Beginning) -> bool:
    return telling_field(beginning) == "sentences"


FORMAT = Format(
    key="alce-citations",
    title="ALCE human evaluation of citations",
    extensions=(".json",),
    kind="outputs",
    description="Outputs divided into sentences, with people's and the metric's scores for each "
    "sentence and citation.",
    example=example_of("alce-citations.json"),
    begins_so=_begins_so,
    records=records,
)
