"""Database triggers that protect answers, wordings and the audit log, for both databases."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

UNFIT = "judgment_fits_its_wording"
UNCHANGEABLE = "pastjudgment_is_append_only"
WORDED = "wording_is_append_only"


@dataclass(frozen=True, slots=True)
class _Fit:
    """A condition on rows that belong to a wording.

    A judgment's wording is the one it names, or the first of a shipped dimension. Other rows may
    belong to any wording of their study.
    """

    name: str
    table: str
    columns: tuple[str, ...]
    wanted: str
    """The condition on its wording `w` and the row `NEW`, in SQL."""

    @property
    def select(self) -> str:
        return f"SELECT 1 FROM annotate_wording w WHERE {self.wanted}"  # noqa: S608 (own names)


_OF_JUDGE = (
    "(w.study_id IS NULL OR w.study_id = (SELECT study_id FROM annotate_judge "
    "WHERE id = NEW.judge_id))"
)


@dataclass(frozen=True, slots=True)
class _Dialect:
    """The parts of SQL that differ between databases."""

    has: str
    """The function that returns the position of a text in another."""

    is_number: str
    parts: str
    """The parts of an answer between `|`, as `p.value`."""

    is_place: str
    """Whether a part begins like a span."""

    real: str

    @property
    def fits_value(self) -> str:
        """Whether a row's value is an answer to its wording `w` (`protocol/answers.py`)."""

        def known(text: str) -> str:
            return f"{self.has}(w.\"values\", '|' || {text} || '|') > 0"

        def every(wanted: str) -> str:
            return (
                f"(NEW.value = '-' OR NOT EXISTS (SELECT 1 FROM {self.parts} "  # noqa: S608
                f"WHERE p.value = '' OR NOT ({wanted})))"
            )

        label = f"substr(p.value, {self.has}(p.value, ':') + 1)"
        return (
            "CASE w.answer "
            f"WHEN 'choice' THEN {known('NEW.value')} AND {self.has}(NEW.value, '|') = 0 "
            f"WHEN 'number' THEN CASE WHEN {self.is_number} "
            f"THEN CAST(NEW.value AS {self.real}) BETWEEN w.low AND w.high ELSE 1 = 0 END "
            f"WHEN 'several' THEN {every(known('p.value'))} "
            f"WHEN 'spans' THEN {every(f'{self.is_place} AND {known(label)}')} "
            "ELSE w.answer = 'text' END"
        )


_OF_SQLITE = _Dialect(
    has="instr",
    is_number=(
        "(NEW.value NOT GLOB '*[^0-9.-]*' AND NEW.value NOT GLOB '?*-*' "
        "AND NEW.value NOT GLOB '*.*.*' AND NEW.value GLOB '*[0-9]')"
    ),
    # `json_quote` leaves `|` as it is, so the result is JSON for any value.
    parts="json_each('[' || replace(json_quote(NEW.value), '|', '\",\"') || ']') p",
    is_place=("(p.value GLOB '[0-9]*-[0-9]*:*' OR p.value GLOB 'p[1-9]*@[0-9]*-[0-9]*:*')"),
    real="REAL",
)
_OF_POSTGRESQL = _Dialect(
    has="strpos",
    is_number="NEW.value ~ '^-?[0-9]+(\\.[0-9]+)?$'",
    parts="unnest(string_to_array(NEW.value, '|')) AS p(value)",
    is_place="p.value ~ '^(p[1-9][0-9]*@)?[0-9]+-[0-9]+:'",
    real="double precision",
)


def _fits(dialect: _Dialect) -> Iterator[_Fit]:
    fits_value = dialect.fits_value
    of_answer = (
        "CASE NEW.wording WHEN '' THEN NEW.dimension || ':1' ELSE NEW.wording END",
        "w.dimension = NEW.dimension",
        "w.unit_kind = (SELECT kind FROM annotate_unit WHERE id = NEW.unit_id)",
        f"(NEW.value = '' OR ({fits_value}))",
        _OF_JUDGE,
    )
    yield _Fit(
        UNFIT,
        "annotate_judgment",
        ("judge_id", "unit_id", "dimension", "value", "wording"),
        f"w.id = {' AND '.join(of_answer)}",
    )
    yield _Fit(
        "evidence_dimension_known",
        "annotate_evidence",
        ("dimension", "judge_id"),
        f"w.dimension = NEW.dimension AND {_OF_JUDGE}",
    )
    yield _Fit(
        "example_value_fits_dimension",
        "annotate_example",
        ("dimension", "value", "study_id"),
        f"w.dimension = NEW.dimension AND {fits_value} "
        "AND (w.study_id IS NULL OR w.study_id = NEW.study_id)",
    )


def _sqlite(past: str) -> Iterator[str]:
    for fit in _fits(_OF_SQLITE):
        for event in ("INSERT", f"UPDATE OF {', '.join(fit.columns)}"):
            yield f"""CREATE TRIGGER {fit.name}_{event.split()[0].lower()}
                BEFORE {event} ON {fit.table} WHEN NOT EXISTS ({fit.select})
                BEGIN SELECT RAISE(ABORT, '{fit.name}'); END"""
    for name, table, of in _fixed(past):
        yield f"""CREATE TRIGGER {name} BEFORE UPDATE OF {of} ON {table}
            BEGIN SELECT RAISE(ABORT, '{name}'); END"""


