"""`manage.py create_batch STUDY NAME [--sample N]`."""

from argparse import ArgumentParser, BooleanOptionalAction
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotate.management.lookup import find_study
from annotate.management.refusing import RefusingCommand
from annotate.models import Batch, Study
from annotate.rating import batches


class Command(RefusingCommand):
    help = "Make a batch: what raters get, of what, and how often."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("study", help="the study's slug")
        add("name")
        add("--system", action="append", default=[], help="one system; again for each")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--sample", type=int, help="number of questions, or answers, to draw")
        which.add_argument("--questions", type=Path, help="a file of question ids, one per line")
        add("--leave-out", type=Path, help="a file of question ids that are not taken")
        add("--slice", action="append", default=[], metavar="KEY=VALUE", help="again for each")
        add(
            "--any-answer",
            action="store_true",
            help="also questions that not every system answered; --sample then draws answers, "
            "equally many of each system",
        )
        add("--pairs", type=int, default=0, help="pairs to draw for each question (default: all)")
        add(
            "--positional",
            action=BooleanOptionalAction,
            help="only responses with positional fine-grained citations; default: where raters "
            "write claims",
        )
        add("--claims-from", choices=Batch.ClaimsFrom.values, default="nothing")
        add("--seed", type=int, default=0, help="draws the sample and the order")
        add("--dimension", action="append", metavar="KEY", help="again for each")
        add("--raters", type=int, help="ratings per task; default: the study's")
        add("--granularity", choices=Batch.Granularity.values, default="response")
        add("--order", choices=Batch.Order.values, default="shuffle")
        add("--lease-minutes", type=int, help="how long a task is kept for its rater")
        add("--tasks-per-rater", type=int)
        add("--link", action="store_true", help="anybody with the batch's link may rate")
        add("--practice", action="store_true", help="practice with known answers")
        add("--known-answers", default="", help="the judge whose answers count as known")
        add("--gold", type=int, default=0, help="number of gold questions to draw")
        add("--gold-percent", type=int, default=0, help="their share of the work")
        add("--gold-mark", type=int, default=0, help="raters under this percent are paused")
        add("--pass-mark", type=int, default=80, help="percent right that passes practice")
        add("--max-rounds", type=int, help="how often practice may be tried")
        add("--open", action="store_true", help="open it at once")
        add("--dry-run", action="store_true", help="say what would be in it, and make nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        selection = _selection(study, options)
        known = options["known_answers"]
        gold = batches.gold_judge_named(study, known) if known else None
        both: dict[str, Any] = {
            "dimensions": options["dimension"],
            "granularity": options["granularity"],
            "gold": gold,
            "purpose": Batch.Purpose.PRACTICE if options["practice"] else Batch.Purpose.WORK,
        }
        raters = study.raters_per_unit if options["raters"] is None else options["raters"]
        if options["dry_run"]:
            counts = batches.preview(study, selection, raters_per_item=raters, **both)
            self.stdout.write(
                f"{counts.questions} of {counts.eligible} questions, {counts.responses} responses, "
                f"{counts.tasks} tasks, {counts.ratings} ratings wanted, {counts.gold_tasks} gold."
            )
            return
        batch = batches.create_batch(
            study,
            name=options["name"],
            selection=selection,
            raters_per_item=raters,
            claims_from=options["claims_from"],
            order=options["order"],
            seed=options["seed"],
            lease_minutes=options["lease_minutes"],
            tasks_per_rater=options["tasks_per_rater"],
            audience=Batch.Audience.LINK if options["link"] else Batch.Audience.MEMBERS,
            gold_percent=options["gold_percent"],
            gold_mark=options["gold_mark"],
            pass_mark=options["pass_mark"],
            max_rounds=options["max_rounds"],
            **both,
        )
        tasks = batch.items.count()
        self.stdout.write(f"Made the batch “{batch.name}” with {tasks} tasks.")
        if options["open"]:
            batches.open_batch(batch)
            self.stdout.write("It is open.")


def _selection(study: Study, options: dict[str, Any]) -> batches.Selection:
    kind = "all"
    if options["sample"] is not None:
        kind = "sample"
    elif options["questions"] is not None:
        kind = "list"
    return batches.Selection(
        systems=batches.systems_named(study, options["system"]),
        questions=kind,
        sample_size=options["sample"] or 0,
        seed=options["seed"],
        listed=_ids(options["questions"]),
        left_out=_ids(options["leave_out"]),
        gold_count=options["gold"],
        positional=options["positional"],
        slices=tuple(options["slice"]),
        any_answer=options["any_answer"],
        pairs=options["pairs"],
    )


def _ids(path: Path | None) -> tuple[str, ...]:
    """Return the question ids in a file, one per line."""
    if path is None:
        return ()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read as text: {error}.") from None
    return tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
