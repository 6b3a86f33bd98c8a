"""Statements whose SQL is written once in a process, for what every request of a rater asks.

Writing a statement takes Django longer than a database needs to carry it out. What differs from one
request to the next stands in it as a `ToldValue`, and is put in its place. PostgreSQL plans it once
for each connection, where that lets statements be prepared.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.base import ServerBindingCursor
from django.db.backends.sqlite3.base import FORMAT_QMARK_REGEX, SQLiteCursorWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import BigAutoField, Expression, Field, Model, Q, QuerySet
from django.db.models.base import ModelState
from django.db.models.constants import OnConflict
from django.db.models.query import (
    FlatValuesListIterable,
    ModelIterable,
    ValuesListIterable,
)
from django.db.models.sql import DeleteQuery, InsertQuery, UpdateQuery
from django.db.models.sql.compiler import SQLCompiler
from psycopg._queries import PostgresQuery, _query2pg

Found = TypeVar("Found")
Row = TypeVar("Row", bound=Model)
Rows = Iterable[Sequence[Any]]
Read = Callable[[Rows], list[Any]]

BITS = 64
"""Of the largest numbers that databases compare."""

MOST_VALUES = 500
"""Of a statement that is kept: as many as what one response comes to has, and not those of many."""


class ToldValue(Expression):
    """What is told when a statement is carried out, by name."""

    def __init__(self, name: str, output_field: "Field[Any, Any]") -> None:
        super().__init__(output_field=output_field)
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> Any:
        return "%s", [self]

    def get_group_by_cols(self) -> Any:
        return []


@dataclass(frozen=True, slots=True)
class _Written:
    """A statement as it was written for one database, and how what it finds is read."""

    alias: str
    vendor: str
    sql: str
    parameters: Sequence[Any]
    told: Sequence[tuple[int, ToldValue]]
    """What of the parameters is told, and where it stands."""

    read: Read

    def carried_out(self, values: dict[str, Any], connection: Any) -> CursorWrapper:
        parameters = [*self.parameters]
        for place, one in self.told:
            value = values[one.name]
            parameters[place] = one.output_field.get_db_prep_value(value, connection)
        cursor = written_cursor(connection)
        cursor.execute(self.sql, parameters)
        return cursor


def _as_written(
    connection: BaseDatabaseWrapper, sql: str, parameters: Sequence[Any], read: Read
) -> _Written:
    told = [(n, one) for n, one in enumerate(parameters) if isinstance(one, ToldValue)]
    return _Written(connection.alias, connection.vendor, sql, parameters, told, read)


class AskedOnce(Generic[Found]):
    """A query: `build` makes it of the values that `given` names, with the fields they are like."""

    def __init__(
        self, build: Callable[..., QuerySet[Any, Found]], **given: "Field[Any, Any]"
    ) -> None:
        self._build = build
        self._given = {name: ToldValue(name, field) for name, field in given.items()}
        self._kept: _Written | None = None

    def __call__(self, **values: Any) -> list[Found]:
        """What is found for these values; nothing is, where no database knows such a number."""
        if any(isinstance(value, int) and value.bit_length() >= BITS for value in values.values()):
            return []
        written, connection = self._written()
        with written.carried_out(values, connection) as cursor:
            rows = cursor.fetchall()
        return written.read(rows) if rows else []

    def first(self, **values: Any) -> Found | None:
        """The first that is found."""
        return next(iter(self(**values)), None)

    def _written(self) -> tuple[_Written, Any]:
        """The statement, and the connection that it is for."""
        kept = self._kept
        if kept is not None:
            connection = connections[kept.alias]
            if kept.vendor == connection.vendor:
                return kept, connection
        kept = self._kept = self._write(self._build(**self._given))
        return kept, connections[kept.alias]

    def _write(self, queryset: Any) -> _Written:
        compiler = queryset.query.get_compiler(connection=connections[queryset.db])
        sql, parameters = compiler.as_sql()
        return _as_written(compiler.connection, sql, parameters, _reader(queryset, compiler))


def _reader(queryset: Any, compiler: Any) -> Read:
    """How rows become what the query finds: what Django would look for again with each query."""
    converters = compiler.get_converters([column for column, *_ in compiler.select])
    converted = _converted(compiler, converters)
    if queryset._iterable_class is ModelIterable:
        return _models(queryset, compiler, converted)
    if queryset._iterable_class is FlatValuesListIterable:
        return lambda rows: [row[0] for row in converted(rows)]
    if queryset._iterable_class is ValuesListIterable:
        return lambda rows: [tuple(row) for row in converted(rows)]
    raise TypeError("Expected a query for objects or for lists of values.")


def _converted(compiler: Any, converters: Any) -> Callable[[Rows], Rows]:
    if not converters:
        return lambda rows: rows
    return lambda rows: compiler.apply_converters(rows, converters)


def _models(queryset: Any, compiler: Any, converted: Callable[[Rows], Rows]) -> Read:
    """Objects, with those that they lead to and what was annotated (as `ModelIterable` does)."""
    make = _maker(compiler.klass_info, compiler.select, queryset.db)
    annotated = tuple(compiler.annotation_col_map.items())

    def read(rows: Rows) -> list[Any]:
        found = []
        for row in converted(rows):
            one = make(row)
            for name, place in annotated:
                setattr(one, name, row[place])
            found.append(one)
        return found

    return read


def _maker(about: Any, select: Any, database: str) -> Callable[[Sequence[Any]], Any]:
    """How a row becomes an object and those that it leads to; none where it has no key."""
    model, columns = about["model"], about["select_fields"]
    first, last = columns[0], columns[-1] + 1
    names = [column.target.attname for column, *_ in select[first:last]]
    key = first + names.index(model._meta.pk.attname)
    led_to = [
        (_maker(other, select, database), other["local_setter"], other["remote_setter"])
        for other in about.get("related_klass_infos", ())
    ]

    def make(row: Sequence[Any]) -> Any:
        if row[key] is None:
            return None
        one = bare(model, zip(names, row[first:last], strict=True), database)
        for make_other, lead_there, lead_back in led_to:
            other = make_other(row)
            lead_there(one, other)
            if other is not None:
                lead_back(other, one)
        return one

    return make


def bare(
    model: type[Row], values: Mapping[str, Any] | Iterable[tuple[str, Any]], database: str | None
) -> Row:
    """An object that is in the database, made without what Django asks for each: who listens, and
    what each field has to say. Nobody does, of the models that are made so."""
    one = model.__new__(model)
    one.__dict__.update(values)
    one._state = ModelState()
    one._state.adding, one._state.db = False, database
    return one


class ChangedOnce(AskedOnce[tuple[Any, ...]]):
    """A change: rows of such a query take the values of `changed` in the fields of that name.
    Asked for the `first`, it gives what the fields of `returning` are then."""

    def __init__(
        self,
        build: Callable[..., QuerySet[Any, Any]],
        changed: Collection[str],
        returning: Sequence[str] = (),
        **given: "Field[Any, Any]",
    ) -> None:
        super().__init__(
            lambda **of: build(**{name: of[name] for name in of if name not in changed}), **given
        )
        self._changed, self._returning = changed, returning

    def __call__(self, **values: Any) -> Any:
        """How many rows were changed; or what is then in each, where that is asked for."""
        if self._returning:
            return super().__call__(**values)
        written, connection = self._written()
        with written.carried_out(values, connection) as cursor:
            return int(cursor.rowcount)

    def _write(self, queryset: Any) -> _Written:
        query: Any = queryset.query.chain(UpdateQuery)
        query.add_update_values({name: self._given[name] for name in self._changed})
        compiler: Any = query.get_compiler(connection=connections[queryset.db])
        sql, parameters = compiler.as_sql()
        fields = [queryset.model._meta.get_field(name) for name in self._returning]
        if fields:
            told, _ = compiler.connection.ops.return_insert_columns(fields)
            sql = f"{sql} {told}"
        converters = compiler.get_converters(
            [field.get_col(queryset.model._meta.db_table) for field in fields]
        )

        converted = _converted(compiler, converters)

        def read(rows: Rows) -> list[Any]:
            return [tuple(row) for row in converted(rows)]

        return _as_written(compiler.connection, sql, parameters, read)


class RemovedOnce(AskedOnce[Any]):
    """A deletion of the rows of such a query, and of nothing else."""

    def __call__(self, **values: Any) -> Any:
        written, connection = self._written()
        written.carried_out(values, connection).close()

    def _write(self, queryset: Any) -> _Written:
        query = queryset.query.chain(DeleteQuery)
        compiler: Any = query.get_compiler(connection=connections[queryset.db])
        sql, parameters = compiler.as_sql()
        return _as_written(compiler.connection, sql, parameters, list)


class AskedBy(Generic[Found]):
    """A query about some rows by keys in one field. Where that is one key, as it is for whoever
    looks at a page while people work, the statement is written once."""

    _once: type[AskedOnce[Any]] = AskedOnce

    def __init__(
        self, field: str, build: Callable[..., QuerySet[Any, Found]], **given: "Field[Any, Any]"
    ) -> None:
        self._build, self._field = build, field
        self._of_one = self._once(
            lambda key, **of: build(Q((field, key)), **of), key=BigAutoField(), **given
        )

    def __call__(self, keys: Collection[int], **values: Any) -> Iterable[Found]:
        if len(keys) == 1:
            return self._of_one(key=next(iter(keys)), **values)
        return self._of(keys, values)

    def _of(self, keys: Collection[int], values: dict[str, Any]) -> QuerySet[Any, Found]:
        return self._build(Q((f"{self._field}__in", list(keys))), **values)


class RemovedBy(AskedBy[Any]):
    """A deletion of rows by keys in one field, likewise."""

    _once = RemovedOnce

    def __call__(self, keys: Collection[int], **values: Any) -> Any:
        if len(keys) == 1:
            return super().__call__(keys, **values)
        return self._of(keys, values).delete()


class AddedOnce(Generic[Row]):
    """A row that is added; `unless_there` says that one may be there already with which it shares
    a unique key."""

    def __init__(self, model: type[Row], *, unless_there: bool = False) -> None:
        self._model = model
        self._on_conflict = OnConflict.IGNORE if unless_there else None
        self._kept: Any = None

    def __call__(self, row: Row) -> bool:
        """Whether it was added; then it has its key."""
        compiler, sql, fields, connection = self._written(row)
        values = [one.get_db_prep_save(one.pre_save(row, add=True), connection) for one in fields]
        with written_cursor(connection) as cursor:
            cursor.execute(sql, values)
            found = cursor.fetchone()
        if found is None:
            return False
        row.pk = found[0]
        row._state.adding, row._state.db = False, compiler.using
        return True

    def _written(self, row: Row) -> Any:
        kept = self._kept
        alias = self._model._base_manager.db if kept is None else kept[0].using
        connection = connections[alias]
        if kept is None or kept[0].connection.vendor != connection.vendor:
            fields = [one for one in self._model._meta.concrete_fields if not one.primary_key]
            query: Any = InsertQuery(self._model, on_conflict=self._on_conflict)
            query.insert_values(fields, [row])
            compiler = query.get_compiler(using=alias)
            compiler.returning_fields = [self._model._meta.pk]
            [(sql, _)] = compiler.as_sql()
            kept = self._kept = compiler, sql, fields
        return *kept, connection


class _SplitOnce(PostgresQuery):
    """Where the values of a statement stand, looked for once: psycopg does so each time where one
    is long."""

    def convert(self, query: Any, vars: Any) -> None:
        written = self._ensure_bytes(query), self._tx.encoding
        self.query, self._want_formats, self._order, self._parts = _query2pg(*written)
        self.dump(vars)


class _Preparing(ServerBindingCursor):
    _query_cls = _SplitOnce

    def execute(self, query: Any, params: Any = None) -> Any:
        return super().execute(query, params, prepare=True)  # type: ignore[misc]

    def _send_query_prepared(self, name: bytes, pgq: Any, **more: Any) -> None:
        self._query = pgq  # Django tells it where queries are listed
        super()._send_query_prepared(name, pgq, **more)  # type: ignore[misc]


class _MarkedOnce(SQLiteCursorWrapper):
    """Where the values of a statement stand, looked for once."""

    def convert_query(self, query: str, *, param_names: Any = None) -> str:
        return _with_marks(query)


@lru_cache(maxsize=1_000)
def _with_marks(query: str) -> str:
    return FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")


def written_cursor(connection: Any, values: int = 0) -> CursorWrapper:
    """What carries a statement out that is asked in the same words again and again. One that has
    more than a few `values` is not: PostgreSQL would prepare, and keep, each length of it."""
    if connection.connection is None:
        connection.ensure_connection()
    found: CursorWrapper
    if values > MOST_VALUES:
        found = connection.cursor()
        return found
    if connection.vendor != "postgresql":
        found = connection._prepare_cursor(connection.connection.cursor(factory=_MarkedOnce))
        return found
    usual = connection.connection.cursor_factory
    connection.connection.cursor_factory = _Preparing
    try:
        found = connection.cursor()
        return found
    finally:
        connection.connection.cursor_factory = usual
