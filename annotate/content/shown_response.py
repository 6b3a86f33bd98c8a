"""An answer as a page shows it: its statements, with citation marks as links to passages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.content.units import sources_of
from annotate.formats.records import PassageRecord, ResponseRecord
from annotate.models import Response, Source, Unit
from annotate.text import Citable, Segmentation, is_by_blocks, listed_sources
from annotate.text.parts import Chip, Part, Placed, as_written, passages_of, with_stops
from annotate.text.quotes import ShownQuote, quotes_of
from annotate.text.rendered import Rendered, in_words, rendered
from annotate.text.shown_passages import Stretch, stretches
from annotate.text.sources import Sources


@dataclass(frozen=True, slots=True)
class ShownStatement:
    """A statement in the list of statements. The answer's parts give its place."""

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
        """The text in stretches, quoted or not."""
        return stretches(self.text, [quote.span for quote in self.quotes if quote.span])

    @property
    def quoted(self) -> list[tuple[ShownQuote, int | None]]:
        """The quotes, each with the start of the stretch that contains it."""
        lit = [stretch for stretch in self.stretches if stretch.shared]
        return [
            (q, next((s.start for s in lit if q.span and s.start <= q.span[0] < s.end), None))
            for q in self.quotes
        ]


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer and its passages, ready for templates.

    `raw` is the part of the output that is judged, as the system wrote it. `is_flowing` says that
    the parts are the text of one paragraph.
    """

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
    """Render an answer that is divided by blocks or judged as a whole; otherwise, place statements.

    Without blocks, the text that was cut out and cleaned is shown as it is.
    """
    if (signature or placed) and not is_by_blocks(signature):
        found = Rendered(tuple(as_written(text, placed)), True, {})
    elif not signature:
        found = rendered(raw, placed, None)
    else:
        sources = Sources(citable, max((each.n for each in citable), default=0))
        found = rendered(text, placed, sources)
    return replace(found, parts=tuple(with_stops(found.parts)))


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
    response: Response,
    units: Sequence[Unit],
    cap: int,
    language: str = "",
    sources: Sequence[Source] | None = None,
) -> ShownAnswer:
    """Show a stored response from its units. `language` is the study's.

    `sources` are read from the database if they are not given.
    """
    whole = next(unit for unit in units if unit.key == "r")
    if sources is None:
        sources = [*sources_of(response.pk)]
    numbers = {source.pk: source.n for source in sources}
    raw = response.text[whole.start : whole.end]
    placed = {u.pk: Placed(u.key, u.text, u.start, u.end) for u in units if u.kind == "statement"}
    lost = any(unit.kind == "citation" and unit.source_id is None for unit in units)
    listed = _listed(raw, response.segmentation) if lost else {}
    for unit in units:
        if unit.kind == "citation" and unit.parent_id in placed:
            number = unit.number or 0
            passage = numbers.get(unit.source_id) if unit.source_id is not None else None
            said = listed.get(number, "")
            chip = Chip(unit.key, number, passage, unit.ordinal > cap, unit.url, said)
            placed[unit.parent_id].marks.setdefault((unit.start, unit.end), []).append(chip)
    return _answer(
        whole.text,
        raw,
        list(placed.values()),
        response.segmentation,
        [(source, source.passage.title, source.passage.text) for source in sources],
        [(unit.key, numbers.get(unit.source_id or 0), unit.quote) for unit in units if unit.quote],
        left_out=response.text[whole.end :].strip() if response.was_cut else "",
        language=response.question.language or language,
    )


def of_record(
    record: ResponseRecord, found: Segmentation, cap: int, language: str = ""
) -> ShownAnswer:
    """Show a record of a file that is not loaded yet. `language` is the study's."""
    raw = record.output[found.raw_start : found.raw_end]
    known = {passage.n for passage in record.passages}
    lost = any(c.number not in known for s in found.statements for c in s.citations)
    listed = _listed(raw, found.signature) if lost else {}
    placed = []
    citing = []
    for s, statement in enumerate(found.statements, 1):
        part = Placed(f"s{s}", statement.text, statement.start, statement.end)
        for c, citation in enumerate(statement.citations, 1):
            number = citation.number if citation.number in known else None
            said = listed.get(citation.number, "")
            chip = Chip(f"s{s}.c{c}", citation.number, number, c > cap, citation.url, said)
            part.marks.setdefault((citation.start, citation.end), []).append(chip)
            citing.append((chip.key, number, citation.quote))
        placed.append(part)
    return _answer(
        found.text,
        raw,
        placed,
        found.signature,
        [(passage, passage.title, passage.text) for passage in record.passages],
        citing,
        left_out=record.output[found.raw_end :].strip() if found.cut else "",
        language=record.question.language or language,
    )


def _listed(raw: str, signature: str) -> Mapping[int, str]:
    """Return the entries of the answer's own reference lists, by number."""
    return listed_sources(raw) if is_by_blocks(signature) else {}


def _answer(
    text: str,
    raw: str,
    placed: list[Placed],
    signature: str,
    given: Sequence[tuple[Source | PassageRecord, str, str]],
    citing: Sequence[tuple[str, int | None, str]],
    *,
    left_out: str,
    language: str,
) -> ShownAnswer:
    """Assemble a shown answer.

    `given` has passages with title and text; `citing` has the key, passage number and quotation of
    each citation.
    """
    statements = tuple(ShownStatement(each.key, each.text, each.chips) for each in placed)
    cited = _cited_by(statements)
    quotes = quotes_of(citing, {of.n: words for of, _, words in given})
    citable = [Citable(of.n, title, of.url) for of, title, _ in given]
    shown = _parts(text, raw, placed, signature, citable)
    return ShownAnswer(
        text=text,
        raw=raw,
        parts=shown.parts,
        is_flowing=shown.is_flowing,
        statements=statements,
        passages=tuple(
            ShownPassage(
                n=of.n,
                title=title,
                text=words,
                external_id=of.external_id,
                url=of.url,
                published=of.published,
                retrieved=of.retrieved,
                page=of.page,
                cited_by=tuple(cited.get(of.n, ())),
                quotes=quotes.get(of.n, ()),
            )
            for of, title, words in given
        ),
        left_out=left_out,
        not_judged=in_words(shown.not_judged),
        language=language,
    )
