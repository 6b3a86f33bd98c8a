"""What many tests load into an empty study: loaded once, then written again row by row.

Checking and loading files takes a hundred queries, and its rows are always the same but for their
keys and times.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management.color import no_style
from django.db import connection
from django.utils import timezone

from annotate.models import (
    Judge,
    Judgment,
    Passage,
    Question,
    Response,
    Source,
    Study,
    System,
    Unit,
    Upload,
)

LOADED: tuple[type[Any], ...] = (
    Upload,
    Question,
    System,
    Passage,
    Response,
    Source,
    Unit,
    Judge,
    Judgment,
)
"""What files bring, each after what it points at."""

Keys = dict[int, int]
"""New ones, by those that the rows had."""


class Rows:
    """What `load` writes about a study in which nothing is."""

    def __init__(self, load: Callable[[Study], None]) -> None:
        self.load = load
        self.kept: dict[type[Any], list[dict[str, Any]]] = {}
        self.of_study: Any = {}
        self.files: dict[str, bytes] = {}

    def put(self, study: Study) -> None:
        if self.kept:
            self._write(study)
        else:
            self._load(study)
        study.refresh_from_db()

    def _load(self, study: Study) -> None:
        before = last_keys()
        self.load(study)
        self.at = timezone.now()
        [self.of_study] = Study.objects.filter(pk=study.pk).values("pk", "lines")
        for model in LOADED:
            new = model.objects.filter(pk__gt=before[model]).order_by("pk")
            self.kept[model] = list(new.values())
        for row in self.kept[Upload]:
            with default_storage.open(row["file"]) as file:
                self.files[row["file"]] = file.read()

    def _write(self, study: Study) -> None:
        Study.objects.filter(pk=study.pk).update(lines=self.of_study["lines"])
        last, later = last_keys(), timezone.now() - self.at
        new: dict[type[Any], Keys] = {Study: {self.of_study["pk"]: study.pk}}
        for model, rows in self.kept.items():
            new[model] = {row["id"]: last[model] + n for n, row in enumerate(rows, 1)}
            keys = {"id": new[model]} | {
                field.attname: new[field.related_model]
                for field in model._meta.fields
                if field.related_model in new
            }
            model.objects.bulk_create(
                model(**{name: self._again(name, row[name], keys, later) for name in row})
                for row in rows
            )
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("".join(connection.ops.sequence_reset_sql(no_style(), LOADED)))

    def _again(self, name: str, value: Any, keys: dict[str, Keys], later: timedelta) -> Any:
        """A file is written anew: tests remove files with their rows."""
        if name in keys and value is not None:
            return keys[name][value]
        if isinstance(value, datetime):
            return value + later
        if name == "file":
            return ContentFile(self.files[value], name=value.rpartition("/")[2])
        return value


def last_keys() -> dict[type[Any], int]:
    """The greatest key of each table."""
    tables = enumerate(model._meta.db_table for model in LOADED)
    asked = (f"SELECT {number}, COALESCE(MAX(id), 0) FROM {table}" for number, table in tables)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(asked))
        found = dict(cursor.fetchall())
    return {model: found[number] for number, model in enumerate(LOADED)}
