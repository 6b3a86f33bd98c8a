"""The database notes what is to be counted again, whoever writes and however: for SQLite and
PostgreSQL.

On PostgreSQL what is added or deleted is noted once for all rows of a statement; on SQLite row by
row, and not where it is noted already.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_OF_UNIT = (
    "SELECT r.study_id, r.id FROM {rows} JOIN annotate_unit u ON u.id = n.unit_id "
    "JOIN annotate_response r ON r.id = u.response_id"
)
_OF_RESPONSE = (
    "SELECT r.study_id, r.id FROM {rows} JOIN annotate_response r ON r.id = n.response_id"
)
_OF_ITEM = (
    "SELECT r.study_id, r.id FROM {rows} JOIN annotate_batchitem i ON i.id = n.item_id "
    "JOIN annotate_response r ON r.id = i.response_id"
)
_OF_JUDGE = (
    "SELECT r.study_id, r.id FROM {rows} JOIN annotate_judgment j ON j.judge_id = n.id "
    "JOIN annotate_unit u ON u.id = j.unit_id JOIN annotate_response r ON r.id = u.response_id "
    "UNION SELECT r.study_id, r.id FROM {rows} JOIN annotate_assignment a ON a.judge_id = n.id "
    "JOIN annotate_batchitem i ON i.id = a.item_id "
    "JOIN annotate_response r ON r.id = i.response_id "
    "UNION SELECT r.study_id, r.id FROM {rows} JOIN annotate_flag f ON f.judge_id = n.id "
    "JOIN annotate_unit u ON u.id = f.unit_id JOIN annotate_response r ON r.id = u.response_id"
)
_OF_UPLOAD = (
    "SELECT r.study_id, r.id FROM {rows} JOIN annotate_response o ON o.upload_id = n.id "
    "JOIN annotate_response r ON r.question_id = o.question_id "
    "UNION SELECT r.study_id, r.id FROM {rows} JOIN annotate_judgment j ON j.upload_id = n.id "
    "JOIN annotate_unit u ON u.id = j.unit_id JOIN annotate_response r ON r.id = u.response_id"
)
_OF_BATCH = (
    "SELECT r.study_id, r.id FROM {rows} JOIN annotate_batchitem i ON i.batch_id = n.id "
    "JOIN annotate_response r ON r.id = i.response_id"
)
_OF_QUESTION = (
    "SELECT r.study_id, r.id FROM {rows} JOIN annotate_response r ON r.question_id = n.question_id "
    "UNION SELECT n.study_id, n.id FROM {rows}"
)
"""Which response of a question is the first one tells how many questions there are."""


@dataclass(frozen=True, slots=True)
class _Noted:
    """Rows whose changes are noted: of which responses, and what of a row changes a count."""

    table: str
    responses: str
    """In SQL about the rows `n`."""

    columns: tuple[str, ...]
    is_made: bool = True
    """Whether a row that is added or deleted is noted, too."""

    @property
    def name(self) -> str:
        return f"counted_{self.table.removeprefix('annotate_')}"


NOTED = (
    _Noted(
        "annotate_judgment",
        _OF_UNIT,
        ("judge_id", "unit_id", "dimension", "value", "skipped_reason", "seconds", "created_at",
         "unfinished", "upload_id"),
    ),
    _Noted("annotate_unit", _OF_RESPONSE, ("retired_at", "source_id")),
    _Noted("annotate_response", _OF_QUESTION, ("live", "upload_id")),
    _Noted("annotate_batchitem", _OF_RESPONSE, ("is_gold",)),
    _Noted("annotate_assignment", _OF_ITEM, ("state", "judge_id")),
    _Noted("annotate_flag", _OF_UNIT, ("withdrawn_at", "reason")),
    _Noted("annotate_upload", _OF_UPLOAD, ("published_at",), is_made=False),
    _Noted("annotate_judge", _OF_JUDGE, ("standing", "kind"), is_made=False),
    _Noted(
        "annotate_batch", _OF_BATCH, ("dimensions", "granularity", "gold_id", "gold_percent"),
        is_made=False,
    ),
)  # fmt: skip

INTO = "INSERT INTO annotate_changed (study_id, response_id)"

_NOT_NOTED = (
    "NOT EXISTS (SELECT 1 FROM annotate_changed c JOIN annotate_response r "
    "ON r.id = c.response_id AND r.study_id = c.study_id WHERE c.response_id = {row}.response_id)"
)
"""Asked before all else where a row says its response itself: most units come with many others."""


def _sqlite() -> Iterator[str]:
    for one in NOTED:
        for event, row in (("INSERT", "NEW"), ("DELETE", "OLD"), ("UPDATE", "NEW")):
            if event != "UPDATE" and not one.is_made:
                continue
            fields = ("id", "unit_id", "response_id", "item_id", "question_id", "study_id")
            names = _own(one, fields)
            own = ", ".join(f"{row}.{name} AS {name}" for name in names)
            found = one.responses.replace("{rows}", f"(SELECT {own}) n")
            changed = " OR ".join(f"OLD.{name} IS NOT NEW.{name}" for name in one.columns)
            of = f" OF {', '.join(one.columns)}" if event == "UPDATE" else ""
            conditions = [f"({changed})"] if event == "UPDATE" else []
            if names == ["response_id"]:
                conditions.append(_NOT_NOTED.format(row=row))
            when = f"WHEN {' AND '.join(conditions)}" if conditions else ""
            yield f"""CREATE TRIGGER {one.name}_{event.lower()}
                AFTER {event}{of} ON {one.table} {when}
                BEGIN {INTO} SELECT s.* FROM ({found}) s WHERE NOT EXISTS (
                    SELECT 1 FROM annotate_changed c
                    WHERE c.response_id = s.id AND c.study_id = s.study_id
                ); END"""  # noqa: S608 (own names)


def _own(one: _Noted, fields: tuple[str, ...]) -> list[str]:
    """The columns that tell which responses a row is about."""
    return [name for name in fields if f"n.{name}" in one.responses]


def _postgresql() -> Iterator[str]:
    for one in NOTED:
        if one.is_made:
            for event, rows in (("INSERT", "NEW"), ("DELETE", "OLD")):
                yield from _of_statement(one, event, f"REFERENCING {rows} TABLE AS them")
        if one.table == "annotate_judgment":  # a finished task changes all of its answers
            yield from _of_statement(one, "UPDATE", "REFERENCING NEW TABLE AS them")
            continue
        found = one.responses.replace("{rows}", "(SELECT NEW.*) n")
        changed = " OR ".join(f"OLD.{name} IS DISTINCT FROM NEW.{name}" for name in one.columns)
        name = f"{one.name}_update"
        yield _function(name, found)
        yield f"""CREATE TRIGGER {name} AFTER UPDATE OF {", ".join(one.columns)} ON {one.table}
            FOR EACH ROW WHEN ({changed}) EXECUTE FUNCTION {name}()"""


def _of_statement(one: _Noted, event: str, rows: str) -> Iterator[str]:
    name = f"{one.name}_{event.lower()}"
    yield _function(name, one.responses.replace("{rows}", "them n"))
    yield f"""CREATE TRIGGER {name} AFTER {event} ON {one.table} {rows}
        FOR EACH STATEMENT EXECUTE FUNCTION {name}()"""


def _function(name: str, found: str) -> str:
    return f"""CREATE FUNCTION {name}() RETURNS trigger AS $$
        BEGIN
            {INTO} SELECT DISTINCT s.* FROM ({found}) s;
            RETURN NULL;
        END $$ LANGUAGE plpgsql"""  # noqa: S608 (own names)


def make_noting(schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the triggers and create them again."""
    drop_noting(schema_editor)
    make = _postgresql if schema_editor.connection.vendor == "postgresql" else _sqlite
    for statement in make():
        schema_editor.execute(statement)


def drop_noting(schema_editor: BaseDatabaseSchemaEditor) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    for one in NOTED:
        for event in ("insert", "delete", "update"):
            name = f"{one.name}_{event}"
            what = f"FUNCTION IF EXISTS {name}() CASCADE"
            schema_editor.execute(f"DROP {what if on_postgresql else f'TRIGGER IF EXISTS {name}'}")
