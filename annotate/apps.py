from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate


class AnnotateConfig(AppConfig):
    name = "annotate"

    def ready(self) -> None:
        """Check the formats of other packages, and import the modules that register themselves."""
        from annotate.content import study_counts as study_counts
        from annotate.content import word_search as word_search
        from annotate.exchange import every_table as every_table
        from annotate.formats import FORMATS
        from annotate.people import account_signals as account_signals
        from annotate.people import admission as admission
        from annotate.people import second_factor as second_factor
        from annotate.rating import disputes as disputes
        from annotate.rating.batches import overview as overview

        FORMATS.check()
        post_migrate.connect(_ship, sender=self)


def _ship(using: str, **_: Any) -> None:
    """Store the shipped wordings, including those of later versions."""
    from annotate.models.wording import Wording, shipped_wordings

    connection, table = connections[using], Wording._meta.db_table
    if table not in connection.introspection.table_names():
        return  # migrated to a version without the table
    with connection.cursor() as cursor:
        columns = {
            one.name for one in connection.introspection.get_table_description(cursor, table)
        }
    if not {field.column for field in Wording._meta.concrete_fields} <= columns:
        return  # migrated to a version without its present columns
    Wording.objects.using(using).bulk_create(shipped_wordings(), ignore_conflicts=True)
