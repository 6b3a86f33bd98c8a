"""The base class of commands that may be refused."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.web.errors import Refused


class RefusingCommand(BaseCommand):
    """A command that reports `Refused` as its error."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except Refused as refusal:
            raise CommandError(str(refusal)) from None
