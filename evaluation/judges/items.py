"""Inputs and outputs of judges.

An item is one response, from a record of a file (here) or from database rows; a judge sees no
difference. A verdict is one judge's answer to one question about one unit of an item.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotate.formats.division import (
    FIRST_LINE,
    cited_number,
    divide_record,
    passages_by_number,
)
from annotate.formats.records import ResponseRecord
from annotate.protocol.dimensions import Dimension
from annotate.text import Division, Segmentation, marked_text, spans_of

WHOLE = "r"
"""The unit that is the response itself."""


@dataclass(frozen=True, slots=True)
class ItemPassage:
    """Passage `number` of a response."""

    number: int
    title: str
    text: str

    @property
    def premise(self) -> str:
        """Return the premise for entailment; without a title the text only."""
        return f"Title: {self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation of a statement. `passage` is None for an out-of-range mark; `quote` is the
    system's quote."""

    key: str
    number: int
    passage: ItemPassage | None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class ItemStatement:
    """A statement without its marks (`text`) and with them (`marked`), and its citations."""

    key: str
    text: str
    marked: str
    citations: tuple[Cited, ...]
    spans: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Stretches of the statement with the numbers cited for each."""

    def passage(self, number: int) -> ItemPassage | None:
        """Return the passage of a mark with this number in the statement."""
        return next((c.passage for c in self.citations if c.number == number), None)


@dataclass(frozen=True, slots=True)
class OtherAnswer:
    """The other answer of a pair, its system, and whether it comes first as Answer 1."""

    answer: str
    system: str
    first: bool


@dataclass(frozen=True, slots=True)
class FormQuestion:
    """A question of a form about one unit, with what a rater sees: the judged text and
    passages. Passages of a pair's Answer 2 have negative numbers."""

    unit: str
    dimension: Dimension
    text: str
    passages: tuple[ItemPassage, ...] = ()
    needs: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    """Unit key, dimension, and the answers after which the question is asked."""

    beside: OtherAnswer | None = None
    """The other answer of a pair."""

    reference: tuple[str, ...] | None = None
    """The reference's texts if they are shown instead of a response."""

    marked: str = ""
    """For a claim to be written: the sentence with marks, those of the claim between ⟦ and ⟧."""

    @property
    def mirrored(self) -> bool | None:
        """Return whether a pair's other answer comes first; None without a pair."""
        return None if self.beside is None else self.beside.first


@dataclass(frozen=True, slots=True)
class Item:
    """One response. `answer` is the whole output as written. `given`: the file divides it into
    statements, which have their own passages."""

    key: str
    question: str
    answer: str
    segmentation: Segmentation
    references: Mapping[str, Any] = field(default_factory=dict)
    passages: tuple[ItemPassage, ...] = ()
    statements: tuple[ItemStatement, ...] = ()
    is_list: bool = False
    given: bool = False
    question_id: str = ""
    system: str = ""
    run: str = ""
    asked: tuple[FormQuestion, ...] = ()
    """Questions of a form, for judges that answer those."""

    @property
    def plain(self) -> str:
        """Return the divided part of the output, without marks."""
        return self.segmentation.plain


@dataclass(frozen=True, slots=True)
class Verdict:
    """One answer: a value of a dimension, a measure (`score` alone), or the reason for
    neither.

    `item` is the item's key and `unit` the key of a unit within it. With a value, `score` is its
    probability if there is one.
    """

    item: str
    unit: str
    dimension: str
    value: str = ""
    score: float | None = None
    reason: str = ""
    why: str = ""
    """The judge's explanation."""

    quoted: tuple[tuple[int, int, int], ...] = ()
    """Evidence as passage number, start and end. Passages of a pair's other answer are
    negative."""

    mirrored: bool | None = None
    """Whether a pair's other answer came first; None without a pair."""

    claim: Mapping[str, Any] = field(default_factory=dict)
    """The written claim, as a judgment stores it."""

    def __post_init__(self) -> None:
        if bool(self.reason) == (bool(self.value) or self.score is not None):
            raise ValueError("A verdict has either a value or score, or a reason why it has none.")

    @property
    def yes(self) -> bool:
        """Return whether a yes/no question was answered with yes."""
        return self.value == "yes"


def item_of(record: ResponseRecord, key: str, division: Division = FIRST_LINE) -> Item:
    """Return the item of a file's record; raise ValueError if the output cannot be divided."""
    found = divide_record(record, division)
    return Item(
        key=key,
        question=record.question.text,
        answer=record.output.strip(),
        segmentation=found,
        references=record.question.references,
        passages=tuple(ItemPassage(p.n, p.title, p.text) for p in record.passages),
        statements=tuple(_statements(record, found)),
        is_list=record.is_list,
        given=record.statements is not None,
        question_id=record.question.external_id,
        system=record.system,
        run=record.run,
    )


def _statements(record: ResponseRecord, found: Segmentation) -> Iterator[ItemStatement]:
    by_number = {
        number: ItemPassage(number, passage.title, passage.text)
        for number, passage in passages_by_number(record).items()
    }
    for ordinal, statement in enumerate(found.statements):
        yield ItemStatement(
            key=f"s{ordinal + 1}",
            text=statement.text,
            marked=marked_text(found, statement),
            spans=spans_of(found, statement),
            citations=tuple(
                Cited(
                    key=f"s{ordinal + 1}.c{place + 1}",
                    number=citation.number,
                    passage=by_number.get(cited_number(record, ordinal, place, citation)),
                    quote=citation.quote,
                )
                for place, citation in enumerate(statement.citations)
            ),
        )
