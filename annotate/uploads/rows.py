"""Write the database rows of one chunk of responses in bulk, level by level."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from annotate.content.written_claims import add_places
from annotate.formats.division import cited_number
from annotate.formats.records import ResponseRecord
from annotate.formats.spans import spans_as_json
from annotate.models import Passage, Response, Source, Study, Unit, Upload
from annotate.protocol.dimensions import UnitKind
from annotate.text import Segmentation, has_positional_citation
from annotate.uploads.study_index import texts_digest
from annotate.web.bulk import BulkTable

BATCH = 2_000
KEY_BATCH = 500

_responses = BulkTable(
    Response,
    "study_id",
    "system_id",
    "question_id",
    "run",
    "text",
    "is_list",
    "citations",
    "metadata",
    "digest",
    "segmentation",
    "was_cut",
    "statement_count",
    "citation_count",
    "uncited_count",
    "out_of_range_count",
    "positional",
    "live",
    "upload_id",
)
_passages = BulkTable(Passage, "study_id", "digest", "title", "text", "upload_id")
_sources = BulkTable(
    Source,
    "response_id",
    "n",
    "passage_id",
    "external_id",
    "url",
    "published",
    "retrieved",
    "page",
    "metadata",
)
_units = BulkTable(
    Unit,
    "response_id",
    "kind",
    "key",
    "parent_id",
    "ordinal",
    "text",
    "start",
    "end",
    "number",
    "source_id",
    "quote",
    "url",
)
_RESPONSE, _STATEMENT, _CITATION = (
    kind.value for kind in (UnitKind.RESPONSE, UnitKind.STATEMENT, UnitKind.CITATION)
)


@dataclass(slots=True)
class NewResponse:
    """A response to be written, and then the keys of its rows."""

    record: ResponseRecord
    segmentation: Segmentation
    system_id: int
    question_id: int
    run: str
    digest: str
    live: bool | None
    pk: int = 0
    sources: dict[int, int] = field(default_factory=dict)
    """Keys by passage number."""

    units: dict[str, int] = field(default_factory=dict)
    """Keys by unit, if judgments came with the response."""


def write_responses(study: Study, upload: Upload, new: Sequence[NewResponse]) -> None:
    """Write responses with their passages, sources and units."""
    keys = _responses.insert([_response_row(study, upload, item) for item in new])
    for item, pk in zip(new, keys, strict=True):
        item.pk = pk
    _write_sources(study, upload, new)
    _write_units(new)
    if study.writes_claims:
        add_places([[(item.pk, item.segmentation) for item in new]])


def _response_row(study: Study, upload: Upload, item: NewResponse) -> tuple[Any, ...]:
    """Return the row of a response, with the counts that lists filter by."""
    record, found = item.record, item.segmentation
    numbers = {passage.n for passage in record.passages}
    statements = found.statements
    cited = [citation.number for s in statements for citation in s.citations]
    return (
        study.pk,
        item.system_id,
        item.question_id,
        item.run,
        record.output,
        record.is_list,
        spans_as_json(record.citations),
        record.metadata,
        item.digest,
        found.signature,
        found.cut,
        len(statements),
        len(cited),
        sum([not s.citations for s in statements]),
        sum([number not in numbers for number in cited]),
        has_positional_citation(found),
        item.live,
        upload.pk,
    )


def _write_sources(study: Study, upload: Upload, new: Sequence[NewResponse]) -> None:
    texts = [(p.title, p.text) for item in new for p in item.record.passages]
    passages = iter(passages_of(study, upload, texts))
    keys = iter(
        _sources.insert(
            [
                (
                    item.pk,
                    p.n,
                    next(passages),
                    p.external_id,
                    p.url,
                    p.published,
                    p.retrieved,
                    p.page,
                    p.metadata,
                )
                for item in new
                for p in item.record.passages
            ]
        )
    )
    for item in new:
        item.sources = {passage.n: next(keys) for passage in item.record.passages}


def passages_of(study: Study, upload: Upload, texts: Sequence[tuple[str, str]]) -> list[int]:
    """Return the keys of passages with these titles and texts; write missing ones."""
    digests = [texts_digest(title, text) for title, text in texts]
    wanted = dict(zip(digests, texts, strict=True))
    known = _known_passages(study, wanted)
    fresh = [digest for digest in wanted if digest not in known]
    keys = _passages.insert([(study.pk, each, *wanted[each], upload.pk) for each in fresh])
    known.update(zip(fresh, keys, strict=True))
    return [known[digest] for digest in digests]


def in_batches(keys: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the keys in batches for queries with many parameters."""
    return (keys[first : first + KEY_BATCH] for first in range(0, len(keys), KEY_BATCH))


def _known_passages(study: Study, digests: Iterable[str]) -> dict[str, int]:
    every = list(digests)
    known: dict[str, int] = {}
    table = connection.ops.quote_name(Passage._meta.db_table)
    with connection.cursor() as cursor:
        for first in range(0, len(every), BATCH):
            some = every[first : first + BATCH]
            marks = ", ".join(["%s"] * len(some))
            own = f"SELECT digest, id FROM {table} WHERE study_id = %s"  # noqa: S608 (own name)
            cursor.execute(f"{own} AND digest IN ({marks})", [study.pk, *some])
            known.update(cursor.fetchall())
    return known


def _write_units(new: Sequence[NewResponse]) -> None:
    """Write units from the top down, since each level needs the keys of the one above."""
    whole = _units.insert([_whole_unit(item) for item in new])
    statements = iter(
        _units.insert(
            [row for item, r in zip(new, whole, strict=True) for row in _statement_units(item, r)]
        )
    )
    own = [[next(statements) for _ in item.segmentation.statements] for item in new]
    rows = [row for item, keys in zip(new, own, strict=True) for row in _citation_units(item, keys)]
    citations = _units.insert(rows)
    if any(item.record.judgments for item in new):
        for item, r, keys in zip(new, whole, own, strict=True):
            item.units = {"r": r} | {f"s{n}": key for n, key in enumerate(keys, 1)}
        by_pk = {item.pk: item.units for item in new}
        for row, key in zip(rows, citations, strict=True):
            by_pk[row[0]][row[2]] = key


def _whole_unit(item: NewResponse) -> tuple[Any, ...]:
    found = item.segmentation
    span = found.raw_start, found.raw_end
    return (item.pk, _RESPONSE, "r", None, 1, found.text, *span, None, None, "", "")


def _statement_units(item: NewResponse, parent: int) -> Iterable[tuple[Any, ...]]:
    pk = item.pk
    for n, each in enumerate(item.segmentation.statements, 1):
        span = each.start, each.end
        yield (pk, _STATEMENT, f"s{n}", parent, n, each.text, *span, None, None, "", "")


def _citation_units(item: NewResponse, parents: Sequence[int]) -> Iterable[tuple[Any, ...]]:
    pk, text = item.pk, item.segmentation.text
    for s, statement in enumerate(item.segmentation.statements):
        for c, citation in enumerate(statement.citations):
            yield (
                pk,
                _CITATION,
                f"s{s + 1}.c{c + 1}",
                parents[s],
                c + 1,
                text[citation.start : citation.end],
                citation.start,
                citation.end,
                citation.number,
                item.sources.get(cited_number(item.record, s, c, citation)),
                citation.quote,
                citation.url,
            )
