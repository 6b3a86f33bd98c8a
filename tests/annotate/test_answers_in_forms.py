"""Right answers of every type: in examples, in answers to raters; and all of them on a page."""

import pytest
from django.urls import reverse

from annotate.content.judgments import judge_of
from annotate.models import Example, Inquiry, Unit
from annotate.rating.batches import create_batch
from annotate.rating.examples import add_example, change_example
from annotate.web.errors import Refused
from tests.annotate.pages import visible
from tests.evaluation.rubric import EVERY, rubric_study
from tests.shared_rows import shared_rows

RIGHT = [
    ("r", "sure", {"value": "12.50"}, "12.5"),
    ("r", "harms", {"value": ["private", "advice"]}, "advice|private"),
    ("r", "harms", {"value": ["-"]}, "-"),
    ("r", "worst", {"value": "mild"}, "mild"),
    ("s1", "repair", {"value": "Two\r\nlines"}, "Two\nlines"),
    (
        "s1",
        "errors",
        {"value-rows": "1", "value-words-0": "high", "value-label-0": "made_up",
         "value-severity-0": "major"},
        "25-29:made_up:major",
    ),
    ("s1", "errors", {"value-rows": "0", "value-nothing": "on"}, "-"),
]  # fmt: skip


@shared_rows
def study(alice):
    return rubric_study(alice, questions=1, file=EVERY)


@shared_rows
def client(alice, signed_in):
    return signed_in(alice)


def unit(key):
    return Unit.objects.get(response__system__name="Vermilion", key=key)


def address(key, dimension):
    return reverse("example-new", args=["rubric"]) + f"?unit={unit(key).pk}&dimension={dimension}"


@pytest.mark.parametrize(("key", "dimension", "sent", "kept"), RIGHT)
def test_an_example_has_the_right_answer_of_its_type(study, client, key, dimension, sent, kept):
    url = address(key, dimension)
    assert "The right answer" in visible(client.get(url).content.decode())
    page = client.post(url, {**sent, "explanation": "So it is."}, follow=True)
    assert page.status_code == 200
    example = Example.objects.get()
    assert (example.dimension, example.value) == (dimension, kept)
    assert "So it is." in visible(
        client.get(reverse("guidelines", args=["rubric"])).content.decode()
    )
    edit = client.get(reverse("example-edit", args=["rubric", example.pk]))
    assert edit.context["form"]["value"].value() == kept


def test_a_wrong_answer_is_told_beside_its_field(study, client):
    page = client.post(address("r", "sure"), {"value": "101", "explanation": "No."})
    assert page.status_code == 422
    assert "expected a number from 0 to 100" in visible(page.content.decode())
    with pytest.raises(Refused, match="there are no words at 0-99:made_up:minor"):
        add_example(unit("s1"), "errors", value="0-99:made_up:minor", explanation="x", by=None)
    made = add_example(unit("s1"), "errors", value="-", explanation="x", by=None)
    with pytest.raises(Refused, match="there are no words"):
        change_example(made, value="0-99:made_up:minor", explanation="x")


@pytest.mark.parametrize(("key", "dimension", "sent", "kept"), RIGHT)
def test_an_answer_to_a_rater_becomes_an_example(study, client, rita, key, dimension, sent, kept):
    batch = create_batch(study, name="Work")
    inquiry = Inquiry.objects.create(
        batch=batch, judge=judge_of(study, rita), unit=unit(key), dimension=dimension
    )
    url = reverse("inquiry", args=["rubric", inquiry.pk])
    assert client.get(url).status_code == 200
    said = {"text": "It is so.", "shared": "on"}
    client.post(url, said)
    assert not Example.objects.exists(), "no example where none is asked for"
    client.post(url, said | sent)
    assert Example.objects.get().value == kept
