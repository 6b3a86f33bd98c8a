"""What a batch holds: paired questions, samples that names decide, gold apart, the right tasks."""

import random
from functools import partial

import pytest

from annotate.content.judgments import judge_of
from annotate.exchange.deletion import delete_batch
from annotate.models import (
    Assignment,
    BatchItem,
    Judge,
    Judgment,
    Response,
)
from annotate.protocol.steps import order_steps
from annotate.rating.assignments import next_task
from annotate.rating.batches import (
    Selection,
    close_batch,
    create_batch,
    open_batch,
    preview,
    systems_named,
)
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from annotate.web.errors import Refused
from tests.annotate import batched
from tests.annotate.batched import SYSTEMS, rows, sample
from tests.annotate.concurrency import at_once
from tests.annotate.loading import load, load_peaks

peaks, key = batched.peaks, batched.key


def held(batch, **only):
    """The items by names."""
    found = batch.items.filter(**only).values_list(
        "response__question__external_id", "response__system__name", "response__run", "unit__key"
    )
    assert len(found) == len(set(found))
    return set(found)


def questions(batch, **only):
    return {name for name, *_ in held(batch, **only)}


def test_all_systems_get_the_same_questions(peaks):
    """One system answers a ninth question that the others do not."""
    load(peaks, rows(questions=9, systems=("Amber",))[8:])
    both = create_batch(peaks, name="Both")
    assert questions(both) == {f"q{n}" for n in range(1, 9)}
    delete_batch(both)
    told = preview(peaks, Selection())
    alone = Selection(systems=systems_named(peaks, ["Amber"]))
    assert questions(create_batch(peaks, name="Alone", selection=alone)) == {
        f"q{n}" for n in range(1, 10)
    }
    assert (told.questions, told.unpaired) == (8, 1)
    assert told.unpaired_examples == (("q9", ("Bronze", "Carmine")),)


def test_a_sample_is_paired_too(peaks):
    load(peaks, rows(questions=20, systems=("Amber",))[8:])
    batch = create_batch(peaks, name="Sample", **sample(5))
    found = held(batch)
    assert len(found) == 15
    for name in questions(batch):
        assert {system for q, system, *_ in found if q == name} == set(SYSTEMS)


def test_the_same_seed_draws_the_same_sample_and_order_elsewhere(peaks, oscar):
    """Loaded in another order, by somebody else, with other keys."""
    other = create_study(name="Other", slug="other", preset="alce", owner=oscar)
    shuffled = rows()
    random.Random(3).shuffle(shuffled)
    load(other, shuffled)

    def drawn(study, seed):
        batch = create_batch(study, name=f"Sample {seed}", **sample(4, seed))
        names = ("response__question__external_id", "response__system__name")
        found = set(batch.items.values_list(*names, "shuffle", "question_shuffle"))
        delete_batch(batch)
        return found

    assert drawn(peaks, 1) == drawn(other, 1)
    assert len({frozenset(q for q, *_ in drawn(peaks, seed)) for seed in range(2, 12)}) > 3


def test_questions_left_out_and_those_of_other_batches(peaks):
    first = create_batch(peaks, name="First", **sample(3))
    chosen = Selection(left_out=("q1", "q2"), apart_from=(first.pk,))
    second = create_batch(peaks, name="Second", selection=chosen)
    assert questions(second) == {f"q{n}" for n in range(3, 9)} - questions(first)
    assert second.selection["apart_from"] == ["First"]


# Units -------------------------------------------------------------------------------------------


def expected_units(study):
    """From the steps of each response: the units that are asked about."""
    found = set()
    for each in Response.objects.current().filter(study=study).select_related("question", "system"):
        steps = order_steps(
            list(each.units.order_by("pk")),
            list(each.sources.select_related("passage")),
            study.dimension_list,
            cap=study.citation_cap,
        )
        names = (each.question.external_id, each.system.name, each.run)
        found |= {(*names, step.unit.key) for step in steps}
    return found


def test_single_units_are_the_units_that_have_a_step(peaks):
    batch = open_batch(create_batch(peaks, name="Units", granularity="unit"))
    found = held(batch)
    assert found == expected_units(peaks)
    assert {key for *_, key in found} == {"r", "s1", "s1.c1", "s2", "s2.c1", "s2.c2"}
    judge = Judge.objects.create(study=peaks, kind="human", name="rater-1")
    task = next_task(batch, judge)
    assert isinstance(task, Assignment)
    assert {step.unit for step in steps_of(batch, task.item)} == {task.item.unit}


def test_units_and_responses_without_a_question_are_no_tasks(study):
    """Of the shared study's answers: a mark without passage, four citations, an empty answer."""
    load_peaks(study)
    batch = create_batch(study, name="Units", granularity="unit")
    found = held(batch)
    assert found == expected_units(study)
    assert ("q1", "Quokka-9B", "", "s1") not in found
    assert ("q2", "Vermilion", "", "s1.c3") in found
    assert ("q2", "Vermilion", "", "s1.c4") not in found
    delete_batch(batch)
    told = preview(study, Selection(), dimensions=["citation_recall"])
    batch = create_batch(study, name="Statements", dimensions=["citation_recall"])
    assert {system for _, system, *_ in held(batch)} == {"Vermilion"}
    assert (told.responses, told.empty, told.tasks) == (4, 2, 2)


