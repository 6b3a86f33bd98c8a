"""What a judge is given, and what it gives back.

An item is one response, made from a record of a file (here) or from database rows: a judge cannot
tell which. A verdict is one judge's answer to one question about one unit of an item.
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
        """As entailment is asked. A passage without a title is its text alone."""
        return f"Title: {self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation of a statement; `passage` is None where its mark points to none, and `quote` is
    what the system says that it quotes."""

    key: str
    number: int
    passage: ItemPassage | None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class ItemStatement:
    """A statement without its marks (`text`) and with them (`marked`), and all its citations."""

    key: str
    text: str
    marked: str
    citations: tuple[Cited, ...]
    spans: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """The stretches of it that citations were given for beside it, and what those cite."""

    def passage(self, number: int) -> ItemPassage | None:
        """The passage that a mark with this number stands for in the statement."""
        return next((c.passage for c in self.citations if c.number == number), None)


@dataclass(frozen=True, slots=True)
class Beside:
    """The other answer of a pair: what it says, which system's it is, and whether it comes first,
    as Answer 1."""

    answer: str
    system: str
    first: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a form about one unit of an item, as a rater is asked it: the text that is
    judged, the passages in sight, and the answers that it depends on.

    Of a pair, passages below 0 are those of Answer 2, by their numbers.
    """

    unit: str
    dimension: Dimension
    text: str
    passages: tuple[ItemPassage, ...] = ()
    needs: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    """By the unit's key and the dimension: the answers after one of which it is asked."""

    beside: Beside | None = None
    """Of a pair, the answer that stands beside that of the item."""

    reference: tuple[str, ...] | None = None
    """The reference's texts, where they are in sight and no response is."""

    marked: str = ""
    """Where a claim is to be written: the sentence with its marks, those that are cited for the
    claim between ⟦ and ⟧."""

    @property
    def mirrored(self) -> bool | None:
        """Of a pair, whether the other answer comes first; else nothing."""
        return None if self.beside is None else self.beside.first


@dataclass(frozen=True, slots=True)
class Item:
    """One response. `answer` is the whole output as written.

    `given` says that its file divides it into statements, which bring their own passages.
    """

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
    asked: tuple[Asked, ...] = ()
    """The questions about it, for a judge that answers those of a form."""

    @property
    def plain(self) -> str:
        """What of the output is divided into statements, without its marks."""
        return self.segmentation.plain


@dataclass(frozen=True, slots=True)
class Verdict:
    """One answer: a value of a dimension, or a measure as `score` alone, or the reason for neither.

    `item` is the item's key and `unit` the key of a unit within it. Beside a value, `score` is the
    probability behind it, where there is one.
    """

    item: str
    unit: str
    dimension: str
    value: str = ""
    score: float | None = None
    reason: str = ""
    why: str = ""
    """What the judge says of its answer, in its own words."""

    quoted: tuple[tuple[int, int, int], ...] = ()
    """The words that it points at: the passage's number, from where to where. Of a pair, passages
    of the other answer are below 0."""

    mirrored: bool | None = None
    """Of a pair, whether the other answer came first; else nothing."""

    claim: Mapping[str, Any] = field(default_factory=dict)
    """The claim that was written, as a judgment holds it."""

    def __post_init__(self) -> None:
        if bool(self.reason) == (bool(self.value) or self.score is not None):
            raise ValueError("A verdict has either a value or score, or a reason why it has none.")

    @property
    def yes(self) -> bool:
        """Whether a yes/no question was answered with yes."""
        return self.value == "yes"


def item_of(record: ResponseRecord, key: str, division: Division = FIRST_LINE) -> Item:
    """The item of a file's record. A ValueError says why an output cannot be divided."""
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
