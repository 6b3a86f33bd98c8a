"""The systems of a study: their habits, their names, and whether they used the metric."""

import pytest
from django.urls import reverse

from annotate.content.counts import catch_up
from annotate.models import System
from tests.annotate.loading import load, response


@pytest.fixture
def page(peaks, alice, signed_in):
    return signed_in(alice).get(reverse("systems", args=["peaks"]))


def row(page, name):
    return next(row for row in page.context["systems"] if row.system.name == name)


def test_habits_are_counted(page):
    vermilion = row(page, "Vermilion")
    assert (vermilion.responses, vermilion.questions, vermilion.runs) == (2, 2, 1)
    assert (vermilion.statements, vermilion.citations) == (3, 7)
    assert vermilion.citations_per_statement == pytest.approx(7 / 3)
    assert (vermilion.uncited, vermilion.out_of_range) == (0, 0)
    quokka = row(page, "Quokka-9B")
    assert (quokka.responses, quokka.statements, quokka.citations) == (2, 2, 1)
    assert (quokka.uncited, quokka.out_of_range) == (1, 1)
    assert quokka.uncited_share == pytest.approx(0.5)
    assert "50 %" in page.content.decode()


def test_the_number_of_queries_does_not_grow(
    peaks, alice, signed_in, django_assert_max_num_queries
):
    load(peaks, [response("Text [1].", system=f"system {n}") for n in range(12)])
    browser = signed_in(alice)
    catch_up(peaks)
    with django_assert_max_num_queries(8):
        page = browser.get(reverse("systems", args=["peaks"]))
    assert len(page.context["systems"]) == 14


def test_a_name_is_needed_and_taken_once_per_study(peaks, elsewhere, alice, signed_in):
    system = System.objects.get(study=peaks, name="Vermilion")
    address = reverse("system", args=["peaks", system.pk])
    client = signed_in(alice)
    page = client.post(address, {"name": "Quokka-9B"})
    assert page.status_code == 200
    assert "Another system of this study is called “Quokka-9B”." in page.content.decode()
    client.post(address, {"name": " "})
    system.refresh_from_db()
    assert system.name == "Vermilion"
