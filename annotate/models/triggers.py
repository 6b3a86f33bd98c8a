"""The database's own guard over judgments, for SQLite and PostgreSQL (see migrations/0002)."""

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from annotate.protocol.dimensions import DIMENSIONS

WRONG_KIND = "judgment_dimension_fits_unit_kind"
UNCHANGEABLE = "pastjudgment_is_append_only"


def _kind_of_dimension() -> str:
    cases = " ".join(
        f"WHEN '{key}' THEN '{dimension.unit_kind}'" for key, dimension in DIMENSIONS.items()
    )
    return f"(CASE NEW.dimension {cases} END)"


def _past_columns(schema_editor: BaseDatabaseSchemaEditor) -> str:
    """All of a past answer but the name of the person, which is replaced when they leave."""
    with schema_editor.connection.cursor() as cursor:
        table = schema_editor.connection.introspection.get_table_description(
            cursor, "annotate_pastjudgment"
        )
    return ", ".join(f'"{column.name}"' for column in table if column.name != "given_by")


def _sqlite(past: str) -> list[str]:
    wrong = "(SELECT kind FROM annotate_unit WHERE id = NEW.unit_id) IS NOT " + _kind_of_dimension()  # noqa: S608 (own names)
    return [
        f"""CREATE TRIGGER {WRONG_KIND}_{event.split()[0].lower()}
            BEFORE {event} ON annotate_judgment WHEN {wrong}
            BEGIN SELECT RAISE(ABORT, '{WRONG_KIND}'); END"""
        for event in ("INSERT", "UPDATE OF unit_id, dimension")
    ] + [
        f"""CREATE TRIGGER {UNCHANGEABLE} BEFORE UPDATE OF {past} ON annotate_pastjudgment
            BEGIN SELECT RAISE(ABORT, '{UNCHANGEABLE}'); END"""
    ]


def _postgresql(past: str) -> list[str]:
    return [
        f"""CREATE FUNCTION {WRONG_KIND}() RETURNS trigger AS $$
            BEGIN
                IF (SELECT kind FROM annotate_unit WHERE id = NEW.unit_id)
                   IS DISTINCT FROM {_kind_of_dimension()} THEN
                    RAISE EXCEPTION '{WRONG_KIND}' USING ERRCODE = 'check_violation';
                END IF;
                RETURN NEW;
            END $$ LANGUAGE plpgsql""",  # noqa: S608 (made of this file's own names)
        f"""CREATE TRIGGER {WRONG_KIND} BEFORE INSERT OR UPDATE OF unit_id, dimension
            ON annotate_judgment FOR EACH ROW EXECUTE FUNCTION {WRONG_KIND}()""",
        f"""CREATE FUNCTION {UNCHANGEABLE}() RETURNS trigger AS $$
            BEGIN
                RAISE EXCEPTION '{UNCHANGEABLE}' USING ERRCODE = 'check_violation';
            END $$ LANGUAGE plpgsql""",
        f"""CREATE TRIGGER {UNCHANGEABLE} BEFORE UPDATE OF {past}
            ON annotate_pastjudgment FOR EACH ROW EXECUTE FUNCTION {UNCHANGEABLE}()""",
    ]


def make_triggers(schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Make the triggers anew."""
    drop_triggers(schema_editor)
    make = _postgresql if schema_editor.connection.vendor == "postgresql" else _sqlite
    for statement in make(_past_columns(schema_editor)):
        schema_editor.execute(statement)


def drop_triggers(schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP FUNCTION IF EXISTS {WRONG_KIND}() CASCADE")
        schema_editor.execute(f"DROP FUNCTION IF EXISTS {UNCHANGEABLE}() CASCADE")
        return
    for name in (f"{WRONG_KIND}_insert", f"{WRONG_KIND}_update", UNCHANGEABLE):
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}")


# The audit log -------------------------------------------------------------------

ENTRIES = "annotate_auditentry"
ENTRY_UNCHANGEABLE = "auditentry_is_append_only"
_WRITTEN = (
    "at", "act", "user_id", "via", "token_id", "study_id", "kind", "object_id", "about", "details",
    "request_id", "place",
)  # fmt: skip


def make_audit_triggers(schema_editor: BaseDatabaseSchemaEditor) -> None:
    """An entry is put into the chain once, its address may be blanked, and no more. PostgreSQL also
    refuses to delete it; on SQLite, where tests could not clean up, the chain alone shows that."""
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