# What other batches hold -------------------------------------------------------------------------


def test_what_another_batch_asks_about_is_left_out_by_whole_questions(peaks):
    amber = Selection(systems=systems_named(peaks, ["Amber"]), questions="list", listed=("q1",))
    create_batch(peaks, name="First", selection=amber)
    told = preview(peaks, Selection())
    assert (told.questions, told.elsewhere, told.others) == (7, 1, ("First",))
    batch = create_batch(peaks, name="Rest")
    assert questions(batch) == {f"q{n}" for n in range(2, 9)}
    with pytest.raises(Refused, match="is in “First”, “Rest”"):
        create_batch(peaks, name="More")


def test_samples_are_nested_and_hold_nothing_of_another_batch(peaks):
    few = create_batch(peaks, name="Few", **sample(3))
    smaller = questions(few)
    delete_batch(few)
    first = create_batch(peaks, name="First", **sample(5))
    assert smaller < questions(first)
    assert not questions(first) & questions(create_batch(peaks, name="Second", **sample(3)))
    with pytest.raises(Refused, match="is in “First”, “Second”"):
        create_batch(peaks, name="Third")


def test_what_is_listed_and_asked_about_elsewhere_is_refused_by_name(peaks, key):
    create_batch(peaks, name="First", selection=Selection(questions="list", listed=("q1", "q2")))
    listed = Selection(questions="list", listed=("q1", "q2", "q3"))
    said = "^“q1”, “q2”: the same is asked about them in “First” already"
    with pytest.raises(Refused, match=said):
        create_batch(peaks, name="x", selection=listed)
    with pytest.raises(Refused, match=said):
        preview(peaks, listed)
    with pytest.raises(Refused, match=r"^“q2”: the same is asked about it in “First” already"):
        create_batch(
            peaks, name="x", selection=Selection(gold_listed=("q2",)), gold=key, gold_percent=5
        )
    drawn = create_batch(
        peaks, name="Drawn", selection=Selection(gold_count=2), gold=key, gold_percent=5
    )
    assert questions(drawn, is_gold=True) == {"q3", "q4"}


def test_other_questions_practice_and_other_systems_are_in_nobodys_way(peaks, key):
    create_batch(peaks, name="Utility", dimensions=["utility"])
    practice = Selection(questions="list", listed=("q1",))
    create_batch(peaks, name="Practice", purpose="practice", gold=key, selection=practice)
    rest = ["citation_recall", "citation_support"]
    amber = Selection(systems=systems_named(peaks, ["Amber"]))
    batch = create_batch(peaks, name="Amber", dimensions=rest, selection=amber)
    assert len(held(batch)) == 8
    others = Selection(systems=systems_named(peaks, ["Bronze", "Carmine"]))
    assert len(held(create_batch(peaks, name="B", dimensions=rest, selection=others))) == 16
    create_batch(peaks, name="Practice 2", purpose="practice", gold=key, selection=practice)


def test_closed_batch_counts_where_a_person_rated_in_it(peaks, rita):
    first = close_batch(open_batch(create_batch(peaks, name="First")))
    second = create_batch(peaks, name="Second", **sample(2))
    with pytest.raises(Refused, match="“Second” asks the same"):
        open_batch(first)
    delete_batch(second)
    next_task(open_batch(first), judge_of(peaks, rita))
    close_batch(first)
    with pytest.raises(Refused, match="is in “First”"):
        create_batch(peaks, name="Second")


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_two_batches_made_at_once_do_not_take_the_same(peaks):
    made = at_once([partial(create_batch, peaks, name=f"b{n}") for n in range(3)])
    assert sorted(type(one).__name__ for one in made) == ["Batch", "Refused", "Refused"], made
    assert BatchItem.objects.count() == 24


# Gold --------------------------------------------------------------------------------------------


def test_gold_is_apart_from_the_work_and_known(peaks, key):
    chosen = Selection(gold_listed=("q1", "q2"))
    batch = create_batch(peaks, name="All", selection=chosen, gold=key, gold_percent=10)
    assert questions(batch, is_gold=True) == {"q1", "q2"}
    assert questions(batch, is_gold=False) == {f"q{n}" for n in range(3, 9)}
    delete_batch(batch)
    drawn = {"gold": key, "gold_percent": 10}
    four = Selection(gold_count=4)
    batch = create_batch(peaks, name="Units", selection=four, granularity="unit", **drawn)
    assert {unit for *_, unit in held(batch, is_gold=True)} == {"s1"}
    delete_batch(batch)
    Judgment.objects.filter(judge=key).update(value="", skipped_reason="broken")
    with pytest.raises(Refused, match="0 of the questions that may be taken have known answers"):
        create_batch(peaks, name="x", selection=Selection(gold_count=1), **drawn)
