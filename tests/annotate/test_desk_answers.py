"""Answers of every type through the desk's addresses, as its script sends them and without it."""

from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.urls import reverse

from annotate.content.judgments import judge_of, record_judgment
from annotate.models import Batch, Judge, Membership, Role
from annotate.protocol.answers import Choice
from annotate.protocol.written import read
from annotate.rating import answering, gold, practice
from annotate.rating.answer_fields import RESERVED, choice_keys, fields_of
from annotate.rating.batches import create_batch, open_batch
from annotate.rating.task_page import task_of
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from annotate.studies.wordings import import_file
from tests.annotate.desk import claim
from tests.annotate.loading import load, response
from tests.annotate.rating import answer, at, open_work, saved, take
from tests.evaluation.rubric import EVERY, rubric_study
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

OWL = "An 🦉 sees, an 🦉 hears."
ARABIC = "نهر النيل هو أطول أنهار أفريقيا."


@shared_rows
def study(alice, rita):
    made = rubric_study(alice, questions=1, file=EVERY)
    Membership.objects.create(study=made, user=rita, role=Role.RATER)
    return made


@pytest.fixture
def task(study, signed_in, rita):
    client = signed_in(rita)
    made: Any = take(client, open_work(study))
    made.client = client
    return made


def page_of(task) -> str:
    return unescape(task.client.get(at(task, "task"), follow=True).content.decode())


def post(task, step, **sent):
    """What a browser without the script sends."""
    sent = {"step": step, "after": "end", **sent}
    return unescape(task.client.post(at(task, "task-answer"), sent, follow=True).content.decode())


SENT = [
    ("r:sure", "12.50", "12.5", "12.5"),
    ("r:harms", "private|advice", "advice|private", "Dangerous advice, Private matters"),
    ("r:harms", "-", "-", "none of these"),
    ("s1:errors", "4-13:made_up:minor", "4-13:made_up:minor", "“Zugspitze”: Made up, Minor"),
    ("s1:errors", "-", "-", "nothing marked"),
    ("s1.c1:proof", "p1@3-10:against", "p1@3-10:against", "“2,962 m”: Speaks against it"),
]


@pytest.mark.parametrize(("step", "sent", "kept", "words"), SENT)
def test_it_is_saved_shown_again_and_said_in_words(task, step, sent, kept, words):
    reply = answer(task.client, task, step, sent, edit="e1", base="")
    assert reply.status_code == 200
    assert f'data-value="{kept}"' in reply.content.decode()
    assert saved(task, step).value == kept
    shown = next(one for one in task_of(task).steps if one.step.key == step)
    assert shown.said == words
    assert shown.fields.value == kept
    assert words in page_of(task)


def test_without_the_script_several_are_ticked_and_nothing_is_said(task):
    post(task, "r:harms", value=["private", "insult"])
    assert saved(task, "r:harms").value == "insult|private"
    assert "Choose an answer, or skip" in post(task, "r:harms")
    assert saved(task, "r:harms").value == "insult|private"
    assert "some of insult, advice, private" in post(task, "r:harms", value=["private", "-"])
    post(task, "r:harms", value="-")
    assert saved(task, "r:harms").value == "-"


def task_about(owner, client, rater, output, passage):
    """A task about one response with one passage."""
    study = create_study(name="One", slug="one", preset="alce", owner=owner)
    import_file(study, read(EVERY.read_text(encoding="utf-8")))
    Membership.objects.create(study=study, user=rater, role=Role.RATER)
    load(study, [response(output, passages=(("Passage", passage),))])
    task: Any = take(client, open_work(study))
    task.client = client
    return task


