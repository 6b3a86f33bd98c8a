"""`manage.py reset_link NAME`: print a link to choose a new password."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings

from annotate.management.refusing import RefusingCommand
from annotate.people.resetting import reset_path


class Command(RefusingCommand):
    help = "Print a link by which somebody chooses a new password. It works once, for three days."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="user name or e-mail address")
        parser.add_argument(
            "--address", default=_address(), help="where people find this Attest (%(default)s)"
        )
        parser.add_argument(
            "--remove-second-factor",
            action="store_true",
            help="also remove passkeys, app and recovery codes, for somebody who lost them",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        lost = options["remove_second_factor"]
        path = reset_path(options["name"], without_second_factor=lost)
        self.stdout.write(f"{options['address'].rstrip('/')}{path}")


def _address() -> str:
    host = next((name for name in settings.ALLOWED_HOSTS if not name.startswith(".")), "localhost")
    return f"{'https' if settings.HTTPS else 'http'}://{host}"
