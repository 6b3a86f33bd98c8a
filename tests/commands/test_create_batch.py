"""create_batch."""

import pytest
from django.core.management.base import CommandError

from annotate.models import Batch, Judge, Study
from tests.uploads.files import judged, judgments, lines, response


@pytest.fixture
def things(run, study, tmp_path):
    """Six questions answered by Alpha and Beta, and known answers about Alpha's first two."""
    outputs, known = tmp_path / "outputs.jsonl", tmp_path / "known.csv"
    outputs.write_bytes(
        lines(*(response(n, system=s) for n in range(1, 7) for s in ("Alpha", "Beta")))
    )
    rows = [
        judged(n, "s1", "citation_recall", "yes", judge="Key", judge_kind="reference",
               system="Alpha")
        for n in (1, 2)
    ]  # fmt: skip
    known.write_bytes(judgments(*rows))
    run("import_outputs", "things", outputs)
    run("import_judgments", "things", known)
    return Study.objects.get(slug="things")


def items(batch):
    return set(batch.items.values_list("unit", "is_gold", "shuffle", "question_shuffle"))


def test_every_option_of_work(run, things, tmp_path):
    ids = sorted(things.questions.values_list("external_id", flat=True))
    listed, away = tmp_path / "ids.txt", tmp_path / "away.txt"
    listed.write_text(f"{ids[3]}\n\n {ids[4]} \n{ids[5]}\n")
    away.write_text(ids[5])
    said = run(
        "create_batch", "things", "Work", "--questions", listed, "--leave-out", away,
        "--system", "Alpha", "--dimension", "citation_recall", "--granularity", "unit",
        "--order", "together", "--lease-minutes", 7, "--tasks-per-rater", 9, "--link",
        "--known-answers", "Key", "--gold", 1, "--gold-percent", 10, "--gold-mark", 60, "--open",
    )  # fmt: skip
    assert said.out.endswith("It is open.\n")
    made = Batch.objects.get()
    assert (made.order, made.lease_minutes, made.tasks_per_rater, made.audience) == (
        "together", 7, 9, "link",
    )  # fmt: skip
    assert (made.gold_percent, made.gold_mark, made.gold) == (10, 60, Judge.objects.get(name="Key"))
    work = made.items.filter(is_gold=False).values_list(
        "response__question__external_id", flat=True
    )
    assert set(work) == {ids[3], ids[4]}
    assert made.items.filter(is_gold=True).exists()


def test_a_dry_run_makes_nothing(run, things):
    said = run("create_batch", "things", "x", "--sample", 2, "--raters", 5, "--dry-run")
    assert said.out == "2 of 6 questions, 4 responses, 4 tasks, 20 ratings wanted, 0 gold.\n"
    assert not Batch.objects.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--system", "Gamma"], "no system “Gamma”"),
        (["--sample", 7], "7 questions cannot be drawn"),
        (["--sample", 0], "at least one"),
        (["--raters", 0], "number of raters must be from 1"),
        (["--known-answers", "Nobody"], "no known answers by “Nobody”"),
        (["--questions", "nowhere.txt"], "cannot be read"),
        (["--granularity", "word"], "invalid choice"),
    ],
)
def test_invalid_batch_options_are_refused(run, things, options, said):
    with pytest.raises(CommandError, match=said):
        run("create_batch", "things", "x", *options)
    assert not Batch.objects.exists()


def test_a_batch_that_cannot_open_is_still_made(run, things):
    with pytest.raises(CommandError, match="Write the known answers first"):
        run("create_batch", "things", "Practice", "--practice", "--open")
    assert Batch.objects.get().state == "draft"
