"""Disputes about a question whose words were changed: in the words that its raters read."""

from dataclasses import replace

import pytest
from django.urls import reverse

from annotate.content.judgments import record_judgment
from annotate.models import Judgment, Unit
from annotate.studies.wordings import save_dimension
from tests.annotate.loading import judgment, load_judgments
from tests.annotate.pages import visible
from tests.evaluation.rubric import rubric_study

NOW = "Is it backed?"


@pytest.fixture
def study(alice):
    study = rubric_study(alice, questions=1)
    said = {"ann": "well", "ben": "badly"}
    load_judgments(
        study,
        [judgment("s1", "backing", v, judge=name, question_id="q1") for name, v in said.items()],
    )
    before = study.protocol["backing"]
    renamed = [
        replace(one, label="Not backed") if one.value == "badly" else one for one in before.choices
    ]
    save_dimension(
        study, replace(before, question=NOW, choices=tuple(renamed)), replaces="backing", by=alice
    )
    assert study.protocol["backing"].version == before.version + 1
    return study


@pytest.fixture
def unit(study):
    return Unit.objects.get(response__system__name="Vermilion", key="s1")


@pytest.fixture
def address(unit):
    return reverse("dispute", args=["rubric", unit.pk, "backing"])


def answered_now(study, unit):
    """By a third rater, who read the present words."""
    judge = study.judges.create(name="cy", kind="human")
    record_judgment(judge=judge, unit=unit, dimension="backing", value="badly")


def decided():
    return Judgment.objects.get(judge__kind="adjudicated").wording


def page_at(client, address):
    return visible(client.get(address).content.decode())


def test_what_raters_read_is_shown_and_decided(study, unit, alice, signed_in, address):
    client = signed_in(alice)
    page = page_at(client, address)
    assert (study.protocol.earlier[0].question in page, NOW in page) == (True, False)
    assert "This is version 1" in page
    assert "1 × Not backed" not in page
    assert client.post(address, {"value": "badly", "version": "1"}).status_code == 302
    assert decided() == study.wording_of("backing", 1)


def test_of_several_versions_the_newest_with_the_others_below(
    study, unit, alice, signed_in, address
):
    answered_now(study, unit)
    client = signed_in(alice)
    page = page_at(client, address)
    assert "This is version" not in page
    assert "2 × Not backed" in page
    assert page.count("read version 1") == 2
    assert "Version 1, as 2 raters read it" in page
    assert study.protocol.earlier[0].question in page
    assert client.post(address, {"value": "well", "version": "2"}).status_code == 302
    assert decided() == study.wording_of("backing", 2)


def test_a_page_from_before_an_answer_decides_what_it_showed(
    study, unit, alice, signed_in, address
):
    client = signed_in(alice)
    answered_now(study, unit)
    assert client.post(address, {"value": "well", "version": "1"}).status_code == 302
    assert decided() == study.wording_of("backing", 1)
