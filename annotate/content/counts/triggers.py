"""Database triggers that record which responses have changed, for SQLite and PostgreSQL.

PostgreSQL records added and deleted rows once per statement, because files are loaded by large
statements. SQLite has triggers per row only; they skip a response that is recorded already.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_BY_RESPONSE = (
    "SELECT r.study_id, r.id FROM {rows} JOIN annotate_response r ON r.id = n.response_id"
)
_BY_UNIT = (
    "SELECT r.study_id, r.id FROM {rows} JOIN annotate_unit u ON u.id = n.unit_id "
    "JOIN annotate_response r ON r.id = u.response_id"
)
_BY_ITEM = (
    "SELECT r.study_id, r.id FROM {rows} JOIN annotate_batchitem i ON i.id = n.item_id "
    "JOIN annotate_response r ON r.id = i.response_id"
)
_OF_BATCH = (
    "SELECT r.study_id, r.id FROM {rows} JOIN annotate_batchitem i ON i.batch_id = n.id "
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
_SAME_QUESTION = (
    "SELECT r.study_id, r.id FROM {rows} JOIN annotate_response r ON r.question_id = n.question_id "
    "UNION SELECT n.study_id, n.id FROM {rows}"
)
"""A question is counted with its first response, so a change of one response affects them all."""


@dataclass(frozen=True, slots=True)
class _Watched:
    """A table whose changes are recorded."""

    table: str
    responses: str
    """SQL that selects the ids of study and response for the rows `n`."""

    keys: tuple[str, ...]
    """The columns of `n` that the SQL reads."""

    columns: tuple[str, ...]
    """The columns whose updates are recorded."""

    updates_only: bool = False
    """Whether to ignore added and deleted rows, because no counted row refers to them."""

    @property
    def name(self) -> str:
        return f"counted_{self.table.removeprefix('annotate_')}"


WATCHED = (
    _Watched(
        "annotate_judgment", _BY_UNIT, ("unit_id",),
        ("judge_id", "unit_id", "dimension", "value", "skipped_reason", "seconds", "created_at",
         "unfinished", "upload_id"),
    ),
    _Watched("annotate_unit", _BY_RESPONSE, ("response_id",), ("retired_at", "source_id")),
    _Watched(
        "annotate_response", _SAME_QUESTION, ("id", "question_id", "study_id"),
        ("live", "upload_id"),
    ),
    _Watched("annotate_batchitem", _BY_RESPONSE, ("response_id",), ("is_gold",)),
    _Watched("annotate_assignment", _BY_ITEM, ("item_id",), ("state", "judge_id")),
    _Watched("annotate_flag", _BY_UNIT, ("unit_id",), ("withdrawn_at", "reason")),
    _Watched("annotate_upload", _OF_UPLOAD, ("id",), ("published_at",), updates_only=True),
    _Watched("annotate_judge", _OF_JUDGE, ("id",), ("standing", "kind"), updates_only=True),
    _Watched(
        "annotate_batch", _OF_BATCH, ("id",),
        ("dimensions", "granularity", "gold_id", "gold_percent"), updates_only=True,
    ),
)  # fmt: skip

_INSERT = "INSERT INTO annotate_changed (study_id, response_id)"

_IS_NEW = (
    "NOT EXISTS (SELECT 1 FROM annotate_changed c JOIN annotate_response r "
    "ON r.id = c.response_id AND r.study_id = c.study_id WHERE c.response_id = {row}.response_id)"
)
"""Whether a row's response is not recorded yet. The check makes loading units a third faster."""


def _sqlite(one: _Watched) -> Iterator[str]:
    events = [f"UPDATE OF {', '.join(one.columns)}"]
    if not one.updates_only:
        events += ["INSERT", "DELETE"]
    for event in events:
        kind = event.split()[0]
        row = "OLD" if kind == "DELETE" else "NEW"
        keys = ", ".join(f"{row}.{name} AS {name}" for name in one.keys)
        responses = one.responses.replace("{rows}", f"(SELECT {keys}) n")
        conditions = []
        if kind == "UPDATE":
            changed = " OR ".join(f"OLD.{name} IS NOT NEW.{name}" for name in one.columns)
            conditions.append(f"({changed})")
        if one.keys == ("response_id",):
            conditions.append(_IS_NEW.format(row=row))
        yield f"""CREATE TRIGGER {one.name}_{kind.lower()} AFTER {event} ON {one.table}
            {f"WHEN {' AND '.join(conditions)}" if conditions else ""}
            BEGIN {_INSERT} SELECT s.* FROM ({responses}) s WHERE NOT EXISTS (
                SELECT 1 FROM annotate_changed c
                WHERE c.response_id = s.id AND c.study_id = s.study_id
            ); END"""  # noqa: S608 (own names)


def _postgresql(one: _Watched) -> Iterator[str]:
    per_statement = {} if one.updates_only else {"INSERT": "NEW", "DELETE": "OLD"}
    if one.table == "annotate_judgment":  # finishing a task updates all its answers
        per_statement["UPDATE"] = "NEW"
    for event, rows in per_statement.items():
        name = f"{one.name}_{event.lower()}"
        yield _function(name, one.responses.replace("{rows}", "changed_rows n"))
        yield f"""CREATE TRIGGER {name} AFTER {event} ON {one.table}
            REFERENCING {rows} TABLE AS changed_rows
            FOR EACH STATEMENT EXECUTE FUNCTION {name}()"""
    if "UPDATE" not in per_statement:
        name = f"{one.name}_update"
        changed = " OR ".join(f"OLD.{name} IS DISTINCT FROM NEW.{name}" for name in one.columns)
        yield _function(name, one.responses.replace("{rows}", "(SELECT NEW.*) n"))
        yield f"""CREATE TRIGGER {name} AFTER UPDATE OF {", ".join(one.columns)} ON {one.table}
            FOR EACH ROW WHEN ({changed}) EXECUTE FUNCTION {name}()"""


def _function(name: str, responses: str) -> str:
    return f"""CREATE FUNCTION {name}() RETURNS trigger AS $$
        BEGIN
            {_INSERT} SELECT DISTINCT s.* FROM ({responses}) s;
            RETURN NULL;
        END $$ LANGUAGE plpgsql"""  # noqa: S608 (own names)


def create_triggers(schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the triggers and create them again."""
    drop_triggers(schema_editor)
    statements = _postgresql if schema_editor.connection.vendor == "postgresql" else _sqlite
    for one in WATCHED:
        for statement in statements(one):
            schema_editor.execute(statement)


def drop_triggers(schema_editor: BaseDatabaseSchemaEditor) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    for one in WATCHED:
        for event in ("insert", "delete", "update"):
            name = f"{one.name}_{event}"
            what = f"FUNCTION IF EXISTS {name}() CASCADE"
            schema_editor.execute(f"DROP {what if on_postgresql else f'TRIGGER IF EXISTS {name}'}")
