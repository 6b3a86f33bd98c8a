"""`manage.py serve`: the web server and the workers, in the foreground, until Ctrl-C."""

import contextlib
import os
import signal
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.checks import Tags
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connections

from config import environment as env
from config.environment import SettingError
from config.observing import counting
from config.serving import address
from config.serving.address import Address
from config.serving.greeting import Greeting
from config.serving.processes import Programs, die_with_parent
from evaluation.generating.demo_judge import judge_demo

CALLING = "outside"
"""The queue of jobs that wait for other machines, several of which run at a time."""


def programs(only: str | None = None) -> dict[str, list[str]]:
    """Return the commands to start by name: the web server, and one worker for each queue.

    Jobs of one kind therefore never wait for another kind. Queues that compute have one process, so
    that a model is loaded once.
    """
    modules = {"web server": "config.serving.web"}
    for queue in settings.ATTEST_WORKER_QUEUES:
        places = settings.ATTEST_CALLS_AT_ONCE if queue == CALLING else 1
        modules[f"worker ({queue})"] = (
            f"celery --quiet --skip-checks -A config worker --queues {queue} "
            f"--concurrency {places} --loglevel WARNING "
            "--without-gossip --without-mingle --without-heartbeat"
        )
    return {
        name: [sys.executable, "-m", *module.split()]
        for name, module in modules.items()
        if only is None or name.startswith(only)
    }


class Command(BaseCommand):
    help = "Starts the web server and the workers together and stops both on Ctrl-C or SIGTERM."
    requires_system_checks = [Tags.models, Tags.security, Tags.caches, Tags.files, Tags.templates]
    """All checks except those of addresses, which would load every page."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--only",
            choices=["web", "worker"],
            help="start one of the two, and leave migrations and static files to someone else",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if "MAKELEVEL" in os.environ:
            # If make is killed, stop as well: no terminal could stop this process any more.
            die_with_parent(os.getppid(), signal.SIGTERM)
        only: str | None = options["only"]
        where, demo = self.checked(web=only != "worker")
        try:
            if only is None:
                self.prepare(demo=demo)
        except KeyboardInterrupt:
            sys.exit(130)
        connections.close_all()
        if settings.ATTEST_METRICS_TOKEN:
            counting.begin(only or "all")
        greeting = Greeting(where, demo=demo and only is None, say=self.say)

        def meanwhile() -> None:
            if only != "worker":
                greeting.give_once()

        status = Programs(say=self.say).run(programs(only), meanwhile=meanwhile)
        if status:
            sys.exit(status)

    def checked(self, *, web: bool) -> tuple[Address, bool]:
        """Check the settings, and return the web server's address and whether there is a demo."""
        try:
            where = address.chosen()
            if web:
                address.refuse_unsafe(where, production=settings.PRODUCTION)
                address.refuse_taken(where)
            return where, demo_wanted(where)
        except SettingError as error:
            raise CommandError(str(error)) from None

    def prepare(self, *, demo: bool) -> None:
        """Migrate, collect static files and load the demo. Repeating it changes nothing."""
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        if demo:
            try:
                call_command("load_demo")
                judge_demo()
            except (CommandError, DatabaseError, OSError, RuntimeError) as error:
                self.say(f"The demo could not be loaded ({error}). Attest starts without it.")

    def say(self, text: str) -> None:
        # A closed terminal must not prevent stopping the started processes.
        with contextlib.suppress(OSError):
            self.stdout.write(text)
            self.stdout.flush()


def demo_wanted(where: Address) -> bool:
    """Whether to load the demo; by default only for this machine, because passwords are public."""
    return not settings.PRODUCTION and env.flag("ATTEST_DEMO", default=where.is_loopback)
