"""Batches of slices, and of systems that answered different questions."""

from collections import Counter
from dataclasses import replace

import pytest

from annotate.rating.batches import Selection, create_batch, preview
from annotate.rating.forms.batches import NewBatchForm
from annotate.web.errors import Refused
from tests.annotate.loading import load, response
from tests.shared_rows import shared_rows

ANSWERED = {"Amber": range(1, 9), "Blue": range(5, 13), "Coral": range(20, 22)}


@shared_rows
def uneven(study):
    """Three systems: two share four questions, the third shares none."""
    lines = []
    for system, numbers in ANSWERED.items():
        for n in numbers:
            question = {"dataset": "asqa" if n % 2 else "eli5"}
            line = response("It is so [1].", system=system, question=f"Why {n}?",
                            question_id=f"q{n}")  # fmt: skip
            line["question"] |= question
            lines.append(line)
    load(study, lines)
    return study


def taken(batch):
    rows = batch.items.values_list("response__system__name", "response__question__external_id")
    return sorted(rows)


def test_any_answer_takes_questions_that_some_systems_answered(uneven):
    with pytest.raises(Refused, match="No question was answered by every chosen system"):
        create_batch(uneven, name="all", selection=Selection())
    batch = create_batch(uneven, name="any", selection=Selection(any_answer=True))
    assert Counter(system for system, _ in taken(batch)) == {"Amber": 8, "Blue": 8, "Coral": 2}
    assert batch.selection["any_answer"] is True


def test_a_sample_has_as_many_of_each_system_until_one_has_no_more(uneven):
    chosen = Selection(questions="sample", sample_size=9, any_answer=True)
    assert preview(uneven, replace(chosen, seed=3)).tasks == 9
    batch = create_batch(uneven, name="nine", selection=chosen, seed=3)
    counts = Counter(system for system, _ in taken(batch))
    assert counts["Coral"] == 2
    assert {counts["Amber"], counts["Blue"]} == {3, 4}
    practice = create_batch(uneven, name="again", selection=chosen, seed=3, purpose="practice")
    assert taken(practice) == taken(batch), "the same seed draws the same"


def test_systems_go_through_the_questions_in_one_order(uneven):
    systems = tuple(uneven.systems.filter(name__in=["Amber", "Blue"]).values_list("pk", flat=True))
    chosen = Selection(systems=systems, questions="sample", sample_size=14, any_answer=True)
    rows = taken(create_batch(uneven, name="x", selection=chosen, seed=1))
    by_system = {name: {key for system, key in rows if system == name} for name in ANSWERED}
    # Each leaves out one of its eight, the last in the common order: of the four questions that
    # both answered, at most one is then lost for each.
    assert len(by_system["Amber"]) == len(by_system["Blue"]) == 7
    assert len(by_system["Amber"] & by_system["Blue"]) >= 3


def test_a_batch_of_one_slice(uneven):
    chosen = Selection(slices=("dataset=asqa",), any_answer=True)
    batch = create_batch(uneven, name="asqa", selection=chosen)
    assert {int(key[1:]) % 2 for _, key in taken(batch)} == {1}
    batch.refresh_from_db()
    assert batch.selection["slices"] == ["dataset=asqa"]


def test_what_cannot_be_is_refused(subtests, uneven):
    for selection, says in [
        (Selection(slices=("dataset=none",)), "no question of the slice “dataset=none”"),
        (Selection(slices=("asqa",)), "A slice is a key and a value"),
        (
            Selection(questions="sample", sample_size=19, any_answer=True),
            "19 answers cannot be drawn: there are 18",
        ),
        (Selection(questions="sample", any_answer=True), "at least one"),
    ]:
        with subtests.test(selection=selection), pytest.raises(Refused, match=says):
            create_batch(uneven, name="x", selection=selection)


def test_only_the_positional_answers_are_taken_of_each_system(study):
    inside, outside = "So [1] it is [2].", "It is so [1]."
    load(
        study,
        [
            response(text, system=system, question=f"Why {n}?", question_id=f"q{n}")
            for system, n, text in (
                ("Amber", 1, inside), ("Blue", 1, outside), ("Blue", 2, inside),
            )
        ],
    )  # fmt: skip
    batch = create_batch(study, name="x", selection=Selection(any_answer=True, positional=True))
    assert taken(batch) == [("Amber", "q1"), ("Blue", "q2")]


def test_the_form_offers_slices_and_any_answer(uneven):
    form = NewBatchForm(uneven)
    given = {name: field.initial for name, field in form.fields.items()}
    given |= {"name": "x", "design": "any", "slices": ["dataset=asqa"], "questions": "all"}
    filled = NewBatchForm(uneven, given)
    assert filled.is_valid(), filled.errors
    assert filled.selection().any_answer
    assert filled.selection().slices == ("dataset=asqa",)
