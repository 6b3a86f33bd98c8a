from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate


class AnnotateConfig(AppConfig):
    name = "annotate"

    def ready(self) -> None:
        """Formats that other packages bring are tried, and what is swept, or sealed anew, is made
        known."""
        from annotate.formats import FORMATS
        from annotate.services.people import admission as admission
        from annotate.services.people import audited as audited
        from annotate.services.people import forgetting as forgetting
        from annotate.services.people import second_factor as second_factor

        FORMATS.check()
        post_migrate.connect(_ship, sender=self)


def _ship(using: str, **_: Any) -> None:
    """The wordings of the shipped library, also those that came with a later version."""
    from annotate.models.wording import Wording, shipped_wordings

    if Wording._meta.db_table not in connections[using].introspection.table_names():
        return  # migrated back to before it
    Wording.objects.using(using).bulk_create(shipped_wordings(), ignore_conflicts=True)
