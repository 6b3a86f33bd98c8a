"""Insert many rows several times faster than `bulk_create`.

Keys come from the table's sequence first, so that rows can refer to each other before they are
written. PostgreSQL then reads the rows by COPY, SQLite by a prepared statement with as many rows as
fit. Rows made from rows of the database are inserted by one statement (`insert_selected`), which is
faster still. All constraints and triggers apply.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import chain
from json import JSONEncoder
from typing import Any

from django.db import connection, models
from django.db.models import Field, QuerySet, Value

BATCH = 10_000
"""The number of values in a statement if the database has no limit."""

_encode = JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def _json(value: Any) -> str:
    return _encode(value) if value != {} else "{}"  # most are empty


class BulkTable:
    """Insert rows of a model as plain values of the named columns, without creating objects.

    The other columns have their defaults.
    """

    def __init__(self, kind: type[models.Model], *names: str) -> None:
        meta = kind._meta
        self._kind = kind
        own = {field.name: field for field in meta.concrete_fields}
        own |= {field.attname: field for field in meta.concrete_fields}
        self._fields = [meta.pk, *(own[name] for name in names)]
        self._others = [field for field in meta.concrete_fields if field not in self._fields]

    def insert(self, rows: Sequence[Sequence[Any]]) -> Sequence[int]:
        """Insert rows within the caller's transaction and return their keys."""
        if not rows:
            return []
        keys = _taken_keys(self._kind, len(rows))
        special = _special(self._fields[1:])
        if special:
            rows = [_adapted(list(row), special) for row in rows]
        defaults = [field.get_default() for field in self._others]
        tail = (*_adapted(defaults, _special(self._others)),)
        written = [(key, *row, *tail) for key, row in zip(keys, rows, strict=True)]
        _write(self._kind, [*self._fields, *self._others], written)
        return keys


def take_keys(rows: Sequence[models.Model]) -> None:
    """Assign keys to rows in order; on SQLite, within the transaction that inserts them."""
    if not rows:
        return
    name = rows[0]._meta.pk.attname
    for row, key in zip(rows, _taken_keys(type(rows[0]), len(rows)), strict=True):
        row.__dict__[name] = key


def _taken_keys(kind: type[models.Model], count: int) -> Sequence[int]:
    table = kind._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
                [table, count],
            )
            return [key for (key,) in cursor.fetchall()]
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        last = (cursor.fetchone() or (0,))[0]
        return range(last + 1, last + 1 + count)


def insert(rows: Sequence[models.Model]) -> int:
    """Insert rows of one model within the caller's transaction and return how many."""
    if not rows:
        return 0
    if rows[0].pk is None:
        take_keys(rows)
    fields = rows[0]._meta.concrete_fields
    names = [field.attname for field in fields]
    special = _special(fields)
    written = []
    for row in rows:
        have = row.__dict__
        written.append(_adapted([have[name] for name in names], special))
    _write(type(rows[0]), fields, written)
    alias = connection.alias
    for row in rows:
        row._state.adding = False
        row._state.db = alias
    return len(rows)


def _write(
    kind: type[models.Model], fields: Sequence["Field[Any, Any]"], rows: Sequence[Sequence[Any]]
) -> None:
    """Write values of these fields, which include the key."""
    if not connection.in_atomic_block:
        raise AssertionError("keys are only ours within a transaction")
    quote = connection.ops.quote_name
    table = quote(kind._meta.db_table)
    columns = ", ".join(quote(str(field.column)) for field in fields)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            copying = cursor.copy(f"COPY {table} ({columns}) FROM STDIN")
            with connection.wrap_database_errors, copying as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            into = f"INSERT INTO {table} ({columns}) VALUES"
            marks = f"({', '.join(['%s'] * len(fields))})"
            at_once = max(1, (connection.features.max_query_params or 0) // len(fields))
            whole = len(rows) - len(rows) % at_once
            together = [
                [*chain.from_iterable(rows[first : first + at_once])]
                for first in range(0, whole, at_once)
            ]
            cursor.executemany(f"{into} {', '.join([marks] * at_once)}", together)
            cursor.executemany(f"{into} {marks}", rows[whole:])


def upsert(rows: Sequence[models.Model], *, at: Sequence[str]) -> None:
    """Insert rows of one model, or update those with the same values of the columns `at`."""
    if not rows:
        return
    quote = connection.ops.quote_name
    fields = [field for field in rows[0]._meta.concrete_fields if field.attname != "id"]
    special, names = _special(fields), [field.attname for field in fields]
    changed = ", ".join(f"{quote(x)} = EXCLUDED.{quote(x)}" for x in names if x not in at)
    table, marks = quote(rows[0]._meta.db_table), f"({', '.join(['%s'] * len(names))})"
    at_once = (connection.features.max_query_params or BATCH) // len(names)
    for first in range(0, len(rows), at_once):
        some = rows[first : first + at_once]
        each = (_adapted([getattr(row, x) for x in names], special) for row in some)
        values = [*chain.from_iterable(each)]
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table} ({', '.join(map(quote, names))}) "  # noqa: S608 (own names)
                f"VALUES {', '.join([marks] * len(some))} "
                f"ON CONFLICT ({', '.join(map(quote, at))}) DO UPDATE SET {changed}",
                values,
            )


def insert_selected(kind: type[models.Model], given: Mapping[str, Any], rows: QuerySet[Any]) -> int:
    """Insert a row of this model for each selected row and return how many.

    `given` has an expression over the selected row, or a value, by field. Other fields have their
    defaults.
    """
    fields = [field for field in kind._meta.concrete_fields if not field.primary_key]
    written = {}
    for field in fields:
        value = given[field.attname] if field.attname in given else field.get_default()
        if value is not None:
            is_plain = not hasattr(value, "resolve_expression")
            written[field] = Value(value, output_field=field) if is_plain else value
    sql, parameters = rows.values_list(*written.values()).query.sql_with_params()
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in written)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {quote(kind._meta.db_table)} ({columns}) {sql}",
            parameters,
        )
        return int(cursor.rowcount)


def refresh_statistics(*kinds: type[models.Model]) -> None:
    """Update the planner's statistics of tables that have grown.

    Until the next automatic update, plans for empty tables would read far too much.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA analysis_limit = 2000")
        for kind in kinds:
            cursor.execute(f"ANALYZE {connection.ops.quote_name(kind._meta.db_table)}")


Special = Sequence[tuple[int, Callable[[Any], Any]]]
"""The positions of values that must be converted, with the conversions."""


def _special(fields: Sequence["Field[Any, Any]"]) -> Special:
    return [(place, adapt) for place, field in enumerate(fields) if (adapt := _adapter(field))]


def _adapted(values: list[Any], special: Special) -> list[Any]:
    for place, adapt in special:
        values[place] = adapt(values[place])
    return values


def _adapter(field: "Field[Any, Any]") -> Callable[[Any], Any] | None:
    """Return the conversion of this field's values, if they need one."""
    if isinstance(field, models.JSONField):
        return _json
    if isinstance(field, models.DateTimeField):
        adapt: Callable[[datetime | None], Any] = connection.ops.adapt_datetimefield_value
        return adapt
    return None
