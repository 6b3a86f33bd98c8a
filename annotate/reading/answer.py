"""An answer as a page shows it: statements, and marks turned into chips that lead to passages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotate.formats.records import PassageRecord, ResponseRecord
from annotate.models import Response, Unit
from annotate.reading.parts import Chip, Part, Placed, as_written, passages_of
from annotate.reading.passages import Stretch, stretches
from annotate.reading.quotes import ShownQuote, quotes_of
from annotate.reading.rendered import Rendered, in_words, rendered
from annotate.segment import Citable, Segmentation, is_by_blocks
from annotate.segment.sources import Sources

"""Stands in the signature of an answer that was divided with all its lines."""


@dataclass(frozen=True, slots=True)
class ShownStatement:
    """A statement in the list of them; where it stands in the answer, its parts say."""

    key: str
    text: str
    chips: tuple[Chip, ...]

    @property
    def passages(self) -> str:
        return passages_of(self.chips)


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
    """Everything that the answer's part of a page needs. `raw` is what of the output is read, as it
    was written; `is_flowing` says that the parts are the text of one paragraph."""

    text: str
    raw: str
    parts: tuple[Part, ...]
    is_flowing: bool
    statements: tuple[ShownStatement, ...]
    passages: tuple[ShownPassage, ...]
    left_out: str = ""
    not_judged: str = ""
    language: str = ""


def _parts(
    text: str, raw: str, placed: list[Placed], signature: str, citable: Sequence[Citable]
) -> Rendered:
    """An answer of which all lines are read is rendered, and so is one that is judged as a whole;
    of others, the text that was cut out and cleaned is shown."""
    if (signature or placed) and not is_by_blocks(signature):
        return Rendered(tuple(as_written(text, placed)), True, {})
    if not signature:
        return rendered(raw, placed, None)
    return rendered(text, placed, Sources(citable, max((each.n for each in citable), default=0)))


def _cited_by(statements: Iterable[ShownStatement]) -> Mapping[int, list[str]]:
    found: dict[int, list[str]] = {}
    for statement in statements:
        for chip in statement.chips:
            if chip.passage is not None:
                keys = found.setdefault(chip.passage, [])
                if keys[-1:] != [statement.key]:
                    keys.append(statement.key)
    return found


def of_response(
    response: Response, units: Sequence[Unit], cap: int, language: str = ""
) -> ShownAnswer:
    """A stored response, from its units; `language` is the study's."""
    whole = next(unit for unit in units if unit.key == "r")
    sources = list(response.sources.select_related("passage"))
    numbers = {source.pk: source.n for source in sources}
    placed = {u.pk: Placed(u.key, u.text, u.start, u.end) for u in units if u.kind == "statement"}
    for unit in units:
        if unit.kind == "citation" and unit.parent_id in placed:
            passage = numbers.get(unit.source_id) if unit.source_id is not None else None
            chip = Chip(unit.key, unit.number or 0, passage, unit.ordinal > cap, unit.url)
            placed[unit.parent_id].marks.setdefault((unit.start, unit.end), []).append(chip)
    statements = _statements(placed.values())
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
    raw = response.text[whole.start : whole.end]
    citable = [Citable(source.n, source.passage.title, source.url) for source in sources]
    found = _parts(whole.text, raw, list(placed.values()), response.segmentation, citable)
    return ShownAnswer(
        text=whole.text,
        raw=raw,
        parts=found.parts,
        is_flowing=found.is_flowing,
        statements=statements,
        passages=passages,
        left_out=response.text[whole.end :].strip() if response.was_cut else "",
        not_judged=in_words(found.not_judged),
        language=response.question.language or language,
    )


def of_record(
    record: ResponseRecord, found: Segmentation, cap: int, language: str = ""
) -> ShownAnswer:
    """A record of a file that is not loaded yet, as it will look; `language` is the study's."""
    by_number: Mapping[int, PassageRecord] = {p.n: p for p in record.passages}
    placed = []
    citing = []
    for s, statement in enumerate(found.statements, 1):
        part = Placed(f"s{s}", statement.text, statement.start, statement.end)
        for c, citation in enumerate(statement.citations, 1):
            number = citation.number if citation.number in by_number else None
            chip = Chip(f"s{s}.c{c}", citation.number, number, c > cap, citation.url)
            part.marks.setdefault((citation.start, citation.end), []).append(chip)
            citing.append((chip.key, number, citation.quote))
        placed.append(part)
    statements = _statements(placed)
    cited = _cited_by(statements)
    quotes = quotes_of(citing, {n: passage.text for n, passage in by_number.items()})
    passages = tuple(
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
    raw = record.output[found.raw_start : found.raw_end]
    citable = [Citable(p.n, p.title, p.url) for p in record.passages]
    shown = _parts(found.text, raw, placed, found.signature, citable)
    return ShownAnswer(
        text=found.text,
        raw=raw,
        parts=shown.parts,
        is_flowing=shown.is_flowing,
        statements=statements,
        passages=passages,
        left_out=record.output[found.raw_end :].strip() if found.cut else "",
        not_judged=in_words(shown.not_judged),
        language=record.question.language or language,
    )


def _statements(placed: Iterable[Placed]) -> tuple[ShownStatement, ...]:
    return tuple(ShownStatement(each.key, each.text, each.chips) for each in placed)
