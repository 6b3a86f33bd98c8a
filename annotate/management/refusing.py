"""What all commands of a study have in common: a refusal of a service ends them."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.web.errors import Refused


class RefusingCommand(BaseCommand):
    """A command that ends with the words of a service that refuses."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except Refused as refusal:
            raise CommandError(str(refusal)) from None
