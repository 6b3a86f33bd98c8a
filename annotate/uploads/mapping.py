"""Column mappings of uploaded tables: given, or from the study's last such file."""

from collections.abc import Collection

from django.conf import settings
from django.db import transaction

from annotate.formats.open_file import HEAD_BYTES
from annotate.formats.tables.guessing import guess
from annotate.formats.tables.kinds import is_table, table_kind
from annotate.formats.tables.mapping import FORMAT_OF, ColumnMapping, Rows, mapping_of
from annotate.formats.tables.sampling import columns_of, first_rows
from annotate.models import Study, Upload
from annotate.uploads.chunks import limits_of
from annotate.uploads.storing import on_disk
from annotate.web.errors import Refused

MOST_EARLIER = 200


def is_quick(upload: Upload) -> bool:
    """Return whether a table's first rows can be read while a person waits. A large zip, or a
    large passages file that comes first, takes too long."""
    most = settings.ATTEST_INLINE_UPLOAD_BYTES
    if upload.passages_file and upload.passages_file.size > most:
        return False
    if upload.size <= most:
        return True
    with upload.file.open() as file:
        return table_kind(file.read(HEAD_BYTES)) != "zip"


def may_be_table(upload: Upload) -> bool:
    """Return whether a file without readable records may be a table instead."""
    if upload.columns is not None or upload.state != Upload.State.INVALID or not upload.file:
        return False
    if upload.division is not None or upload.findings.get("records"):
        return False
    try:
        with upload.file.open() as file:
            return is_table(file.read(HEAD_BYTES))
    except FileNotFoundError:
        return False


def read_as_table(upload: Upload) -> None:
    """Treat the file as a table, with unmapped columns."""
    with transaction.atomic():
        locked = Upload.objects.select_for_update().get(pk=upload.pk)
        if not may_be_table(locked):
            raise Refused("This upload is no table, so its columns cannot be mapped.")
        sample_columns(locked, None, "")
        locked.findings = {}
        locked.save(update_fields=["findings"])
    upload.refresh_from_db()


def sample_columns(upload: Upload, mapping: ColumnMapping | None, format: str) -> None:
    """Store a table's columns, a guessed mapping, and the mapping to use.

    That is the given mapping, or that of an earlier file with the same columns. `format` is the
    kind of rows, if it was chosen.
    """
    with on_disk(upload.file) as path:
        rows = first_rows(path, limits_of(upload))
    columns = columns_of(rows)
    names = [column.name for column in columns]
    kind = next((kind for kind, key in FORMAT_OF.items() if key == format), None)
    guessed = guess(rows, names, kind, upload.study.protocol)
    upload.columns = {
        "columns": [column.as_json() for column in columns],
        "guess": guessed.as_json(),
    }
    chosen = mapping or earlier(upload.study, names, kind)
    upload.mapping = chosen.as_json() if chosen else None
    upload.format = (chosen or guessed).format
    upload.save(update_fields=["columns", "mapping", "format"])


def earlier(study: Study, columns: Collection[str], kind: Rows | None) -> ColumnMapping | None:
    """Return the mapping of the study's last file with these columns (and this kind)."""
    found = study.uploads.filter(mapping__isnull=False).order_by("-pk")
    mappings = found.values_list("mapping", flat=True)[:MOST_EARLIER]
    fitting = (one for one in map(mapping_of, mappings) if one.fits(columns))
    return next((one for one in fitting if kind in {None, one.rows}), None)
