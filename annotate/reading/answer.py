"""An answer as a page shows it: statements, and marks turned into chips that lead to passages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotate.formats.records import PassageRecord, ResponseRecord
from annotate.models import Response, Unit
from annotate.reading.passages import Stretch, stretches
from annotate.reading.quotes import ShownQuote, quotes_of
from annotate.segment import Segmentation


@dataclass(frozen=True, slots=True)
class Chip:
    """One cited number; `missing` where the response has no such passage."""

    key: str
    number: int
    passage: int | None
    over_cap: bool

    @property
    def missing(self) -> bool:
        return self.passage is None


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A stretch of text, or the chips that stand for one mark."""

    text: str = ""
    chips: tuple[Chip, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownStatement:
    key: str
    text: str
    pieces: tuple[AnswerPiece, ...]
    chips: tuple[Chip, ...]

    @property
    def passages(self) -> str:
        """The numbers of the passages cited, for the page's script."""
        return " ".join(sorted({str(c.passage) for c in self.chips if c.passage is not None}))


@dataclass(frozen=True, slots=True)
class ShownPassage:
    n: int
    title: str
    text: str
    external_id: str = ""
    url: str = ""
    published: str = ""
    retrieved: str = ""
    page: str = ""
    cited_by: tuple[str, ...] = ()
    quotes: tuple[ShownQuote, ...] = ()

    @property
    def stretches(self) -> list[Stretch]:
        """The text, with what is quoted marked."""
        return stretches(self.text, [quote.span for quote in self.quotes if quote.span])

    @property
    def quoted(self) -> list[tuple[ShownQuote, int | None]]:
        """The quotes, each with where the stretch that has it begins."""
        lit = [stretch for stretch in self.stretches if stretch.shared]
        return [
            (q, next((s.start for s in lit if q.span and s.start <= q.span[0] < s.end), None))
            for q in self.quotes
        ]


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """Everything that the answer's part of a page needs."""

    text: str
    statements: tuple[ShownStatement, ...]
    passages: tuple[ShownPassage, ...]
    left_out: str = ""


@dataclass(slots=True)
class _Part:
    """A statement before its text is taken apart."""

    key: str
    text: str
    start: int
    end: int
    marks: dict[tuple[int, int], list[Chip]] = field(default_factory=dict)


def _shown(part: _Part, text: str) -> ShownStatement:
    pieces: list[AnswerPiece] = []
    reached = part.start
    for (start, end), chips in sorted(part.marks.items()):
        if start > reached:
            pieces.append(AnswerPiece(text=text[reached:start]))
        pieces.append(AnswerPiece(chips=tuple(chips)))
        reached = end
    if reached < part.end:
        pieces.append(AnswerPiece(text=text[reached : part.end]))
    every = tuple(chip for _, group in sorted(part.marks.items()) for chip in group)
    return ShownStatement(part.key, part.text, tuple(pieces), every)


def _cited_by(statements: Iterable[ShownStatement]) -> Mapping[int, list[str]]:
    found: dict[int, list[str]] = {}
    for statement in statements:
        for chip in statement.chips:
            if chip.passage is not None and statement.key not in found.get(chip.passage, []):
                found.setdefault(chip.passage, []).append(statement.key)
    return found


def of_response(response: Response, units: Sequence[Unit], cap: int) -> ShownAnswer:
    """A stored response, from its units."""
    whole = next(unit for unit in units if unit.key == "r")
    sources = list(response.sources.select_related("passage"))
    numbers = {source.pk: source.n for source in sources}
    parts = {u.pk: _Part(u.key, u.text, u.start, u.end) for u in units if u.kind == "statement"}
    for unit in units:
        if unit.kind == "citation" and unit.parent_id in parts:
            passage = numbers.get(unit.source_id) if unit.source_id is not None else None
            chip = Chip(unit.key, unit.number or 0, passage, unit.ordinal > cap)
            parts[unit.parent_id].marks.setdefault((unit.start, unit.end), []).append(chip)
    statements = tuple(_shown(part, whole.text) for part in parts.values())
    cited = _cited_by(statements)
    quotes = quotes_of(
        [(unit.key, numbers.get(unit.source_id or 0), unit.quote) for unit in units if unit.quote],
        {source.n: source.passage.text for source in sources},
    )
    passages = tuple(
        ShownPassage(
            n=source.n,
            title=source.passage.title,
            text=source.passage.text,
            external_id=source.external_id,
            url=source.url,
            published=source.published,
            retrieved=source.retrieved,
            page=source.page,
            cited_by=tuple(cited.get(source.n, ())),
            quotes=quotes.get(source.n, ()),
        )
        for source in sources
    )
    left_out = response.text[whole.end :].strip() if response.was_cut else ""
    return ShownAnswer(whole.text, statements, passages, left_out)


def of_record(record: ResponseRecord, found: Segmentation, cap: int) -> ShownAnswer:
    """A record of a file that is not loaded yet, as it will look."""
    passages: Mapping[int, PassageRecord] = {p.n: p for p in record.passages}
    statements = []
    citing = []
    for s, statement in enumerate(found.statements, 1):
        part = _Part(f"s{s}", statement.text, statement.start, statement.end)
        for c, citation in enumerate(statement.citations, 1):
            number = citation.number if citation.number in passages else None
            chip = Chip(f"s{s}.c{c}", citation.number, number, c > cap)
            part.marks.setdefault((citation.start, citation.end), []).append(chip)
            citing.append((chip.key, number, citation.quote))
        statements.append(_shown(part, found.text))
    cited = _cited_by(statements)
    quotes = quotes_of(citing, {n: passage.text for n, passage in passages.items()})
    shown = tuple(
        ShownPassage(
            n=p.n,
            title=p.title,
            text=p.text,
            external_id=p.external_id,
            url=p.url,
            published=p.published,
            retrieved=p.retrieved,
            page=p.page,
            cited_by=tuple(cited.get(p.n, ())),
            quotes=quotes.get(p.n, ()),
        )
        for p in record.passages
    )
    left_out = record.output[found.raw_end :].strip() if found.cut else ""
    return ShownAnswer(found.text, tuple(statements), shown, left_out)
