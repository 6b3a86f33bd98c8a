"""A language model compares two answers, in an order that is drawn, kept and counted."""

import re
from io import BytesIO
from typing import Any

import pytest

from annotate.models import Evidence, Judge, Judgment, Unit
from annotate.rating.batches import Selection, create_batch
from annotate.studies.lifecycle import create_study
from evaluation.judges.settings import JudgeSettings
from evaluation.models import PairShown
from evaluation.report_pages.bundle import write_bundle
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.bundle import read_bundle
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.sections.every import tables_of
from evaluation.runs import lifecycle as runs
from evaluation.runs.trials import shown
from tests.annotate.loading import load, response
from tests.evaluation.runs.doing import finished, plan_it

pytestmark = pytest.mark.usefixtures("counts_hold")

ASKED: dict[str, Any] = {"judge": "model", "connection": "lab", "by_operator": True}
QUICK = Filters(resamples=200)
NAMES = ("Amber", "Bronze", "Carmine")


@pytest.fixture
def compared(alice):
    """No batch has made a pair. Bronze's answers are loaded last, Amber's before."""
    made = create_study(name="Pairs", slug="pairs", preset="pairwise", owner=alice)
    rows = [
        response(f"{name} says {n} [1].", system=name, question_id=f"q{n}", question=f"{n}?")
        for name in ("Carmine", "Amber", "Bronze")
        for n in range(1, 9)
    ]
    load(made, rows)
    return made


def answers_of(told):
    """Answer 1 and Answer 2 as the model is told them."""
    return re.findall(r"## Answer [12]\n\n<[^>]*>\n(\w+) says", told)


def says_first(told, schema):
    """Always for whoever stands first."""
    first = schema["properties"]["value"]["enum"][0]
    return {"value": first, "reason": " over ".join(answers_of(told))}


def says_amber(told, schema):
    """Amber wins wherever it stands; else a tie."""
    values = schema["properties"]["value"]["enum"]
    both = answers_of(told)
    value = values[0] if both[0] == "Amber" else values[-2] if both[1] == "Amber" else "tie"
    return {"value": value, "reason": " over ".join(both), "quotes": []}


def test_both_are_told_in_an_order_that_is_drawn_and_kept(compared, serve):
    one = {"dimensions": ["better_answer"], **ASKED}
    server = serve(says_amber)
    run = finished(compared, **one)
    assert run.state == "done", run.error
    assert run.plan["judgments"] == {"better_answer": 24}
    count = len(server.calls)
    assert count == 24
    finished(compared, missing_only=False, **one)
    assert len(server.calls) == count  # the same order each time
    rows = Judgment.objects.select_related("unit__response__system", "unit__other__system")
    sides = dict(PairShown.objects.values_list("unit", "mirrored"))
    assert len(sides) == len(rows) == 24
    assert 4 <= sum(sides.values()) <= 20
    row: Any
    for row in rows:
        names = [row.unit.response.system.name, row.unit.other.system.name]
        assert names == sorted(names)
        assert row.note.split(" over ") == (names[::-1] if sides[row.unit_id] else names)
        assert row.value == ("much_better" if names[0] == "Amber" else "tie")
        assert row.score is None


def test_words_of_either_answers_passages_are_evidence_there(alice, serve):
    study = create_study(name="Two", slug="two", preset="pairwise", owner=alice)
    for name in ("Amber", "Bronze"):
        rows = [
            response(
                f"{name} says it [1].", system=name, question_id=f"q{n}", question=f"{n}?",
                passages=((f"{name}'s", f"Words that {name} cites in {n}."),),
            )
            for n in range(1, 7)
        ]  # fmt: skip
        load(study, rows)

    def quotes(told, schema):
        [(number, name)] = re.findall(
            r"## Passage (-1): .* of Answer 2\n.*?Words that (\w+)", told, re.S
        )
        known = schema["properties"]["quotes"]["items"]["properties"]["passage"]["enum"]
        assert known == [1, -1]
        said = [{"passage": int(number), "words": f"{name} cites"}]
        return {"value": "second", "reason": name, "quotes": said}

    serve(quotes)
    run = finished(study, dimensions=["better_supported"], **ASKED)
    assert run.state == "done", run.error
    found = Evidence.objects.select_related("source__response__system", "unit")
    sides = dict(PairShown.objects.values_list("unit", "mirrored"))
    assert {*sides.values()} == {True, False}
    one: Any
    for one in found:
        is_other = one.source.response_id == one.unit.other_id
        assert is_other is not sides[one.unit_id]  # Answer 2 is the other one unless mirrored
        name = one.source.response.system.name
        assert one.text == f"{name} cites"
        value = Judgment.objects.get(unit=one.unit).value
        assert value == ("second" if is_other else "first")
    assert len(found) == 6


