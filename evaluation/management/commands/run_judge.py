"""`manage.py run_judge STUDY JUDGE [--scorer …] [--systems …] [--queue | --watch]`."""

import time
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import CommandError
from django.template.defaultfilters import pluralize
from django.utils import timezone
from tqdm import tqdm

from annotate.management.lookup import find_study, find_systems
from annotate.management.refusing import RefusingCommand
from annotate.protocol.signatures import OF_MODELS
from annotate.web.errors import Refused
from evaluation.judges import JUDGES
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.prompts import styles
from evaluation.language_models.asking.variants import CHOICES
from evaluation.language_models.costs import spent
from evaluation.management.judge_options import (
    add_judge_options,
    dollars,
    judge_settings,
    lengths_said,
)
from evaluation.models import Run, Shard
from evaluation.models.calls import open_batches, waits_for_batch
from evaluation.runs import lifecycle as runs
from evaluation.runs import model_batches
from evaluation.runs.overview import RunState, run_state
from evaluation.runs.plans import plan
from evaluation.runs.shards import work
from evaluation.runs.trials import shared_system_prompt, shown
from evaluation.runs.varying import variants_of

LOOK_EVERY = 1.0
STEPS = 1_000
"""Steps of the progress bar of a whole run."""


class Command(RefusingCommand):
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
        _add_model_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        plain = judge_settings(options["judge"], options)
        wanted = [plain]
        if options["vary"] is not None or options["repeats"]:
            wanted = variants_of(plain, options["vary"] or [], options["repeats"])
        for settings in wanted:
            self._one(settings, options)

    def _one(self, settings: JudgeSettings, options: dict[str, Any]) -> None:
        study = find_study(options["study"])
        systems = find_systems(study, options["systems"]) if options["systems"] else ()
        here = not options["queue"] and not options["watch"]
        tried = options["dry_run"]
        if options["prompts_only"] and not tried:
            raise CommandError("--prompts-only goes with --dry-run.")
        run = runs.create(
            study,
            settings,
            systems=systems,
            missing_only=options["missing"],
            questions=options["questions"],
            starts_itself=not here,
            by_operator=True,
            queued=not here,
            budget=dollars(options["budget"]),
            dry_units=tried,
        )
        if here:
            run = self._do(run, asks=not options["prompts_only"])
        elif options["watch"]:
            run = self._watch(run)
        if options["queue"]:
            self.stdout.write(f"Run {run.pk} waits for a worker.")
            return
        self._report(run)

    def _do(self, run: Run, *, asks: bool) -> Run:
        """Run the judge in this process; running workers may help."""
        try:
            planned = plan(run.pk)
            if planned is None or planned.state == Run.State.FAILED:
                raise CommandError(planned.error if planned else "The run was taken away.")
            if planned.judge_name == OF_MODELS:
                calls = planned.plan["pairs"]
                self.stdout.write(f"At most {calls:,} call{pluralize(calls)} of the model.")
            if not asks:
                return planned
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
        self._await_batches(run)
        return self._watch(run) if run.is_working else run

    def _await_batches(self, run: Run) -> None:
        """Check batches at a vendor, and the parts that wait for them."""
        out = open_batches(run)
        if run.is_working and (calls := sum(out.values_list("size", flat=True))):
            self.stdout.write(
                f"{calls:,} call{pluralize(calls)} {pluralize(calls, 'is,are')} out, which may "
                "take a day. Ctrl-C leaves the run to the workers."
            )
        while run.is_working and out.exists():
            time.sleep(LOOK_EVERY)
            for key in out.filter(due_at__lte=timezone.now()).values_list("pk", flat=True):
                model_batches.work(key, worker="run_judge")
            ready = run.shards.exclude(waits_for_batch()).filter(state=Shard.State.WAITING)
            for key in list(ready.values_list("pk", flat=True)):
                work(key, worker="run_judge")
            run.refresh_from_db()

    def _give_up(self, run: Run) -> None:
        run.refresh_from_db()
        if not run.is_over:
            runs.cancel(run)

    def _watch(self, run: Run) -> Run:
        """Poll until the run is over."""
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
                        f"No worker is running for the queue “{run.queue}”. Start one with "
                        f"“celery -A config worker -Q {run.queue}”; Ctrl-C leaves the run waiting."
                    )
                time.sleep(LOOK_EVERY)

    def _report(self, run: Run) -> None:
        if run.state == Run.State.FAILED:
            place = f" ({run.error_place})" if run.error_place else ""
            raise CommandError(f"The run failed: {run.error}{place}")
        if run.dry_units:
            self._show_trial(run)
            return
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
        self._say_cost(run)
        if run.state != Run.State.DONE:
            say(f"The run is {run.get_state_display().lower()}. {run.error}".strip())

    def _show_trial(self, run: Run) -> None:
        """Print every prompt as sent, their common part only once."""
        say = self.stdout.write
        few = shown(run)
        once = shared_system_prompt(few)
        if once:
            say(f"=== Once for all units\n\n{once}\n")
        for number, one in enumerate(few, 1):
            told = one.prompt.user if once else f"{one.prompt.system}\n\n{one.prompt.user}"
            say(f"=== {number}. {one.title}, {one.unit}\n\n{told}\n")
            if one.reply is not None:
                say(f"--- Its answer\n\n{one.reply.text or one.reply.why}\n")
        self._say_cost(run)
        say("Nothing was judged.")

    def _say_cost(self, run: Run) -> None:
        cost = spent(run)
        if cost is not None:
            money = "" if cost.dollars is None else f"; {cost.dollars:,.4f} dollars"
            self.stdout.write(
                f"Paid for: {cost.calls:,} call{pluralize(cost.calls)}, {cost.asked:,} tokens read "
                f"({cost.cached:,} of them remembered), {cost.written:,} written{money}"
            )


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 1_000_000:
        return int(text)
    raise ArgumentTypeError(f"expected a number of questions from 1 on, found “{text}”")


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


