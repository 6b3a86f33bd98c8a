"""`manage.py run_judge STUDY JUDGE [--scorer …] [--systems …] [--queue | --watch]`."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize
from tqdm import tqdm

from annotate.management.lookup import find_study, find_systems
from annotate.services.errors import Refused
from evaluation.asking.prompts import styles
from evaluation.judges import JUDGES
from evaluation.management.judge_options import add_judge_options, judge_settings, lengths_said
from evaluation.models import Run
from evaluation.running import runs
from evaluation.running.overview import RunState, run_state
from evaluation.running.plans import plan
from evaluation.running.shards import work

LOOK_EVERY = 1.0
STEPS = 1_000
"""What the bar of a whole run is divided into."""


class Command(BaseCommand):
    help = "Judge a study's responses automatically and keep the verdicts. Again: nothing changes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("judge", choices=list(JUDGES))
        parser.add_argument("--systems", nargs="+", metavar="NAME", help="default: all of them")
        parser.add_argument(
            "--missing",
            action="store_true",
            help="only responses that this judge has not judged yet",
        )
        where = parser.add_mutually_exclusive_group()
        where.add_argument("--queue", action="store_true", help="leave the work to the workers")
        where.add_argument(
            "--watch", action="store_true", help="leave the work to the workers, and watch them"
        )
        add_judge_options(parser)
        parser.add_argument(
            "--connection",
            metavar="NAME",
            help="for the judge model and the scorer http: the connection to the model",
        )
        parser.add_argument(
            "--style", choices=list(styles()), help="for the judge model: how it is asked"
        )
        parser.add_argument(
            "--dimensions",
            nargs="+",
            default=[],
            metavar="KEY",
            help="for the judge model: what it is asked; default: what the study asks people",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        systems = find_systems(study, options["systems"]) if options["systems"] else ()
        here = not options["queue"] and not options["watch"]
        try:
            run = runs.create(
                study,
                judge_settings(options["judge"], options),
                systems=systems,
                missing_only=options["missing"],
                starts_itself=not here,
                by_operator=True,
                queued=not here,
            )
            if here:
                run = self._do(run)
            elif options["watch"]:
                run = self._watch(run)
        except Refused as refusal:
            raise CommandError(str(refusal)) from None
        if options["queue"]:
            self.stdout.write(f"Run {run.pk} waits for a worker.")
            return
        self._report(run)

    def _do(self, run: Run) -> Run:
        """Everything in this process; workers that are there may help."""
        try:
            planned = plan(run.pk)
            if planned is None or planned.state == Run.State.FAILED:
                raise CommandError(planned.error if planned else "The run was taken away.")
            runs.start(planned, queued=False)
            with tqdm(total=planned.plan["responses"], unit="response", disable=None) as bar:
                for key in planned.shards.values_list("pk", flat=True):
                    done = work(key, worker="run_judge", tell=_phase(bar))
                    if done is not None:
                        bar.update(done.size)
        except (KeyboardInterrupt, CommandError, Refused):
            self._give_up(run)
            raise
        run.refresh_from_db()
        return self._watch(run) if run.is_working else run

    def _give_up(self, run: Run) -> None:
        run.refresh_from_db()
        if not run.is_over:
            runs.cancel(run)

    def _watch(self, run: Run) -> Run:
        """Look again and again until the run is over."""
        told = False
        with tqdm(total=STEPS, disable=None, bar_format="{l_bar}{bar}| {elapsed} {postfix}") as bar:
            while True:
                run.refresh_from_db()
                now = run_state(run)
                bar.n = int(now.share * STEPS)
                bar.set_description(run.get_state_display(), refresh=False)
                bar.set_postfix_str(_pace(now))
                if not run.is_working:
                    return run
                if now.nobody_works and not told:
                    told = True
                    self.stderr.write(
                        f"No worker is alive that serves the queue “{run.queue}”. Start one with "
                        f"“celery -A config worker -Q {run.queue}”; Ctrl-C leaves the run waiting."
                    )
                time.sleep(LOOK_EVERY)

    def _report(self, run: Run) -> None:
        if run.state == Run.State.FAILED:
            place = f" ({run.error_place})" if run.error_place else ""
            raise CommandError(f"The run failed: {run.error}{place}")
        say = self.stdout.write
        found = run_state(run)
        counts = found.found
        say(f"Judge: {run.judge.name if run.judge else run.signature}")
        if run.judge is None and run.state == Run.State.DONE:
            say("No response of these systems is to be judged, so nothing was written.")
        responses, new, measures = (counts.get(key, 0) for key in ("responses", "new", "measures"))
        say(
            f"{responses:,} response{pluralize(responses)}: {new:,} "
            f"judgment{pluralize(new)} {pluralize(new, 'is,are')} new, "
            f"{counts.get('changed', 0):,} changed, {counts.get('unchanged', 0):,} as before; "
            f"{measures:,} measure{pluralize(measures)}."
        )
        if already := run.plan.get("judged_already"):
            say(f"Judged before, left alone: {already:,} response{pluralize(already)}")
        for reason, count in found.not_judged:
            say(f"Not judged, {reason}: {count:,}")
        if run.plan.get("left_out"):
            left_out = ", ".join(run.plan["left_out"])
            say(f"Left out, since they used the metric themselves: {left_out}")
        for wave in found.waves:
            say(
                f"{found.counted.capitalize()}, {wave.name}: {wave.asked:,} asked, "
                f"{wave.unique:,} different, {wave.cached:,} known already, "
                f"{wave.computed:,} computed"
            )
        for line in lengths_said(found.lengths):
            say(line)
        if run.state != Run.State.DONE:
            say(f"The run is {run.get_state_display().lower()}.")


def _phase(bar: Any) -> Any:
    def tell(phase: str, answered: int, total: int) -> None:
        bar.set_postfix_str(f"{phase} {answered:,}/{total:,}" if total else phase)

    return tell


def _pace(now: RunState) -> str:
    parts = [now.phase]
    if now.pairs_per_second:
        parts.append(f"{now.pairs_per_second:,.0f} pairs/s")
    if now.time_left:
        parts.append(f"{now.time_left.total_seconds():.0f} s left")
    return ", ".join(part for part in parts if part)