def test_only_the_pairs_of_a_batch_where_there_is_one_and_of_the_chosen_systems(compared, serve):
    create_batch(compared, name="Some", selection=Selection(pairs=1), dimensions=["better_answer"])
    of_batch = {*Unit.objects.filter(kind="pair").values_list("pk", flat=True)}
    assert len(of_batch) == 8
    one = {"dimensions": ["better_answer"], **ASKED}
    serve(says_amber)
    finished(compared, **one)
    assert {*Judgment.objects.values_list("unit", flat=True)} == of_batch
    Judgment.objects.all().delete()
    two = [compared.systems.get(name=name) for name in ("Amber", "Bronze")]
    finished(compared, systems=two, **one)
    names = Judgment.objects.values_list(
        "unit__response__system__name", "unit__other__system__name"
    )
    assert {*names} == {("Amber", "Bronze")}


def test_a_run_of_one_batch_asks_about_no_pair_of_another(compared, serve):
    some = Selection(pairs=1)
    first = create_batch(compared, name="1", selection=some, dimensions=["better_answer"])
    create_batch(compared, name="2", selection=some, dimensions=["better_answer"], seed=7)
    of_first = {*first.items.values_list("unit", flat=True)}
    assert Unit.objects.filter(kind="pair").count() > len(of_first)
    serve(says_amber)
    finished(compared, dimensions=["better_answer"], batch=first, **ASKED)
    assert {*Judgment.objects.values_list("unit", flat=True)} == of_first


def test_a_trial_shows_pairs(compared, serve):
    serve(says_amber)
    settings = JudgeSettings("model", "", connection="lab", dimensions=["better_answer"])
    made = runs.create(compared, settings, by_operator=True, queued=False, dry_units=3)
    run = plan_it(made.pk)
    assert run.state == "planned", run.error
    assert [one.unit for one in shown(run)] == ["vs1", "vs2", "vs1"]
    assert Unit.objects.filter(kind="pair").count() == 9  # of three questions alone


def test_the_report_counts_a_judge_and_whether_it_prefers_the_first(compared, serve, tmp_path):
    serve(says_first)
    finished(compared, dimensions=["better_answer"], **ASKED)
    report: Any = build(gather(compared), QUICK)
    [found] = report["pairs"]
    assert (found["pairs"], found["answers"], found["systems"]) == (0, 0, [])
    [judge] = found["judges"]
    assert judge["pairs"] == 24
    assert judge["first_seen"]["value"] == 1
    assert judge["first_seen"]["n"] == 24
    tables = {table.key: table for table in tables_of(report)}
    assert "preferred-better_answer" not in tables
    by_judge = tables["judges-prefer-better_answer"]
    assert {row[1] for row in by_judge.rows} == {*NAMES}
    [order] = tables["seen-first"].rows
    assert str(order[1]).startswith("Language model")
    # Worked: the first by name wins where the order is theirs.
    sides: Any = PairShown.objects.select_related("unit__response__system", "unit__other__system")
    won = [
        not one.mirrored if one.unit.response.system.name == "Amber" else one.mirrored
        for one in sides
        if "Amber" in {one.unit.response.system.name, one.unit.other.system.name}
    ]
    amber = next(row for row in judge["systems"] if row["system"] == "Amber")
    assert amber["rate"]["value"] == pytest.approx(sum(won) / 16)
    path = tmp_path / "pairs.zip"
    out = BytesIO()
    write_bundle(compared, QUICK, out)
    path.write_bytes(out.getvalue())
    data, filters = read_bundle(path)
    assert dumps(build(data, filters)) == dumps(report)


def test_people_and_the_judge_are_compared(compared, serve):
    batch = create_batch(compared, name="All", dimensions=["better_answer"])
    serve(says_amber)
    finished(compared, dimensions=["better_answer"], **ASKED)
    for number in range(2):
        judge = Judge.objects.create(study=compared, name=f"rater-{number}", kind="simulated")
        for item in batch.items.select_related("unit__response__system"):
            is_amber = item.unit.response.system.name == "Amber"
            value = "better" if is_amber else "worse"
            Judgment.objects.create(
                judge=judge, unit=item.unit, dimension="better_answer", value=value
            )
    report: Any = build(gather(compared), QUICK)
    [row] = [one for one in report["agreement"] if one["item"] == "better_answer"]
    assert row["units"] == 24
    texts = [line["text"] for line in report["headline"]]
    assert len(texts) == len({*texts})
    assert tables_of(report)


def test_of_two_as_likely_the_lower_is_kept_whoever_stands_first(compared, serve):
    def shares(told, schema):
        names = schema["properties"]["probabilities"]["properties"]
        return {"reason": "", "probabilities": {n: float(n in ("better", "worse")) for n in names}}

    serve(shares)
    run = finished(compared, style="probabilities", dimensions=["better_answer"], **ASKED)
    assert run.state == "done", run.error
    assert {*PairShown.objects.values_list("mirrored", flat=True)} == {True, False}
    assert {*Judgment.objects.values_list("value", "score")} == {("worse", None)}
