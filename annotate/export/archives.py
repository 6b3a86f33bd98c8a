"""A whole study in one zip: as tables of CSV, or as a data set that the library `datasets` loads.

An archive is written to a file, piece by piece; nothing but some hundreds of responses is held.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from annotate.export import desk, streams
from annotate.export.streams import OF_PASSAGE, OF_RESPONSE
from annotate.formats import spreadsheets
from annotate.formats.records import PassageRecord, ResponseRecord
from annotate.formats.spans import spans_as_json
from annotate.formats.writing import csv_line
from annotate.models import Question, ResponseNote, Study, System
from annotate.services.errors import Refused

SHARD_ROWS: Final = 20_000
"""Of responses in one file of a data set."""

OF_UNIT: Final = (
    "unit", "kind", "parent", "start", "end", "text", "passage", "quote", "url",
    "other_system", "other_run",
)  # fmt: skip

_LICENCE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,49}")
_ALWAYS = (1980, 1, 1, 0, 0, 0)
"""The time of every file, so that the same study gives the same archive."""


# Tables ------------------------------------------------------------------------------------------


def write_tables(
    study: Study, path: Path, *, for_spreadsheets: bool = False, slices: Sequence[str] = ()
) -> None:
    """All that a study holds, as CSV."""
    tables: dict[str, Iterator[str]] = {
        "responses": _responses_csv(study, slices),
        "passages": _passages_csv(study, slices),
        "units": _units_csv(study, slices),
        "systems": _systems_csv(study),
        "judgments": streams.judgments_csv(study, slices=slices),
        "evidence": desk.evidence_csv(study, slices=slices),
        "flags": desk.flags_csv(study, slices=slices),
    }
    if study.writes_claims:
        tables["claims"] = desk.claims_csv(study, slices=slices)
    if Question.objects.listed().filter(study=study).exists():
        tables["ranked_passages"] = _ranked_csv(study, slices)
    if ResponseNote.objects.filter(response__study=study).exists():
        tables["notes"] = desk.notes_csv(study, slices=slices)
    with ZipFile(path, "w") as archive:
        for name, lines in tables.items():
            safe = spreadsheets.for_spreadsheets(lines) if for_spreadsheets else lines
            write_member(archive, f"{name}.csv", safe)
        # Made for people, and always safe to open in a spreadsheet.
        write_member(archive, "inquiries.csv", desk.inquiries_csv(study, slices=slices))


def _responses_csv(study: Study, slices: Sequence[str]) -> Iterator[str]:
    of_question = ("question", "language", "references", "question_metadata")
    columns = (*OF_RESPONSE, *of_question, "output", "metadata")
    yield csv_line(columns)
    for row in _rows(study, slices):
        yield csv_line([row[name] for name in columns])


def _passages_csv(study: Study, slices: Sequence[str]) -> Iterator[str]:
    yield csv_line((*OF_RESPONSE, *OF_PASSAGE))
    for row in _rows(study, slices):
        about = [row[name] for name in OF_RESPONSE]
        for passage in row["passages"]:
            yield csv_line([*about, *(passage[name] for name in OF_PASSAGE)])


def _ranked_csv(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """The passages that were ranked for questions that a file has by themselves."""
    columns = ("question_id", "question", *OF_PASSAGE)
    yield csv_line(columns)
    for row in streams.question_rows(study, slices=slices):
        for p in row.passages:
            yield csv_line([row.question.external_id, row.question.text, *_passage(p).values()])


def _units_csv(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """What judgments are about, by the same keys, with its text."""
    yield csv_line((*OF_RESPONSE, *OF_UNIT))
    for response, question, unit in streams.units(study, slices=slices):
        other = unit.other
        yield csv_line([
            response.system.name, response.run, question, unit.key, unit.kind,
            unit.parent.key if unit.parent is not None else "", unit.start, unit.end, unit.text,
            unit.source.n if unit.source is not None else "", unit.quote, unit.url,
            other.system.name if other is not None else "", other.run if other is not None else "",
        ])  # fmt: skip


def _systems_csv(study: Study) -> Iterator[str]:
    yield csv_line(("system", "display_name", "description", "uses_autoais"))
    for one in System.objects.loaded().filter(study=study).order_by("name"):
        yield csv_line([one.name, one.display_name, one.description, one.uses_autoais])


def write_member(archive: ZipFile, name: str, lines: Iterator[str]) -> None:
    with archive.open(_entry(name, ZIP_DEFLATED), "w", force_zip64=True) as file:
        for line in lines:
            file.write(line.encode())


def _entry(name: str, compression: int) -> ZipInfo:
    entry = ZipInfo(name, date_time=_ALWAYS)
    entry.compress_type = compression
    return entry


# A data set --------------------------------------------------------------------------------------


def write_dataset(
    study: Study, path: Path, *, licence: str = "", slices: Sequence[str] = ()
) -> None:
    """Responses and judgments as shards of Parquet, with a card that says what they are."""
    from annotate.export import parquet

    if licence and not _LICENCE.fullmatch(licence):
        raise Refused(
            f"“{licence[:50]}” is no short name of a licence as cc-by-4.0: small letters, digits, "
            "dots and hyphens."
        )
    with ZipFile(path, "w") as archive:
        count = 0
        for shard, rows in enumerate(_shards(study, slices)):
            with _parquet() as held:
                count += parquet.write_responses(held, rows)
                _stored(archive, held, f"data/responses-{shard:05}.parquet")
        with _parquet() as held:
            judged = parquet.write_judgments(study, held, slices=slices)
            _stored(archive, held, "data/judgments-00000.parquet")
        card = _card(study, licence, count, judged, slices)
        archive.writestr(_entry("README.md", ZIP_DEFLATED), card)


@contextmanager
def _parquet() -> Iterator[Path]:
    with NamedTemporaryFile(suffix=".parquet") as held:
        yield Path(held.name)


def _stored(archive: ZipFile, path: Path, name: str) -> None:
    """A file as it is, which is packed already."""
    entry = _entry(name, ZIP_STORED)
    entry.file_size = path.stat().st_size
    with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as file:
        while block := source.read(1_000_000):
            file.write(block)


def _shards(study: Study, slices: Sequence[str]) -> Iterator[Iterator[list[dict[str, Any]]]]:
    """The responses, so many in a shard; a shard is taken to its end before the next. There is one
    where there are no responses, too."""
    groups = _grouped(study, slices)
    ahead = [next(groups, [])]

    def shard() -> Iterator[list[dict[str, Any]]]:
        taken = 0
        while ahead and taken < SHARD_ROWS:
            group = ahead.pop()
            taken += len(group)
            yield group
            if (following := next(groups, None)) is not None:
                ahead.append(following)

    while ahead:
        yield shard()


def _grouped(study: Study, slices: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    for records in streams.response_records(study, slices=slices):
        yield [_row(record) for _, record in records]


def _rows(study: Study, slices: Sequence[str]) -> Iterator[dict[str, Any]]:
    for group in _grouped(study, slices):
        yield from group


def _row(record: ResponseRecord) -> dict[str, Any]:
    """A response with all that belongs to it; what has no fixed shape is JSON."""
    statements = record.statements or ()
    return {
        "system": record.system,
        "run": record.run,
        "question_id": record.question.external_id,
        "question": record.question.text,
        "language": record.question.language,
        "references": _json(record.question.references),
        "question_metadata": _json(record.question.metadata),
        "output": record.output,
        "is_list": record.is_list,
        "passages": [_passage(passage) for passage in record.passages],
        "citations": [{"quote": "", **one} for one in spans_as_json(record.citations)],
        "statements": [{"text": s.text, "passages": [p.n for p in s.passages]} for s in statements],
        "metadata": _json(record.metadata),
    }  # fmt: skip


def _passage(p: PassageRecord) -> dict[str, Any]:
    return {
        "n": p.n, "id": p.external_id, "url": p.url, "title": p.title, "text": p.text,
        "published": p.published, "retrieved": p.retrieved, "page": p.page,
    }  # fmt: skip


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, sort_keys=True) if value else ""


def _card(study: Study, licence: str, count: int, judged: int, slices: Sequence[str]) -> str:
    """What the data set is, for people and for the library. JSON is YAML, too."""
    configs = [
        {
            "config_name": name,
            "data_files": [{"split": "test", "path": f"data/{name}-*.parquet"}],
            **({"default": True} if name == "responses" else {}),
        }
        for name in ("responses", "judgments")
    ]
    head = {"pretty_name": study.name, "license": licence or "unknown", "configs": configs}
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    some = f" Only questions of the slices {', '.join(slices)} are in it." if slices else ""
    return "\n".join(
        [
            "---",
            *lines,
            "---",
            f"# {study.name}",
            "",
            study.description.strip() or "A study of citations, made with Attest.",
            "",
            f"`responses` has {count:,} answers of systems with their passages; `judgments` has "
            f"{judged:,} answers of people and automatic judges on the study's dimensions, one a "
            f"row. Both are evaluation data, and so the split is called `test`.{some}",
            "",
            "Names of judges are in it as they are called in the study.",
            "",
        ]
    )
