"""Examples in the guidelines: made of the study's own data, read by everybody in it."""

import pytest
from django.urls import reverse

from annotate.models import Example, Unit
from annotate.protocol.shipped import SHIPPED
from annotate.rating.examples import add_example, change_example, example_of_unit, examples_of
from annotate.web.errors import Refused
from tests.annotate.loading import PASSAGES, ZUGSPITZE, load, response
from tests.annotate.pages import policy_faults, visible
from tests.shared_rows import shared_rows

RECALL, SUPPORT = "citation_recall", "citation_support"


@shared_rows
def zugspitze(study):
    load(study, [response("The Zugspitze is 3,000 m high [1]. No peak is higher [1][2].")])
    return study


def unit(key):
    return Unit.objects.select_related("response__study").get(key=key)


def add(key, dimension, value="no", explanation="The passage says 2,962 m."):
    return add_example(unit(key), dimension, value=value, explanation=explanation, by=None)


@shared_rows
def client(bob, signed_in):
    return signed_in(bob)


def new(key, dimension):
    return f"{reverse('example-new', args=['peaks'])}?unit={unit(key).pk}&dimension={dimension}"


# What an example shows ---------------------------------------------------------------------------


def test_examples_show_their_unit_and_passages_in_the_order_of_the_protocol(
    zugspitze, django_assert_max_num_queries
):
    for key, dimension, value in (
        ("s2.c2", SUPPORT, "none"),
        ("s2", RECALL, "yes"),
        ("s1", RECALL, "no"),
        ("r", "utility", "4"),
    ):
        add(key, dimension, value)
    with django_assert_max_num_queries(4):
        found = examples_of(zugspitze)
    assert [(s.dimension.key, s.example.unit.key) for s in found] == [
        ("utility", "r"),
        (RECALL, "s2"),
        (RECALL, "s1"),
        (SUPPORT, "s2.c2"),
    ]
    whole, statement, _, citation = found
    assert whole.statement.startswith("The Zugspitze is 3,000 m high")
    assert whole.passages == ()
    assert (statement.question, statement.statement) == (ZUGSPITZE, "No peak is higher.")
    assert statement.passages == PASSAGES[:2]
    assert (statement.label, statement.explanation) == ("Yes", "The passage says 2,962 m.")
    assert citation.statement == "No peak is higher."
    assert citation.passages == (PASSAGES[1],)
    assert citation.label == "No support"
    attributable = example_of_unit(zugspitze, unit("r"), SHIPPED["attributable"])
    assert attributable.passages == PASSAGES[:2]
    assert attributable.label == ""


# Making them -------------------------------------------------------------------------------------


def test_one_fitting_example_for_each_question_about_a_unit(zugspitze):
    for key, dimension, value, explanation in (
        ("s1", RECALL, "maybe", "So."),
        ("s1", RECALL, "no", "  "),
        ("s1", SUPPORT, "full", "So."),
        ("s1.c1", SUPPORT, "needed", "So."),
        ("s1", "beauty", "yes", "So."),
    ):
        with pytest.raises(Refused):
            add(key, dimension, value, explanation)
    assert Example.objects.count() == 0
    example = add("s1", RECALL)
    with pytest.raises(Refused, match="already"):
        add("s1", RECALL, "yes")
    change_example(example, value="yes", explanation="On second thoughts.")
    [kept] = Example.objects.all()
    assert (kept.value, kept.explanation) == ("yes", "On second thoughts.")


def test_from_a_response_to_the_guidelines(zugspitze, client, rita, signed_in):
    page = client.get(reverse("response", args=["peaks", unit("s1").response_id]))
    link = new("s1", RECALL)
    assert link in page.content.decode().replace("&amp;", "&")
    form = client.get(link)
    assert policy_faults(form.content.decode()) == []
    assert "The Zugspitze is 3,000 m high." in visible(form.content.decode())
    empty = client.post(link, {"value": "no", "explanation": " "})
    assert empty.status_code == 422
    assert Example.objects.count() == 0
    saved = client.post(link, {"value": "no", "explanation": "It says 2,962 m."})
    assert saved.url == reverse("examples", args=["peaks"])
    assert Example.objects.get(created_by__username="bob")
    guidelines = signed_in(rita).get(reverse("guidelines", args=["peaks"])).content.decode()
    text = visible(guidelines)
    for said in ("Examples", "The Zugspitze is 3,000 m high.", PASSAGES[0][1], "It says 2,962 m."):
        assert said in text, said
    assert "Vermilion" not in guidelines
    assert reverse("examples", args=["peaks"]) not in guidelines


def test_an_example_there_is_already_is_changed_or_deleted(zugspitze, client):
    example = add("s1", RECALL)
    edit = reverse("example-edit", args=["peaks", example.pk])
    assert client.get(new("s1", RECALL)).url == edit
    assert "The passage says 2,962 m." in client.get(edit).content.decode()
    assert client.post(edit, {"value": "yes", "explanation": ""}).status_code == 422
    client.post(edit, {"value": "yes", "explanation": "It does."})
    example.refresh_from_db()
    assert (example.value, example.explanation) == ("yes", "It does.")
    client.post(reverse("example-delete", args=["peaks", example.pk]))
    assert Example.objects.count() == 0
    assert "No examples yet" in client.get(reverse("examples", args=["peaks"])).content.decode()
    guidelines = client.get(reverse("guidelines", args=["peaks"])).content.decode()
    assert "examples-heading" not in guidelines


def test_unknown_foreign_or_unfit_units_are_no_examples(zugspitze, elsewhere, client):
    address = reverse("example-new", args=["peaks"])
    for query in ("unit=x", "unit=", "unit=-1", ""):
        answer = client.get(f"{address}?{query}", follow=True)
        assert "Open a response and choose there" in answer.content.decode()
    theirs = Unit.objects.filter(response__study=elsewhere, key="s1").earliest("pk")
    ours = Unit.objects.get(response__study=zugspitze, key="s1")
    wrong = [(theirs, RECALL), *((ours, dimension) for dimension in ("utility", "beauty", ""))]
    for one, dimension in wrong:
        asked = {"unit": one.pk, "dimension": dimension}
        assert client.get(address, asked).status_code == 404
