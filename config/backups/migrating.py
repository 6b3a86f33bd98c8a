"""Migrate a database that is being restored to this version."""

from django.core.management.sql import emit_post_migrate_signal
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def bring_forward() -> None:
    executor = MigrationExecutor(connection, _settle)
    executor.migrate(executor.loader.graph.leaf_nodes())
    emit_post_migrate_signal(verbosity=0, interactive=False, db=connection.alias)


def _settle(action: str, *about: object) -> None:
    """Check deferred foreign keys before each migration on PostgreSQL.

    All migrations run in one transaction, in which a table with pending checks cannot be altered.
    """
    if connection.vendor == "postgresql" and action == "apply_start":
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
