"""Two systems' responses side by side: which pairs a batch takes, what is kept of answers."""

import csv
import json
import zipfile
from collections import Counter
from functools import partial
from io import BytesIO

import pytest
from django.urls import reverse

from annotate import uploads
from annotate.content.judgments import judge_of, record_judgment
from annotate.exchange import deletion
from annotate.exchange.marks_csv import evidence_csv
from annotate.exchange.streams import judgments_csv
from annotate.models import (
    Assignment,
    BatchItem,
    Evidence,
    Judge,
    Judgment,
    Membership,
    Response,
    Role,
    Unit,
)
from annotate.people import leaving
from annotate.protocol.pairs import as_seen, opposite
from annotate.protocol.shipped import SHIPPED
from annotate.rating import answering, assignments, places
from annotate.rating.batches import Selection, create_batch, open_batch, preview
from annotate.rating.standing import change_standing
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from annotate.web.errors import Refused
from evaluation.report_pages.bundle import write_bundle
from evaluation.reports.filters import Filters
from tests.annotate.batched import rows
from tests.annotate.concurrency import at_once
from tests.annotate.loading import check, judgment, load, response
from tests.annotate.rating import answer, at, open_work
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.usefixtures("counts_hold")

KEYS = ["better_answer", "better_supported"]


@shared_rows
def pairwise(alice):
    made = create_study(name="Pairs", slug="pairs", preset="pairwise", owner=alice)
    load(made, rows(questions=4))
    return made


@shared_rows
def raters(pairwise, rita, bob):
    for user in (rita, bob):
        Membership.objects.create(study=pairwise, user=user, role=Role.RATER)
    return [judge_of(pairwise, user) for user in (rita, bob)]


@shared_rows
def judge(raters):
    return raters[0]


def names(batch):
    found = batch.items.values_list(
        "response__question__external_id", "response__system__name", "unit__other__system__name"
    )
    return sorted(found)


def test_all_pairs_of_every_question(pairwise):
    counts = preview(pairwise, Selection(pairs=2), raters_per_item=3)
    assert (counts.tasks, counts.ratings, counts.answers) == (8, 24, 16)
    assert not Unit.objects.filter(kind="pair").exists()
    batch = create_batch(pairwise, name="Pairs")
    pairs = [("Amber", "Bronze"), ("Amber", "Carmine"), ("Bronze", "Carmine")]
    assert names(batch) == [(f"q{n}", *pair) for n in range(1, 5) for pair in pairs]
    assert batch.granularity == "unit"
    keys = Unit.objects.filter(kind="pair", response__question__external_id="q1")
    assert sorted(keys.values_list("response__system__name", "key")) == [
        ("Amber", "vs1"), ("Amber", "vs2"), ("Bronze", "vs1"),
    ]  # fmt: skip


def test_drawn_pairs_are_balanced(pairwise):
    load(pairwise, rows(questions=12))
    batch = create_batch(pairwise, name="Some", selection=Selection(pairs=1), seed=3)
    found = names(batch)
    assert Counter(question for question, _, _ in found) == {f"q{n}": 1 for n in range(1, 13)}
    assert set(Counter((one, other) for _, one, other in found).values()) == {4}
    again = create_batch(pairwise, name="Rest", selection=Selection(pairs=1), seed=3)
    assert not {*names(again)} & {*found}  # what another batch asks about is not taken again


def test_only_what_both_answered(pairwise):
    load(pairwise, [response("It is high [1].", system="Amber", question_id="q9", question="9?")])
    load(pairwise, [response("It is low.", system="Bronze", question_id="q9", question="9?")])
    every = create_batch(pairwise, name="Every")
    assert not every.items.filter(response__question__external_id="q9").exists()
    rest = create_batch(pairwise, name="Any", selection=Selection(any_answer=True))
    assert names(rest) == [("q9", "Amber", "Bronze")]


def test_pairs_have_a_batch_of_their_own(pairwise):
    pairwise.dimensions = [*KEYS, "utility"]
    pairwise.save()
    amber = pairwise.systems.get(name="Amber").pk
    for options, said in (
        ({"dimensions": [*KEYS, "utility"]}, "has a batch of its own"),
        ({"dimensions": ["utility"], "selection": Selection(pairs=2)}, "a question about pairs"),
        (
            {"selection": Selection(systems=(amber,)), "dimensions": KEYS},
            "choose at least two systems",
        ),
    ):
        with pytest.raises(Refused, match=said):
            create_batch(pairwise, name="No", **options)
    assert create_batch(pairwise, name="First").dimensions == ["utility"]


# Rating ------------------------------------------------------------------------------------------


def task_with(batch, judge, *, mirrored):
    """A task of the rater in which the other answer comes first, or not."""
    while True:
        task = assignments.next_task(batch, judge)
        assert isinstance(task, Assignment)
        if task.mirrored is mirrored:
            return task
        assignments.give_back(task, for_good=True)


def done(batch, judge, *values):
    """Does every task: one value for each question about the pair."""
    tasks = []
    while isinstance(task := assignments.next_task(batch, judge), Assignment):
        for step, value in zip(steps_of(batch, task.item), values, strict=True):
            answering.save_answer(task, step, value=value)
        tasks.append(answering.finish(task))
    return tasks


