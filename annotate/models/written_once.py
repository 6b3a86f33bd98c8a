"""Statements whose SQL is written once in a process, for what every request of a rater asks.

Writing a statement takes Django longer than a database needs to carry it out. What differs from one
request to the next stands in it as a `Given`, and is put in its place. PostgreSQL plans it once for
each connection, where that lets statements be prepared.
"""

from collections.abc import Callable, Collection
from threading import local
from typing import Any, Generic, TypeVar

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.base import ServerBindingCursor
from django.db.backends.utils import CursorWrapper
from django.db.models import Expression, Field, QuerySet
from django.db.models.sql import UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

Found = TypeVar("Found")

BITS = 64
"""Of the largest numbers that databases compare."""


class Given(Expression):
    """What is told when a statement is carried out, by name."""

    def __init__(self, name: str, output_field: "Field[Any, Any]") -> None:
        super().__init__(output_field=output_field)
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> Any:
        return "%s", [self]

    def get_group_by_cols(self) -> Any:
        return []


class AskedOnce(Generic[Found]):
    """A query: `build` makes it of the values that `given` names, with the fields they are like."""

    def __init__(
        self, build: Callable[..., QuerySet[Any, Found]], **given: "Field[Any, Any]"
    ) -> None:
        self._build = build
        self._given = {name: Given(name, field) for name, field in given.items()}
        self._here = local()

    def __call__(self, **values: Any) -> list[Found]:
        """What is found for these values; nothing is, where no database knows such a number."""
        if any(isinstance(value, int) and value.bit_length() >= BITS for value in values.values()):
            return []
        queryset, compiler, cursor = self._carried_out(values)
        with cursor:
            rows = [cursor.fetchall()]
        compiler.execute_sql = lambda *_, **__: [rows.pop()]
        found: list[Found] = list(queryset._iterable_class(queryset))
        return found

    def first(self, **values: Any) -> Found | None:
        """The first that is found."""
        return next(iter(self(**values)), None)

    def _carried_out(self, values: dict[str, Any]) -> tuple[Any, Any, CursorWrapper]:
        kept = getattr(self._here, "kept", None)
        if kept is None or kept[1].connection is not connections[kept[0].db]:
            queryset = self._build(**self._given)
            compiler = self._compiler(queryset)
            kept = self._here.kept = queryset, compiler, *compiler.as_sql()
            self._settle(queryset, compiler)
        queryset, compiler, sql, parameters = kept
        cursor = _cursor(compiler.connection)
        cursor.execute(sql, [self._filled(one, values, compiler.connection) for one in parameters])
        return queryset, compiler, cursor

    @staticmethod
    def _filled(one: Any, values: dict[str, Any], connection: BaseDatabaseWrapper) -> Any:
        if not isinstance(one, Given):
            return one
        return one.output_field.get_db_prep_value(values[one.name], connection)

    def _compiler(self, queryset: QuerySet[Any, Found]) -> Any:
        return queryset.query.get_compiler(connection=connections[queryset.db])

    def _settle(self, queryset: Any, compiler: Any) -> None:
        """What Django would look for again with each query."""
        converters = compiler.get_converters([column for column, *_ in compiler.select])
        compiler.get_converters = lambda _: converters
        queryset.query.get_compiler = lambda *_, **__: compiler


class ChangedOnce(AskedOnce[Any]):
    """A change: rows of such a query take the values of `changed` in the fields of that name."""

    def __init__(
        self,
        build: Callable[..., QuerySet[Any, Any]],
        changed: Collection[str],
        **given: "Field[Any, Any]",
    ) -> None:
        super().__init__(
            lambda **of: build(**{name: of[name] for name in of if name not in changed}), **given
        )
        self._changed = changed

    def __call__(self, **values: Any) -> int:  # type: ignore[override]
        """How many rows were changed."""
        *_, cursor = self._carried_out(values)
        with cursor:
            return int(cursor.rowcount)

    def _compiler(self, queryset: QuerySet[Any, Any]) -> Any:
        query: Any = queryset.query.chain(UpdateQuery)
        query.add_update_values({name: self._given[name] for name in self._changed})
        return query.get_compiler(connection=connections[queryset.db])

    def _settle(self, queryset: Any, compiler: Any) -> None:
        pass


class _Preparing(ServerBindingCursor):
    def execute(self, query: Any, params: Any = None) -> Any:
        return super().execute(query, params, prepare=True)  # type: ignore[misc]

    def _send_query_prepared(self, name: bytes, pgq: Any, **more: Any) -> None:
        self._query = pgq  # Django tells it where queries are listed
        super()._send_query_prepared(name, pgq, **more)  # type: ignore[misc]


def _cursor(connection: BaseDatabaseWrapper) -> CursorWrapper:
    if connection.vendor != "postgresql":
        return connection.cursor()
    connection.ensure_connection()
    usual = connection.connection.cursor_factory
    connection.connection.cursor_factory = _Preparing
    try:
        return connection.cursor()
    finally:
        connection.connection.cursor_factory = usual
