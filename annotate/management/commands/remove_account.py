"""`manage.py remove_account NAME [--pseudonym]`."""

from argparse import ArgumentParser
from typing import Any

from annotate.management.lookup import find_account
from annotate.management.refusing import RefusingCommand
from annotate.people import leaving


class Command(RefusingCommand):
    help = "Remove an account, or make it pseudonymous. What its person judged stays."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="its e-mail address or user name")
        parser.add_argument(
            "--pseudonym",
            action="store_true",
            help="keep its part in studies under a pseudonym; nobody can sign in to it",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = find_account(options["name"])
        if options["pseudonym"]:
            name = leaving.make_pseudonymous(user)
            self.stdout.write(f"The account is called {name} now, and nobody can sign in to it.")
        else:
            name = leaving.remove_account(user)
            self.stdout.write(f"The account is removed. Its answers now carry the name {name}.")