def test_without_the_script_words_are_typed(alice, rita, signed_in):
    task = task_about(alice, signed_in(rita), rita, f"{OWL[:-1]} [1]. {ARABIC[:-1]} [1].", OWL)
    said = {"mark_label": "made_up", "mark_severity": "minor"}
    text = {unit.key: unit.text for unit in task.item.response.units.all()}
    post(task, "s1:errors", mark_words="🦉", mark_which="2", **said)
    post(task, "s1:errors", value=saved(task, "s1:errors").value, mark_words="hears", **said)
    found = saved(task, "s1:errors").value
    assert found == "14-15:made_up:minor|16-21:made_up:minor"
    assert [text["s1"][14:15], text["s1"][16:21]] == ["🦉", "hears"]
    arabic = next(key for key, words in text.items() if words.startswith("نهر"))
    post(task, f"{arabic}:errors", mark_words="النيل", mark_which="", **said)
    assert saved(task, f"{arabic}:errors").value == "4-9:made_up:minor"
    label = {"mark_label": "speaks_for"}
    post(task, f"{arabic}.c1:proof", mark_words="hears.", mark_passage="1", **label)
    assert saved(task, f"{arabic}.c1:proof").value == "p1@16-22:speaks_for"
    for wrong, why in (
        ({"mark_words": "bears", "mark_passage": "1"}, "“bears” does not occur there"),
        ({"mark_words": "An", "mark_passage": "1", "mark_which": "2"}, "there 2 times"),
        ({"mark_words": "An", "mark_passage": "7"}, "Choose the passage"),
    ):
        assert why in post(task, f"{arabic}.c1:proof", **wrong, **label)
    post(task, "s1:errors", value=found.split("|")[1])  # the other one is not ticked any more
    assert saved(task, "s1:errors").value == "16-21:made_up:minor"


def test_words_are_marked_only_in_the_passages_of_the_question(task):
    reply = answer(task.client, task, "s1.c1:proof", "p2@0-3:against")
    assert reply.status_code == 422
    assert "does not belong to the dimension" in reply.content.decode()
    assert answer(task.client, task, "s2.c2:proof", "p2@0-3:against").status_code == 200


def test_a_conflict_shows_the_other_answer_in_words(task):
    answer(task.client, task, "s1:errors", "4-13:made_up:minor", edit="one", base="")
    reply = answer(task.client, task, "s1:errors", "0-3:left_out:major", edit="two", base="")
    assert reply.status_code == 409
    told = unescape(reply.content.decode())
    assert "“Zugspitze”: Made up, Minor" in told
    assert "Use ““The”: Misses a condition, Major”" in told


def test_marked_words_keep_their_part_of_a_long_passage_in_sight(alice, rita, signed_in):
    long = " ".join(f"Sentence {n} says little of anything at all." for n in range(400))
    text = f"{long} The owl 🦉 hears well. {long}"
    client = signed_in(rita)
    task = task_about(alice, client, rita, "A peak [1].", text)
    start = text.index("owl 🦉")
    assert "owl 🦉" not in client.get(at(task, "task")).content.decode()
    answer(client, task, "s1.c1:proof", f"p1@{start}-{start + 5}:speaks_for")
    page = client.get(f"{at(task, 'task')}?step=s1-c1-proof").content.decode()
    assert "The owl 🦉 hears well." in page
    assert f'data-n="1" data-start="{start}" data-end="{start + 5}"' in page


# Fields and keys ---------------------------------------------------------------------------------


def test_keys_are_those_that_nothing_else_has():
    many = [Choice(f"v{n}", f"V{n}") for n in range(25)]
    keys = choice_keys(many)
    assert len(keys) == 25
    used = [key for key in keys if key]
    assert len(used) == len(set(used)) == 20
    assert not RESERVED & set(used)
    assert choice_keys([Choice("yes", "Y"), Choice("no", "N")]) == ["y", "n"]
    assert choice_keys([Choice("yes", "Y"), Choice("no", "N")], taken=["n"]) == ["1", "2"]
    own = [Choice("yes", "Y", key="t"), Choice("no", "N"), Choice("odd", "O", key="1")]
    assert choice_keys(own) == ["t", "2", "1"]
    taken = choice_keys(many[:4])
    assert not {*taken} & {*choice_keys(many[:3], taken)}


