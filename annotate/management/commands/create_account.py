"""`manage.py create_account EMAIL`: create a researcher's account."""

import getpass
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email

from annotate.people.members import sign_up
from annotate.web.errors import Refused


class Command(BaseCommand):
    help = "Create an account that may create studies. Others come by invitation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--name", default="")
        parser.add_argument(
            "--operator", action="store_true", help="may make links for others' new passwords"
        )
        parser.add_argument(
            "--password-file", type=Path, help="read the password from here instead of asking"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        source: Path | None = options["password_file"]
        if source is not None and not source.is_file():
            raise CommandError(f"There is no file {source}.")
        password = source.read_text().strip() if source else getpass.getpass("Password: ")
        try:
            validate_email(options["email"])
            validate_password(password)
            user = sign_up(
                name=options["name"],
                email=options["email"],
                password=password,
                is_researcher=True,
                is_operator=options["operator"],
            )
        except (Refused, ValidationError) as refusal:
            messages = getattr(refusal, "messages", [str(refusal)])
            raise CommandError(" ".join(messages)) from None
        self.stdout.write(f"Created the account {user.email}.")
