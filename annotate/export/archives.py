"""A whole study in one zip: as tables of CSV, or as a data set that the library `datasets` loads.

An archive is written to a file, piece by piece; nothing but some hundreds of responses is held.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from annotate.export.records import grouped_rows
from annotate.export.tables import TABLES
from annotate.formats import spreadsheets
from annotate.models import Study
from annotate.services.errors import Refused

SHARD_ROWS: Final = 20_000
"""Of responses in one file of a data set."""

_LICENCE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,49}")
_ALWAYS = (1980, 1, 1, 0, 0, 0)
"""The time of every file, so that the same study gives the same archive."""


# Tables ------------------------------------------------------------------------------------------


def write_tables(
    study: Study, path: Path, *, for_spreadsheets: bool = False, slices: Sequence[str] = ()
) -> None:
    """All that a study holds, as CSV."""
    with ZipFile(path, "w") as archive:
        for _, one in sorted(TABLES.items()):
            lines = one.write(study, slices)
            if lines is None:
                continue
            if for_spreadsheets and not one.is_harmless:
                lines = spreadsheets.for_spreadsheets(lines)
            write_member(archive, f"{one.name}.csv", lines)


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
    groups = grouped_rows(study, slices)
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
