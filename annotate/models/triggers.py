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


def _sqlite() -> list[str]:
    wrong = "(SELECT kind FROM annotate_unit WHERE id = NEW.unit_id) IS NOT " + _kind_of_dimension()  # noqa: S608 (own names)
    return [
        f"""CREATE TRIGGER {WRONG_KIND}_{event.split()[0].lower()}
            BEFORE {event} ON annotate_judgment WHEN {wrong}
            BEGIN SELECT RAISE(ABORT, '{WRONG_KIND}'); END"""
        for event in ("INSERT", "UPDATE OF unit_id, dimension")
    ] + [
        f"""CREATE TRIGGER {UNCHANGEABLE} BEFORE UPDATE ON annotate_pastjudgment
            BEGIN SELECT RAISE(ABORT, '{UNCHANGEABLE}'); END"""
    ]


def _postgresql() -> list[str]:
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
        f"""CREATE TRIGGER {UNCHANGEABLE} BEFORE UPDATE
            ON annotate_pastjudgment FOR EACH ROW EXECUTE FUNCTION {UNCHANGEABLE}()""",
    ]


def make_triggers(schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Make the triggers anew."""
    drop_triggers(schema_editor)
    statements = _postgresql() if schema_editor.connection.vendor == "postgresql" else _sqlite()
    for statement in statements:
        schema_editor.execute(statement)


def drop_triggers(schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP FUNCTION IF EXISTS {WRONG_KIND}() CASCADE")
        schema_editor.execute(f"DROP FUNCTION IF EXISTS {UNCHANGEABLE}() CASCADE")
        return
    for name in (f"{WRONG_KIND}_insert", f"{WRONG_KIND}_update", UNCHANGEABLE):
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}")
