"""The trigram index for searching texts, which also finds a word within another in any script.

SQLite uses FTS5, PostgreSQL the extension pg_trgm (decisions/0030). Without these, searches read
the texts themselves.
"""

from django.db import DatabaseError, connection, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

LEAST = 3
"""The index does not find shorter words."""

INDEX = "annotate_searched_index"
_TEXTS = "annotate_searchedtext"

_SQLITE = (
    f"CREATE VIRTUAL TABLE {INDEX} USING fts5(text, content='{_TEXTS}', "
    "content_rowid='response_id', tokenize='trigram', detail=none)",
    f"CREATE TRIGGER {INDEX}_insert AFTER INSERT ON {_TEXTS} BEGIN "  # noqa: S608 (own names)
    f"INSERT INTO {INDEX} (rowid, text) VALUES (NEW.response_id, NEW.text); END",
    f"CREATE TRIGGER {INDEX}_delete AFTER DELETE ON {_TEXTS} BEGIN "  # noqa: S608 (own names)
    f"INSERT INTO {INDEX} ({INDEX}, rowid, text) "
    "VALUES ('delete', OLD.response_id, OLD.text); END",
)
_POSTGRESQL = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    f"CREATE INDEX {INDEX} ON {_TEXTS} USING gin (text gin_trgm_ops)",
)


def make_index(schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Create the index, if the database supports it. There must be no texts yet."""
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    try:
        with transaction.atomic(schema_editor.connection.alias):
            for statement in _POSTGRESQL if on_postgresql else _SQLITE:
                schema_editor.execute(statement)
    except DatabaseError:  # no such module, or no right to it
        return


def drop_index(schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Drop SQLite's index. Its triggers and PostgreSQL's index are dropped with their table."""
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"DROP TABLE IF EXISTS {INDEX}")


def found_by_index(study_id: int, words: list[str], limit: int) -> list[int] | None:
    """Return ids of responses that have all these words, up to a limit; None without an index.

    Reading stops at the limit. The texts of matches are compared.
    """
    threes = {word[at : at + LEAST] for word in words for at in range(len(word) - LEAST + 1)}
    wanted = " AND ".join('"' + three.replace('"', '""') + '"' for three in sorted(threes))
    globs = [f"*{''.join(f'[{c}]' if c in '*?[' else c for c in word)}*" for word in words]
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM sqlite_master WHERE name = %s", [INDEX])
        if cursor.fetchone() is None:
            return None
        cursor.execute(
            f"SELECT i.rowid FROM {INDEX} i CROSS JOIN {_TEXTS} t "  # noqa: S608 (own names)
            f"ON t.response_id = i.rowid WHERE {INDEX} MATCH %s AND t.study_id = %s "
            f"AND i.rowid BETWEEN (SELECT min(response_id) FROM {_TEXTS} WHERE study_id = %s) "
            f"AND (SELECT max(response_id) FROM {_TEXTS} WHERE study_id = %s) "
            f"AND {' AND '.join(['t.text GLOB %s'] * len(globs))} LIMIT %s",
            [wanted, study_id, study_id, study_id, *globs, limit],
        )
        return [key for (key,) in cursor.fetchall()]
