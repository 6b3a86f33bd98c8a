"""`manage.py generate STUDY SYSTEM --model NAME [--corpus NAME] [--dry-run | --queue]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db.models import Q
from django.template.defaultfilters import pluralize

from annotate.management.lookup import find_study
from annotate.management.refusing import RefusingCommand
from evaluation.generating import generations
from evaluation.generating.generation_job import work
from evaluation.generating.generation_previews import GenerationPreview, preview
from evaluation.generating.generation_settings import GenerationSettings
from evaluation.generating.systems.shipped import SYSTEMS
from evaluation.generating.systems.spec import AFTERWARDS
from evaluation.judges.entailment import DEFAULT_SCORER
from evaluation.language_models.costs import Cost, spent
from evaluation.management.judge_options import dollars, option
from evaluation.models import Connection, Generation


class Command(RefusingCommand):
    help = "Have a model answer a study's questions as a system of the papers does: a new system."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("system", choices=list(SYSTEMS))
        parser.add_argument(
            "--name", default="", help="of the new system; without it the system's and the model's"
        )
        parser.add_argument(
            "--model", "--connection", required=True, metavar="NAME", dest="connection",
            help="the connection to the model by its name, or the model of one",
        )  # fmt: skip
        passages = parser.add_mutually_exclusive_group()
        passages.add_argument(
            "--passages-of", metavar="SYSTEM", help="whose passages the questions have"
        )
        passages.add_argument("--corpus", default="", metavar="NAME", help="where to search them")
        parser.add_argument(
            "--option", action="append", type=option, default=[], metavar="NAME=VALUE",
            help="of the system (shots, ndoc, …) or of asking (at_once, most_tokens, …)",
        )  # fmt: skip
        parser.add_argument("--seeds", nargs="+", type=int, default=[1], metavar="N")
        parser.add_argument("--temperature", type=float)
        parser.add_argument("--nucleus", type=float)
        parser.add_argument("--context", type=int, default=0, help="how many tokens it reads")
        parser.add_argument("--afterwards", choices=list(AFTERWARDS), default="")
        parser.add_argument("--samples", type=int, default=4, help="for rerank")
        parser.add_argument("--scorer", default=DEFAULT_SCORER, help="for rerank, autoais, claims")
        parser.add_argument("--scorer-model", help="the scorer's model")
        parser.add_argument("--examples", metavar="FILE", help="demonstrations or pairs of yours")
        parser.add_argument(
            "--questions", type=int, help="maximum number of questions, the same each time"
        )
        parser.add_argument("--budget", metavar="DOLLARS", help="pause when so much is spent")
        where = parser.add_mutually_exclusive_group()
        where.add_argument(
            "--dry-run", action="store_true", help="show the first prompts and the cost alone"
        )
        where.add_argument("--queue", action="store_true", help="leave the work to a worker")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        options["connection"], model = _connection(options["connection"])
        name = options["name"] or f"{SYSTEMS[options['system']].title}, {model}"
        given = {"options": dict(options["option"]), "examples": _read(options["examples"])}
        settings = GenerationSettings.of(study, {**options, **given})
        connection = generations.check(study, settings, by_operator=True)
        if options["dry_run"]:
            self._show(preview(study, settings, connection))
            return
        here = not options["queue"]
        row = generations.create(
            study,
            name,
            settings,
            by_operator=True,
            queued=not here,
            budget=dollars(options["budget"]),
        )
        if not here:
            self.stdout.write(f"Generation {row.pk} waits for a worker.")
            return
        self._make(row)

    def _make(self, row: Generation) -> None:
        """Generate all answers in this process; an interrupt pauses the generation."""
        try:
            work(row.pk, worker="generate")
        except (KeyboardInterrupt, SystemExit):
            row.refresh_from_db()
            if row.is_working:
                generations.pause(row)
                self.stderr.write("It is paused; its page lets it go on. Nothing is lost.")
            raise
        row.refresh_from_db()
        self._report(row)

    def _report(self, row: Generation) -> None:
        say = self.stdout.write
        cost = spent(row)
        if cost is not None:
            say(f"Paid for: {_said(cost)}")
        if row.state == Generation.State.FAILED:
            raise CommandError(f"It failed: {row.error}")
        if row.system is None:
            say(f"It is {row.get_state_display().lower()}. {row.error}".strip())
            return
        say(f"New system: {row.system.name}")
        say(row.system.description)
        for outcome, count in sorted(row.outcome.items(), key=lambda one: -one[1]):
            say(f"{count:,} response{pluralize(count)}: {outcome}")
        if row.system.uses_autoais:
            say("It counts as having used AutoAIS: its automatic score is not shown.")

    def _show(self, found: GenerationPreview) -> None:
        say = self.stdout.write
        for number, one in enumerate(found.first, 1):
            for place, prompt in enumerate(one.prompts, 1):
                say(f"=== Question {number}, call {place}\n\n{prompt.system}\n\n{prompt.user}\n")
            if one.more:
                say(f"… and {one.more:,} further call{pluralize(one.more)}\n")
        if set_here := ", ".join(f"{name}={value}" for name, value in found.proposed.items()):
            say(f"Set as the data and the context ask: {set_here}")
        say(f"{found.questions:,} questions, {found.answers:,} answers; about {_said(found.cost)}.")
        say("Nobody was asked.")


def _said(cost: Cost) -> str:
    money = "" if cost.dollars is None else f"; {cost.dollars:,.4f} dollars"
    return (
        f"{cost.calls:,} call{pluralize(cost.calls)}, {cost.asked:,} tokens read, "
        f"{cost.written:,} written{money}"
    )


def _connection(said: str) -> tuple[str, str]:
    """Return the connection of this name, or to this model, and the name of its model."""
    known = Connection.objects.filter(owner__isnull=True)
    of_model = Q(model=said) | Q(url=said, mode=Connection.Mode.LOCAL)
    found = list(known.filter(name=said) or known.filter(of_model).order_by("name"))
    if len(found) > 1:
        names = ", ".join(one.name for one in found)
        raise CommandError(f"Several connections lead to “{said}”: {names}. Name one of them.")
    if not found:
        return said, said  # the check of the settings refuses it
    (one,) = found
    return one.name, one.model or Path(one.url).name or one.name


def _read(path: str | None) -> str:
    try:
        return Path(path).read_text("utf-8") if path else ""
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"The file {path} cannot be read: {error}.") from None
