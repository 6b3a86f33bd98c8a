"""`manage.py load_demo`."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotate.management.demo.loading import load_demo


class Command(BaseCommand):
    help = "Load the demo studies and accounts; what is there already stays as it is."

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError("The demo's passwords are public; it is not loaded in production.")
        for name in load_demo():
            self.stdout.write(f"Loaded {name}.")
