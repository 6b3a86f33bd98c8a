"""`manage.py change_system STUDY SYSTEM [--uses-autoais yes|no] [--rename NAME]`."""

from argparse import ArgumentParser
from typing import Any

from annotate.management.lookup import find_study, find_systems
from annotate.management.refusing import RefusingCommand
from annotate.studies.lifecycle import change_system


class Command(RefusingCommand):
    help = "Say that a system used the AutoAIS metric itself, or call it otherwise."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("system", help="its name")
        parser.add_argument("--uses-autoais", choices=["yes", "no"])
        parser.add_argument("--rename", metavar="NAME", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        (system,) = find_systems(find_study(options["study"]), [options["system"]])
        said = options["uses_autoais"]
        changed = change_system(
            system,
            name=options["rename"].strip() or system.name,
            display_name=system.display_name,
            description=system.description,
            uses_autoais=system.uses_autoais if said is None else said == "yes",
        )
        used = "counts" if changed.uses_autoais else "does not count"
        self.stdout.write(f"{changed.name} {used} as having used AutoAIS.")