def _postgresql(past: str) -> Iterator[str]:
    for fit in _fits(_OF_POSTGRESQL):
        raised = f"RAISE EXCEPTION '{fit.name}' USING ERRCODE = 'check_violation'"
        added = fit.select.replace("NEW.", "a.")
        # Inserted rows are checked once per statement, because loads are large.
        yield f"""CREATE FUNCTION {fit.name}_added() RETURNS trigger AS $$
            BEGIN
                IF EXISTS (SELECT 1 FROM added a WHERE NOT EXISTS ({added})) THEN
                    {raised};
                END IF;
                RETURN NULL;
            END $$ LANGUAGE plpgsql"""  # noqa: S608 (own names)
        yield f"""CREATE TRIGGER {fit.name}_added AFTER INSERT ON {fit.table}
            REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION {fit.name}_added()"""
        yield f"""CREATE FUNCTION {fit.name}() RETURNS trigger AS $$
            BEGIN
                IF NOT EXISTS ({fit.select}) THEN
                    {raised};
                END IF;
                RETURN NEW;
            END $$ LANGUAGE plpgsql"""
        yield f"""CREATE TRIGGER {fit.name} BEFORE UPDATE OF {", ".join(fit.columns)}
            ON {fit.table} FOR EACH ROW EXECUTE FUNCTION {fit.name}()"""
    for name, table, of in _fixed(past):
        yield f"""CREATE FUNCTION {name}() RETURNS trigger AS $$
            BEGIN
                RAISE EXCEPTION '{name}' USING ERRCODE = 'check_violation';
            END $$ LANGUAGE plpgsql"""
        yield f"""CREATE TRIGGER {name} BEFORE UPDATE OF {of}
            ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()"""


def _fixed(past: str) -> Iterator[tuple[str, str, str]]:
    """Yield the triggers against updates, with their tables and columns."""
    yield UNCHANGEABLE, "annotate_pastjudgment", past
    yield (
        WORDED,
        "annotate_wording",
        'dimension, version, unit_kind, "values", answer, low, high, definition, study_id',
    )


NAMES = (UNFIT, "evidence_dimension_known", "example_value_fits_dimension", UNCHANGEABLE, WORDED)


def _past_columns(schema_editor: BaseDatabaseSchemaEditor) -> str:
    """Return all columns of a past answer except the person's name, which leaving replaces."""
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, "annotate_pastjudgment")
    return ", ".join(f'"{column.name}"' for column in columns if column.name != "given_by")


def make_triggers(schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the triggers and create them again."""
    drop_triggers(schema_editor)
    make = _postgresql if schema_editor.connection.vendor == "postgresql" else _sqlite
    for statement in make(_past_columns(schema_editor)):
        schema_editor.execute(statement)


def drop_triggers(schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for name in NAMES:
            for end in ("", "_added"):
                schema_editor.execute(f"DROP FUNCTION IF EXISTS {name}{end}() CASCADE")
        return
    for name in NAMES:
        for end in ("", "_insert", "_update"):
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}{end}")


# The audit log -------------------------------------------------------------------

ENTRIES = "annotate_auditentry"
ENTRY_UNCHANGEABLE = "auditentry_is_append_only"
_WRITTEN = (
    "at", "act", "user_id", "via", "token_id", "study_id", "kind", "object_id", "about", "details",
    "request_id", "place",
)  # fmt: skip


def make_audit_triggers(schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Refuse updates of entries, except adding one to the chain and blanking its address.

    PostgreSQL also refuses to delete entries. SQLite does not, because tests must clean up; there
    only the chain reveals deletions.
    """
    drop_audit_triggers(schema_editor)
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    same = "IS NOT DISTINCT FROM" if on_postgresql else "IS"
    allowed = " AND ".join(
        (
            *(f"NEW.{name} {same} OLD.{name}" for name in _WRITTEN),
            f"(OLD.number IS NULL OR (NEW.number {same} OLD.number AND NEW.hash = OLD.hash))",
            "(NEW.address = OLD.address OR NEW.address = '')",
            "(NEW.salt = OLD.salt OR NEW.salt = '')",
        )
    )
    if not on_postgresql:
        schema_editor.execute(
            f"""CREATE TRIGGER {ENTRY_UNCHANGEABLE} BEFORE UPDATE ON {ENTRIES}
                WHEN NOT ({allowed}) BEGIN SELECT RAISE(ABORT, '{ENTRY_UNCHANGEABLE}'); END"""
        )
        return
    schema_editor.execute(
        f"""CREATE FUNCTION {ENTRY_UNCHANGEABLE}() RETURNS trigger AS $$
            BEGIN
                IF TG_OP = 'UPDATE' AND {allowed} THEN RETURN NEW; END IF;
                RAISE EXCEPTION '{ENTRY_UNCHANGEABLE}' USING ERRCODE = 'check_violation';
            END $$ LANGUAGE plpgsql"""
    )
    schema_editor.execute(
        f"""CREATE TRIGGER {ENTRY_UNCHANGEABLE} BEFORE UPDATE OR DELETE ON {ENTRIES}
            FOR EACH ROW EXECUTE FUNCTION {ENTRY_UNCHANGEABLE}()"""
    )


def drop_audit_triggers(schema_editor: BaseDatabaseSchemaEditor) -> None:
    what = (
        f"FUNCTION IF EXISTS {ENTRY_UNCHANGEABLE}() CASCADE"
        if schema_editor.connection.vendor == "postgresql"
        else f"TRIGGER IF EXISTS {ENTRY_UNCHANGEABLE}"
    )
    schema_editor.execute(f"DROP {what}")