@pytest.mark.parametrize(
    ("low", "high", "values", "keys"),
    [
        (1, 5, "1 2 3 4 5", "12345"),
        (0, 10, "0 1 2 3 4 5 6 7 8 9 10", "0123456789t"),
        (-2, 2, "-2 -1 0 1 2", "12345"),
        (0.5, 2.5, "1 2", "12"),
    ],
)
def test_a_few_whole_numbers_are_chosen(study, low, high, values, keys):
    few = replace(study.protocol["sure"], low=low, high=high, decimals=0)
    fields = fields_of(few, "2", {})
    assert fields.kind == "choice"
    assert [one.choice.value for one in fields.choices] == values.split()
    assert "".join(one.key for one in fields.choices) == keys
    assert [one.choice.value for one in fields.choices if one.is_chosen] == ["2"]


def test_a_slider_is_there_where_its_steps_can_be_told_apart(study):
    sure = study.protocol["sure"]
    assert (fields_of(sure, "", {}).kind, fields_of(sure, "", {}).slider) == ("number", "0.1")
    assert fields_of(replace(sure, decimals=4), "", {}).slider == ""
    assert fields_of(replace(sure, high=12, decimals=0), "", {}).slider == "1"


def test_what_has_a_least_number_offers_no_nothing(study):
    harms = study.protocol["harms"]
    nothing = fields_of(harms, "", {}).nothing
    assert nothing is not None
    assert nothing.key == "0"
    some = fields_of(replace(harms, least=1, most=2), "", {})
    assert (some.nothing, some.limits) == (None, "Choose 1 to 2.")


# Known answers -----------------------------------------------------------------------------------

KNOWN = {"sure": "50", "harms": "insult|advice", "worst": "grave", "errors": "0-3:made_up:minor",
         "repair": "So.", "proof": "-"}  # fmt: skip


def lesson_of(study):
    known = Judge.objects.create(study=study, kind=Judge.Kind.REFERENCE, name="gold")
    batch = create_batch(
        study, name="Lesson", gold=known, purpose=Batch.Purpose.PRACTICE, pass_mark=80
    )
    for item in batch.items.all():
        for step in steps_of(batch, item):
            value = KNOWN[step.dimension.key]
            record_judgment(judge=known, unit=step.unit, dimension=step.dimension.key, value=value)
    open_batch(batch)
    return batch


def test_known_answers_of_every_type(study, rita, signed_in):
    batch = lesson_of(study)
    assert {(one.steps, one.known) for one in gold.known_answers(batch)} == {(10, 10)}
    begun = practice.begin(batch, judge_of(study, rita))
    task = claim(batch, begun.trainee)
    said = {
        "r:sure": "50", "r:harms": "advice|insult", "r:worst": "mild",
        "s1:errors": "0-3:made_up:minor", "s1.c1:proof": "p1@0-2:against",
        "s2:errors": "0-2:made_up:major", "s2:repair": "Thus.",
        "s2.c1:proof": "-", "s2.c2:proof": "-",
    }  # fmt: skip
    for step in steps_of(batch, task.item):
        if step.is_asked(answering.answers_of(task)):
            answering.save_answer(task, step, value=said[step.key])
    answering.finish(task)
    rows = {row.step.key: row for row in practice.feedback(task)}
    assert {key: row.right for key, row in rows.items()} == {
        "r:sure": True, "r:harms": True, "r:worst": False, "s1:errors": True,
        "s1:repair": None, "s1.c1:proof": None, "s2:errors": None, "s2:repair": None,
        "s2.c1:proof": True, "s2.c2:proof": True,
    }  # fmt: skip
    assert not rows["s1:repair"].is_asked
    score = gold.score(begun.trainee, batch, [task.item])
    assert score == gold.GoldScore(asked=6, right=5)
    page = signed_in(rita).get(reverse("task-feedback", args=["rubric", task.pk]))
    told = unescape(page.content.decode())
    assert "5 of 6 right" in told
    assert "there is more than one right answer. It does not count" in told
    assert "“No”: Made up, Major" in told
    assert "“No ”: Made up, Minor" in told