def test_what_is_kept_speaks_of_the_first_by_name(pairwise, judge, client, rita):
    client.force_login(rita)
    batch = open_work(pairwise)
    for mirrored, left in ((False, "better"), (True, "worse")):
        task = task_with(batch, judge, mirrored=mirrored)
        page = client.get(at(task, "task")).content.decode()
        key = f"{task.item.unit.key}:better_answer"
        assert f'value="{left}" data-key-choice="2" data-label="Answer 1 is better"' in page
        assert not any(name in page for name in ("Amber", "Bronze", "Carmine"))
        assert answer(client, task, key, left).status_code == 200
        kept = Judgment.objects.get(unit=task.item.unit, dimension="better_answer")
        assert kept.value == left
        end = client.get(at(task, "task") + "?step=end").content.decode()
        assert "Answer 1 is better" in end
        assignments.give_back(task, for_good=True)


def test_the_order_is_drawn_for_each_rater_and_pair(pairwise, raters):
    batch = open_work(pairwise, raters_per_item=2)
    drawn = {}
    for who in raters:
        for task in done(batch, who, "tie", "even"):
            drawn[who.name, task.item_id] = task.mirrored
    assert len(drawn) == 24
    assert 6 <= sum(drawn.values()) <= 18
    rita, bob = (who.name for who in raters)
    items = [item for name, item in drawn if name == rita]
    assert any(drawn[rita, item] != drawn[bob, item] for item in items)


def counted():
    return Judgment.objects.current().counted().filter(dimension="better_answer")


def test_an_excluded_rater_s_pairs_are_rated_again_and_a_readmitted_one_s_count(pairwise, raters):
    batch = open_work(pairwise)
    first, second = raters
    assert len(done(batch, first, "better", "even")) == 12
    assert done(batch, second, "worse", "even") == []
    change_standing(first, Judge.Standing.EXCLUDED, reason="random answers")
    assert not counted().exists()
    assert Judgment.objects.filter(judge=first).count() == 24
    assert len(done(batch, second, "worse", "even")) == 12
    assert {*counted().values_list("judge", "value")} == {(second.pk, "worse")}
    change_standing(first, Judge.Standing.ACTIVE, reason="they were not")
    assert Counter(counted().values_list("value", flat=True)) == {"better": 12, "worse": 12}


@pytest.mark.parametrize("leave", [leaving.remove_account, leaving.make_pseudonymous])
def test_who_leaves_amid_pairs_leaves_what_is_whole_and_the_begun_one_to_others(
    pairwise, raters, rita, leave
):
    batch = open_work(pairwise)
    first, second = raters
    task = assignments.next_task(batch, first)
    assert isinstance(task, Assignment)
    for step, value in zip(steps_of(batch, task.item), ("better", "even"), strict=True):
        answering.save_answer(task, step, value=value)
    answering.finish(task)
    begun = assignments.next_task(batch, first)
    assert isinstance(begun, Assignment)
    answering.save_answer(begun, steps_of(batch, begun.item)[0], value="worse")
    leave(rita)
    assert list(counted().values_list("judge__name", "value")) == [(first.name, "better")]
    assert not Judgment.objects.counted().filter(unit=begun.item.unit).exists()
    rest = done(batch, second, "tie", "even")
    assert len(rest) == 11
    assert begun.item_id in {task.item_id for task in rest}
    assert Counter(counted().values_list("value", flat=True)) == {"better": 1, "tie": 11}
    kept = "".join(judgments_csv(pairwise))
    assert first.name in kept
    assert rita.username not in kept


@pytest.mark.django_db(transaction=True)
def test_two_at_once_share_the_pairs_and_none_is_rated_twice(pairwise, raters):
    batch = open_work(pairwise)
    outcomes = at_once([partial(done, batch, judge, "tie", "even") for judge in raters])
    assert sum(len(tasks) for tasks in outcomes) == 12
    units = list(counted().values_list("unit", flat=True))
    assert len(units) == len({*units}) == 12


def test_a_pair_counts_no_more_once_either_answer_is_replaced(pairwise, judge):
    batch = create_batch(pairwise, name="Pairs")
    open_batch(batch)
    pair = Unit.objects.get(
        kind="pair", response__question__external_id="q1", response__system__name="Amber",
        other__system__name="Bronze",
    )  # fmt: skip
    record_judgment(judge=judge, unit=pair, dimension="better_answer", value="tie")
    assert Judgment.objects.current().count() == 1
    new = rows(questions=1)[1] | {"output": "Another text [1]."}
    load(pairwise, [new], replace=True)
    assert Judgment.objects.current().count() == 0
    assert Judgment.objects.count() == 1
    assert places.items_to_rate(batch).count() == 12 - 2
    again = create_batch(pairwise, name="Again")
    assert names(again) == [("q1", "Amber", "Bronze"), ("q1", "Bronze", "Carmine")]


