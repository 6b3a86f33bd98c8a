"""A look before a batch is made, and what cannot be made."""

from dataclasses import replace
from typing import Any

import pytest

from annotate.models import (
    Batch,
    BatchItem,
    Judge,
    System,
)
from annotate.rating.batches import (
    Selection,
    create_batch,
    gold_judge_named,
    practice_of,
    preview,
    systems_named,
)
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from annotate.web.errors import Refused
from tests.annotate import batched
from tests.annotate.batched import rows
from tests.annotate.loading import load
from tests.annotate.test_batches import questions

peaks, key = batched.peaks, batched.key


# A look before -----------------------------------------------------------------------------------


CASES = [
    {},
    {"granularity": "unit"},
    {"dimensions": ["utility"]},
    {"granularity": "unit", "dimensions": ["citation_recall", "citation_support"]},
    {"selection": Selection(questions="sample", sample_size=3)},
    {"selection": Selection(questions="list", listed=("q1", "q5"), left_out=("q5",))},
    {"selection": Selection(gold_count=2), "gold_percent": 10},
    {"selection": Selection(questions="sample", sample_size=2, gold_listed=("q1",)),
     "gold_percent": 10, "granularity": "unit"},
    {"purpose": "practice", "selection": Selection(questions="list", listed=("q1",))},
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_preview_counts_what_is_created(peaks, key, case):
    load(peaks, rows(questions=9, systems=("Amber",))[8:])
    options = {"gold": key, "raters_per_item": 2, **case}
    selection = options.pop("selection", Selection())
    asked = {name: value for name, value in options.items() if name != "gold_percent"}
    told = preview(peaks, replace(selection, seed=4), **asked)
    batch = create_batch(peaks, name="x", selection=selection, seed=4, **options)
    work, gold = batch.items.filter(is_gold=False), batch.items.filter(is_gold=True)
    assert told.tasks == work.count() > 0
    assert told.gold_tasks == gold.count()
    assert told.questions == len(questions(batch, is_gold=False))
    assert told.gold_questions == len(questions(batch, is_gold=True))
    assert told.responses == len(set(work.values_list("response", flat=True))) + told.empty
    assert told.ratings == (0 if batch.is_practice else 2 * told.tasks)
    assert sum(n for _, n in told.per_kind) == told.tasks
    assert told.answers == sum(len(steps_of(batch, item)) for item in work)


def test_few_queries_however_many_responses(peaks, django_assert_max_num_queries):
    load(peaks, rows(questions=60)[24:])
    with django_assert_max_num_queries(20):
        preview(peaks, Selection(), granularity="unit")
    assert not Batch.objects.exists()
    with django_assert_max_num_queries(25):
        batch = create_batch(peaks, name="All", granularity="unit")
    assert batch.items.count() == 60 * 3 * 6


# Refusals ----------------------------------------------------------------------------------------


REFUSALS: list[tuple[dict[str, Any], str]] = [
    ({"name": " "}, "Give the batch a name"),
    ({"selection": Selection(questions="list", listed=("q1", "q77", "x"))},
     "There is no question “q77”, “x” in this study"),
    ({"selection": Selection(left_out=("q77",))}, "There is no question “q77”"),
    ({"selection": Selection(questions="sample", sample_size=9)},
     "9 questions cannot be drawn: every chosen system answered 8"),
    ({"selection": Selection(questions="sample")}, "at least one"),
    ({"selection": Selection(systems=(10**9,))}, "not in this study any more"),
    ({"selection": Selection(questions="list", listed=("q1",), left_out=("q1",))},
     "Nothing would be in this batch"),
    ({"dimensions": ["claim_recall"]}, "This study does not ask “claim_recall”"),
    ({"dimensions": []}, "Choose at least one dimension"),
    ({"raters_per_item": 1_001}, "number of raters must be from 1 to 1,000"),
    ({"lease_minutes": 20_000}, "number of minutes"),
    ({"gold_percent": 10}, "needs gold questions"),
    ({"gold_mark": 50}, "needs gold questions"),
    ({"selection": Selection(gold_count=1), "gold_percent": 10}, "Choose a source of gold answers"),
]  # fmt: skip


def test_what_cannot_be_made_is_refused(subtests, peaks):
    for options, said in REFUSALS:
        with subtests.test(options=options):
            with pytest.raises(Refused, match=said):
                create_batch(peaks, **{"name": "x", **options})
            assert not Batch.objects.exists()
            assert not BatchItem.objects.exists()


def test_gold_must_fit(peaks, key):
    person = Judge.objects.create(study=peaks, kind="human", name="rater-1")
    for options, said in (
        ({"gold": key, "selection": Selection(gold_count=2)}, "at least 1 percent"),
        ({"gold": key, "selection": Selection(gold_count=2), "gold_percent": 51}, "At most 50"),
        ({"gold": person}, "reference or adjudicated labels of this study"),
        ({"gold": key, "selection": Selection(gold_count=5), "gold_percent": 5},
         "5 gold questions cannot be drawn: 4"),
        ({"gold": key, "selection": Selection(gold_listed=("q1",), left_out=("q1",)),
          "gold_percent": 5}, "“q1” cannot be gold"),
        ({"gold": key, "purpose": "practice", "selection": Selection(gold_count=1)},
         "In practice every answer is known"),
    ):  # fmt: skip
        with pytest.raises(Refused, match=said):
            create_batch(peaks, name="x", **options)
    assert not Batch.objects.exists()


def test_a_judge_of_another_study_knows_nothing_here(peaks, elsewhere):
    stranger = Judge.objects.create(study=elsewhere, kind="reference", name="Theirs")
    with pytest.raises(Refused, match="of this study"):
        create_batch(peaks, name="x", gold=stranger)
    with pytest.raises(Refused, match="no known answers by “Theirs”"):
        gold_judge_named(peaks, "Theirs")


def test_a_system_of_another_study_or_without_responses_is_refused(peaks, elsewhere):
    theirs = System.objects.filter(study=elsewhere)[0]
    with pytest.raises(Refused, match="not in this study"):
        create_batch(peaks, name="x", selection=Selection(systems=(theirs.pk,)))
    empty = System.objects.create(study=peaks, name="Empty")
    with pytest.raises(Refused, match="“Empty”: no responses"):
        create_batch(peaks, name="x", selection=Selection(systems=(empty.pk,)))
    assert questions(create_batch(peaks, name="x")) == {f"q{n}" for n in range(1, 9)}


def test_practice_asked_for_is_practice_of_this_study(peaks, key, elsewhere):
    practice = create_batch(peaks, name="P", purpose="practice", gold=key)
    assert practice_of(peaks, practice.pk) == practice
    work = create_batch(peaks, name="W", qualification=practice)
    for study, batch in ((peaks, work), (elsewhere, practice)):
        with pytest.raises(Refused, match="not one of this study"):
            practice_of(study, batch.pk)
        with pytest.raises(Refused, match="not one of this study"):
            create_batch(study, name="x", qualification=batch)
    with pytest.raises(Refused, match="cannot ask for other practice"):
        create_batch(peaks, name="x", purpose="practice", gold=key, qualification=practice)


def test_studies_names_and_dimensions_that_give_no_batch_are_refused(peaks, oscar):
    with pytest.raises(Refused, match=r"no system “Azure” in this study\. Known: “Amber”"):
        systems_named(peaks, ["Amber", "Azure"])
    create_batch(peaks, name="Pilot", purpose="practice")
    with pytest.raises(Refused, match="“Pilot” already"):
        create_batch(peaks, name="Pilot ", purpose="practice")
    assert Batch.objects.count() == 1
    load(peaks, rows(questions=9, systems=("Dun",))[8:])
    with pytest.raises(Refused, match="No question was answered by every chosen system"):
        create_batch(peaks, name="x")
    ais = create_study(name="AIS", slug="ais", preset="ais", owner=oscar)
    with pytest.raises(Refused, match="Upload outputs first"):
        create_batch(ais, name="x")
    load(ais, rows(questions=1))
    with pytest.raises(Refused, match="only asked after"):
        create_batch(ais, name="x", dimensions=["attributable"])
