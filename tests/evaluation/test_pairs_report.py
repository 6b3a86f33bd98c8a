"""What a report says of pairs: worked by hand, read back from a bundle, as tables."""

from math import atanh, tanh
from typing import Any

import pytest

from annotate.models import Assignment, Batch, Judge, Judgment, Response
from annotate.rating.batches import create_batch
from annotate.studies.lifecycle import create_study
from evaluation.report_pages.bundle import write_bundle
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.bundle import read_bundle
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.sections.every import charts_of, tables_of
from tests.annotate.batched import rows
from tests.annotate.loading import load
from tests.shared_rows import shared_rows

QUICK = Filters(resamples=200)

# By question and pair: what the raters say, of the first system by name.
SAID = {
    ("q1", "Amber", "Bronze"): "much_better better",
    ("q1", "Amber", "Carmine"): "tie tie",
    ("q1", "Bronze", "Carmine"): "worse tie",
    ("q2", "Amber", "Bronze"): "worse better",
    ("q2", "Amber", "Carmine"): "better better",
}


@shared_rows
def compared(alice):
    study = create_study(name="Pairs", slug="pairs", preset="pairwise", owner=alice)
    load(study, rows(questions=2))
    batch = create_batch(study, name="Pairs", dimensions=["better_answer"], raters_per_item=2)
    Batch.objects.filter(pk=batch.pk).update(state="closed")
    for number in range(2):
        judge = Judge.objects.create(study=study, name=f"rater-{number}", kind="simulated")
        for item in batch.items.select_related("unit", "response__question"):
            names = (item.response.question.external_id, item.response.system.name)
            other = Response.objects.get(pairs=item.unit)
            said = SAID.get((*names, other.system.name))
            if said is None:
                continue
            value = said.split()[number]
            Judgment.objects.create(
                judge=judge, unit=item.unit, dimension="better_answer", value=value
            )
            Assignment.objects.create(
                batch=batch, item=item, judge=judge, state="done", lease_until=batch.created_at,
                done_at=batch.created_at, mirrored=number == 1,
            )  # fmt: skip
    return study


def of_pairs(study, filters=QUICK) -> Any:
    [found] = build(gather(study), filters)["pairs"]
    return found


def test_numbers_worked_by_hand(compared):
    found = of_pairs(compared)
    assert (found["item"], found["pairs"], found["answers"]) == ("better_answer", 5, 10)
    systems = {row["system"]: row for row in found["systems"]}
    # Amber: won 1, tied 1, half won and half lost, won 1.
    amber = systems["Amber"]
    assert amber["pairs"] == 4
    assert [amber[key]["value"] for key in ("won", "tied", "lost")] == [2.5 / 4, 1 / 4, 0.5 / 4]
    assert amber["rate"]["value"] == (2.5 + 0.5) / 4
    assert amber["rate"]["n"] == 4
    bronze = systems["Bronze"]["rate"]  # 0.125 of two pairs, then half of one
    assert bronze["value"] == (0 + 0.25 + 0.5) / 3
    # Two questions have one degree of freedom, t is 12.706; on Fisher's scale between 0 and 1.
    away = 12.7062 * bronze["se"] / 0.5 / (1 - (2 * 0.25 - 1) ** 2)
    ends = [(tanh(atanh(2 * 0.25 - 1) + side * away) + 1) / 2 for side in (-1, 1)]
    assert [bronze["low"], bronze["high"]] == pytest.approx(ends, abs=2e-6)
    assert "interval:z" in bronze["signature"].split("|")
    assert amber["degree"]["value"] == ((1 + 0.75) / 2 + 0.5 + 0.5 + 0.75) / 4
    # Carmine: tied 1; of Bronze's pair half won, half tied; lost 1.
    carmine = systems["Carmine"]
    shares = [carmine[key]["value"] for key in ("won", "tied", "lost")]
    assert shares == pytest.approx([0.5 / 3, 1.5 / 3, 1 / 3], abs=1e-6)
    assert carmine["degree"]["value"] == pytest.approx(
        (0.5 + (0.75 + 0.5) / 2 + 0.25) / 3, abs=1e-6
    )
    two = {(row["one"], row["other"]): row["rate"]["value"] for row in found["two"]}
    assert two == {
        ("Amber", "Bronze"): 0.75,
        ("Amber", "Carmine"): 0.75,
        ("Bronze", "Carmine"): 0.25,
    }


def test_preference_for_the_first_answer_is_measured(compared):
    """rater-0 sees the first by name first, rater-1 the other one."""
    found = of_pairs(compared)
    by_order = [1, 0.5, 0, 0, 1, 0, 0.5, 0.5, 0, 0]
    assert found["first_seen"]["value"] == sum(by_order) / 10
    assert found["first_seen"]["n"] == 10
    Assignment.objects.update(mirrored=None)
    found = of_pairs(compared)
    assert found["first_seen"]["value"] is None
    assert found["first_seen"]["reason"]


def test_a_bundle_gives_the_same_report(compared, tmp_path):
    path = tmp_path / "pairs.zip"
    with path.open("wb") as out:
        write_bundle(compared, QUICK, out)
    data, filters = read_bundle(path)
    assert dumps(build(data, filters)) == dumps(build(gather(compared), QUICK))
    assert len(data.pairs.unit) == 6
    assert len(data.sides.unit) == 10


def test_of_some_systems_only_their_pairs(compared):
    some = Filters(resamples=200, systems=("Amber", "Carmine"))
    found = of_pairs(compared, some)
    assert found["pairs"] == 2
    batch = Batch.objects.get()
    found = of_pairs(compared, Filters(resamples=200, batch=batch.pk))
    assert found["pairs"] == 5


def test_answers_about_pairs_are_counted_by_system(compared):
    """“Answer 1” is whoever stands first by name, which no reader can see: so the table has a part
    for each system, to which Answer 1 belongs there."""
    report = build(gather(compared), QUICK)
    [row] = report["people"]
    told = {
        one["system"]: {each["value"]: each["count"] for each in one["distribution"]}
        for one in row["by_system"]
    }
    levels = ("much_worse", "worse", "tie", "better", "much_better")
    expected = {"Amber": (0, 1, 2, 4, 1), "Bronze": (1, 3, 1, 1, 0), "Carmine": (0, 2, 3, 1, 0)}
    assert told == {name: dict(zip(levels, some, strict=True)) for name, some in expected.items()}
    table: Any = next(one for one in tables_of(report) if one.key == "distribution-better_answer")
    assert [column.title for column in table.columns] == ["System", "Answer", "Ratings", "Share"]
    assert "Answer 1 is its own" in table.caption
    assert [row[0] for row in table.rows[:6]] == ["Amber"] * 5 + ["Bronze"]
    shares = [row[3].value for row in table.rows[:5]]
    assert shares == [0, 1 / 8, 2 / 8, 4 / 8, 1 / 8]
    [chart] = [one for key, one in charts_of(report).items() if key.startswith("answers")]
    assert {part["item"] for part in _values(chart.spec)} == {"Amber", "Bronze", "Carmine"}


def _values(spec):
    return spec["datasets"][spec["data"]["name"]]