def test_a_deleted_system_takes_its_pairs_and_brings_them_back(pairwise):
    batch = open_work(pairwise)
    removal = deletion.delete_system(pairwise.systems.get(name="Carmine"))
    assert places.items_to_rate(batch).count() == 4
    deletion.put_back(removal)
    assert places.items_to_rate(batch).count() == 12
    removal = deletion.delete_system(pairwise.systems.get(name="Carmine"))
    deletion.remove_now(removal)
    deletion.work(removal.pk)
    assert not Response.objects.filter(system__name="Carmine").exists()
    assert BatchItem.objects.filter(batch=batch).count() == 4


def test_disputes_are_decided_blind(pairwise, raters, alice, client):
    listed = Selection(questions="list", listed=("q1",))
    batch = open_work(pairwise, raters_per_item=2, selection=listed)
    for who, value in zip(raters, ("better", "worse"), strict=True):
        done(batch, who, value, "even")
    client.force_login(alice)
    unit = batch.items.earliest("pk").unit
    queue = client.get(reverse("disputes", args=[pairwise.slug])).content.decode()
    assert "Two answers to this question" in queue
    assert "(empty)" not in queue
    address = reverse("dispute", args=[pairwise.slug, unit.pk, "better_answer"])
    page = client.get(address).content.decode()
    assert page.count('class="pair-side"') == 2
    assert not any(f">{name}<" in page for name in ("Amber", "Bronze", "Carmine"))
    assert client.post(address, {"value": "better"}).status_code == 302
    assert Judgment.objects.get(judge__kind="adjudicated").value == "better"


def test_what_is_marked_in_both_answers_is_kept_and_told(pairwise, judge, client, rita):
    listed = Selection(questions="list", listed=("q1",))
    batch = open_work(pairwise, selection=listed)
    task = task_with(batch, judge, mirrored=True)
    client.force_login(rita)
    key = f"{task.item.unit.key}:better_supported"
    for place, status in (("1", 200), ("-1", 200), ("-9", 422), ("", 422)):
        sent = {"step": key, "source": place, "start": "0", "end": "4"}
        page = client.post(at(task, "task-evidence"), sent, headers={"hx-request": "true"})
        assert page.status_code == status
    pair = task.item.unit
    marked = Evidence.objects.order_by("pk").values_list("source__response", flat=True)
    assert list(marked) == [pair.response_id, pair.other_id]
    done(batch, judge, "tie", "even")
    ns = [row["n"] for row in csv.DictReader(evidence_csv(pairwise))]
    assert ns == ["1", "-1"]
    bundle = zipfile.ZipFile(bundle_of(pairwise))
    rows = csv.DictReader(bundle.read("evidence.csv").decode().splitlines())
    assert [row["n"] for row in rows] == ["-1", "1"]
    removal = deletion.delete_system(pair.other.system)
    deletion.remove_now(removal)
    deletion.work(removal.pk)
    assert not Evidence.objects.exists()


def bundle_of(study):
    file = BytesIO()
    write_bundle(study, Filters(), file)
    return file


# Files -------------------------------------------------------------------------------------------


def test_judgments_go_into_a_study_with_the_same_systems(pairwise, judge, alice):
    batch = open_work(pairwise, selection=Selection(pairs=1), seed=5)
    done(batch, judge, "tie", "even")
    text = "".join(judgments_csv(pairwise))
    assert text.splitlines()[0].endswith(",other_system,other_run")
    elsewhere = create_study(name="There", slug="there", preset="pairwise", owner=alice)
    load(elsewhere, rows(questions=4))
    create_batch(elsewhere, name="All of them")  # the same pairs have other numbers here
    upload = check(elsewhere, "judgments.csv", text)
    assert upload.findings["judgments"] == 8
    uploads.accept(upload)
    uploads.work(upload.pk)
    kept = Judgment.objects.current().filter(unit__response__study=elsewhere)
    assert kept.count() == 8

    def pairs(study):
        return sorted(
            Judgment.objects.filter(unit__response__study=study).values_list(
                "unit__response__question__external_id", "unit__response__system__name",
                "unit__other__system__name", "dimension", "value",
            )
        )  # fmt: skip

    assert pairs(elsewhere) == pairs(pairwise)


def test_rows_about_pairs_that_cannot_be(pairwise):
    whole = judgment("vs1", "better_answer", "tie", system="Amber", score=None, seconds=None)
    utility = {"unit": "r", "dimension": "utility", "value": "3"}
    for row, said in (
        ({"unit": "vs1"}, "the name of the system whose answer"),
        ({**utility, "other_system": "Bronze"}, "only a pair has another answer"),
        ({"unit": "vs1", "other_system": "Nobody"}, "a system with a response to question"),
        ({"unit": "vs1", "system": "Bronze", "other_system": "Amber"}, "comes after"),
    ):
        upload = check(pairwise, "judgments.jsonl", json.dumps(whole | row))
        assert said in str(upload.findings)


def test_every_choice_has_an_opposite():
    asked = SHIPPED["better_answer"]
    assert [opposite(asked, value) for value in asked.low_to_high] == [*asked.low_to_high[::-1]]
    seen = as_seen(asked, mirrored=True)
    assert seen.label("much_worse") == "Answer 1 is much better"
    assert seen.label("tie") == asked.label("tie")
