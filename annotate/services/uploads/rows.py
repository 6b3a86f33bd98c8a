"""The database rows of one chunk of responses, written level by level in bulk."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from annotate.formats.division import cited_number
from annotate.formats.records import ResponseRecord
from annotate.formats.spans import spans_as_json
from annotate.models import Passage, Response, Source, Study, Unit, Upload
from annotate.protocol.dimensions import UnitKind
from annotate.segment import Segmentation, has_positional_citation
from annotate.services.bulk import insert, maker_of
from annotate.services.claims import write_places
from annotate.services.uploads.study_index import texts_digest

BATCH = 2_000

_response = maker_of(Response)
_passage = maker_of(Passage)
_source = maker_of(Source)
_unit = maker_of(Unit)


@dataclass(slots=True)
class NewResponse:
    """A response about to be written, with what its parts need to find it again."""

    record: ResponseRecord
    segmentation: Segmentation
    row: Response
    units: dict[str, Unit] = field(default_factory=dict)
    sources: dict[int, Source] = field(default_factory=dict)


def response_row(
    study: Study,
    upload: Upload,
    record: ResponseRecord,
    segmentation: Segmentation,
    *,
    system_id: int,
    question_id: int,
    run: str,
    digest: str,
    live: bool | None,
) -> Response:
    """The row of a response, with the counts that lists filter by."""
    numbers = {passage.n for passage in record.passages}
    statements = segmentation.statements
    cited = [citation.number for s in statements for citation in s.citations]
    return _response(
        study_id=study.pk,
        system_id=system_id,
        question_id=question_id,
        run=run,
        text=record.output,
        is_list=record.is_list,
        citations=spans_as_json(record.citations),
        metadata=dict(record.metadata),
        digest=digest,
        segmentation=segmentation.signature,
        was_cut=segmentation.cut,
        statement_count=len(statements),
        citation_count=len(cited),
        uncited_count=sum(1 for s in statements if not s.citations),
        out_of_range_count=sum(1 for number in cited if number not in numbers),
        positional=has_positional_citation(segmentation),
        live=live,
        upload_id=upload.pk,
    )


def write_responses(study: Study, upload: Upload, new: Sequence[NewResponse]) -> None:
    """Write responses with their passages, sources and units."""
    insert([item.row for item in new])
    _write_sources(study, upload, new)
    _write_units(new)
    if study.writes_claims:
        write_places([(item.units, item.segmentation) for item in new])


def _write_sources(study: Study, upload: Upload, new: Sequence[NewResponse]) -> None:
    texts = [(p.title, p.text) for item in new for p in item.record.passages]
    keys = iter(passages_of(study, upload, texts))
    rows = []
    for item in new:
        for passage in item.record.passages:
            source = _source(
                response_id=item.row.id,
                n=passage.n,
                passage_id=next(keys),
                external_id=passage.external_id,
                url=passage.url,
                published=passage.published,
                retrieved=passage.retrieved,
                page=passage.page,
                metadata=dict(passage.metadata),
            )
            item.sources[passage.n] = source
            rows.append(source)
    insert(rows)


def passages_of(study: Study, upload: Upload, texts: Sequence[tuple[str, str]]) -> list[int]:
    """The passages with these titles and texts; those that are not here yet are written."""
    digests = [texts_digest(title, text) for title, text in texts]
    wanted = dict(zip(digests, texts, strict=True))
    known = _known_passages(study, wanted)
    fresh = [
        _passage(study_id=study.pk, digest=digest, title=title, text=text, upload_id=upload.pk)
        for digest, (title, text) in wanted.items()
        if digest not in known
    ]
    insert(fresh)
    known.update((passage.digest, passage.id) for passage in fresh)
    return [known[digest] for digest in digests]


def _known_passages(study: Study, digests: Iterable[str]) -> dict[str, int]:
    every = list(digests)
    known: dict[str, int] = {}
    for first in range(0, len(every), BATCH):
        rows = Passage.objects.filter(study=study, digest__in=every[first : first + BATCH])
        known.update(rows.values_list("digest", "pk"))
    return known


def _write_units(new: Sequence[NewResponse]) -> None:
    """Each level needs the keys of the one above, so they are written from the top down."""
    whole = [_whole_unit(item) for item in new]
    insert(whole)
    statements = [unit for item in new for unit in _statement_units(item)]
    insert(statements)
    citations = [unit for item in new for unit in _citation_units(item)]
    insert(citations)


def _whole_unit(item: NewResponse) -> Unit:
    found = item.segmentation
    unit = _unit(
        response_id=item.row.id,
        kind=UnitKind.RESPONSE,
        key="r",
        ordinal=1,
        text=found.text,
        start=found.raw_start,
        end=found.raw_end,
    )
    item.units["r"] = unit
    return unit


def _statement_units(item: NewResponse) -> Iterable[Unit]:
    for ordinal, statement in enumerate(item.segmentation.statements, 1):
        key = f"s{ordinal}"
        item.units[key] = _unit(
            response_id=item.row.id,
            kind=UnitKind.STATEMENT,
            key=key,
            parent_id=item.units["r"].id,
            ordinal=ordinal,
            text=statement.text,
            start=statement.start,
            end=statement.end,
        )
        yield item.units[key]


def _citation_units(item: NewResponse) -> Iterable[Unit]:
    text = item.segmentation.text
    for s, statement in enumerate(item.segmentation.statements, 1):
        for c, citation in enumerate(statement.citations, 1):
            source = item.sources.get(cited_number(item.record, s - 1, c - 1, citation))
            key = f"s{s}.c{c}"
            item.units[key] = _unit(
                response_id=item.row.id,
                kind=UnitKind.CITATION,
                key=key,
                parent_id=item.units[f"s{s}"].id,
                ordinal=c,
                text=text[citation.start : citation.end],
                start=citation.start,
                end=citation.end,
                number=citation.number,
                source_id=None if source is None else source.id,
                quote=citation.quote,
                url=citation.url,
            )
            yield item.units[key]