def _add_model_options(parser: ArgumentParser) -> None:
    """Add the options of the judge `model`."""
    parser.add_argument(
        "--connection",
        metavar="NAME",
        help="for the judge model and the scorer http: the connection to the model",
    )
    parser.add_argument(
        "--style",
        metavar="NAME",
        help=f"for the judge model: how it is asked: {', '.join(styles())}, or a prompt of the "
        "study's own",
    )
    parser.add_argument(
        "--dimensions",
        nargs="+",
        default=[],
        metavar="KEY",
        help="for the judge model: what it is asked; default: what the study asks people",
    )
    parser.add_argument(
        "--budget",
        metavar="DOLLARS",
        help="for the judge model: pause when so much is spent (connections with prices)",
    )
    parser.add_argument(
        "--dry-run",
        type=int,
        default=0,
        metavar="N",
        help="for the judge model: show the prompts about the first N units and what "
        "it answers, and judge nothing; a run does not pay for these answers again",
    )
    parser.add_argument(
        "--prompts-only", action="store_true", help="with --dry-run: ask the model nothing"
    )
    parser.add_argument(
        "--examples",
        type=int,
        metavar="N",
        help="for the judge model: number of labels in its prompt as examples",
    )
    parser.add_argument(
        "--guideline-examples",
        action="store_true",
        help="for the judge model: also the examples of the guidelines in its prompt",
    )
    parser.add_argument(
        "--vary",
        nargs="*",
        choices=list(CHOICES),
        metavar="WHAT",
        help=f"for the judge model: its variants instead, of {', '.join(CHOICES)}",
    )
    parser.add_argument(
        "--repeats", type=int, default=0, help="for the judge model: asked again so often"
    )
    parser.add_argument(
        "--questions", type=_count, help="maximum number of questions, the same each time"
    )
