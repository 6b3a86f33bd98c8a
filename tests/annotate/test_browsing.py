"""Filters and pages of the list of responses: each response once, whichever way one goes."""

import re
from itertools import chain

import pytest
from django.urls import reverse

from annotate.content import counts
from annotate.models import Response
from tests.annotate.loading import load, response
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.postgresql

LIST = reverse("responses", args=["peaks"])


@shared_rows
def many(study):
    """Sixty responses: three pages, the last of them not full; every third by Teal."""
    load(
        study,
        [
            response(
                f"Answer {n} [1].",
                question=f"Question number {n}?",
                question_id=f"q{n}",
                system="Teal" if n % 3 == 0 else "Vermilion",
            )
            for n in range(60)
        ],
    )
    return study


@shared_rows
def client(alice, signed_in):
    return signed_in(alice)


def shown(page):
    return [row.pk for row in page.context["page"].responses]


def link(page, rel):
    found = re.search(rf'rel="{rel}" href="([^"]*)"', page.content.decode())
    return LIST + found[1].replace("&amp;", "&") if found else None


def walk(client, path, rel):
    pages = []
    while path:
        page = client.get(path)
        pages.append(shown(page))
        path = link(page, rel)
        assert len(pages) < 10
    return pages, page


def test_forward_and_back_through_all_pages(many, client):
    every = list(Response.objects.order_by("pk").values_list("pk", flat=True))
    pages, last = walk(client, LIST, "next")
    assert [len(page) for page in pages] == [25, 25, 10]
    assert list(chain(*pages)) == every
    back, first = walk(client, link(last, "prev"), "prev")
    assert back == pages[1::-1]
    assert shown(first) == pages[0]
    again, _ = walk(client, link(first, "next"), "next")
    assert again == pages[1:]


def test_the_ends_of_the_list(subtests, many, client):
    for count in (51, 50, 26, 25, 24, 1, 0):
        with subtests.test(count=count):
            keep = Response.objects.order_by("pk").values_list("pk", flat=True)[:count]
            Response.objects.exclude(pk__in=list(keep)).update(live=None)
            pages, last = walk(client, LIST, "next")
            assert len(list(chain(*pages))) == count
            assert len(pages) == max(1, -(-count // 25))
            assert (link(last, "prev") is None) == (count <= 25)


def test_an_address_that_makes_no_sense_is_no_error(peaks, client):
    path = reverse("response", args=["peaks", Response.objects.all()[0].pk])
    numbers = ("abc", "-1", "1.5", "²", "٣", "", "0", "9" * 400, "9" * 18, "9" * 30)
    for query in (
        *({name: number} for name in ("after", "before", "system") for number in numbers),
        {"before": "1", "after": "1"},
        {"show": "xyz"},
        {"show": "cut'; DROP TABLE annotate_unit"},
        {"q": "%_\\'\""},
        {"q": "x " * 5_000},
        {"q": "(" * 300},
        {"unknown": "1"},
    ):
        assert client.get(LIST, query).status_code == 200, query
        assert client.get(path, query).status_code == 200, query


def test_an_address_beyond_the_end_shows_the_first_page(many, client):
    first = shown(client.get(LIST))
    for query in ({"after": "9" * 18}, {"before": "1"}, {"before": "0"}):
        page = client.get(LIST, query)
        assert shown(page) == first
        assert "No responses yet" not in page.content.decode()
    page = client.get(LIST, {"before": "9" * 18})
    assert len(shown(page)) == 25
    assert link(page, "next") is None


def found(client, **query):
    return {
        (row.system.name, row.question.external_id)
        for row in client.get(LIST, query).context["page"].responses
    }


def test_filters_narrow_the_list(subtests, peaks, client):
    for query, expected in [
        ({}, {"Vq1", "Vq2", "Qq1", "Qq2"}),
        ({"show": "uncited"}, {"Qq1"}),
        ({"show": "out-of-range"}, {"Qq1"}),
        ({"show": "cut"}, {"Qq1"}),
        ({"show": "empty"}, {"Qq2"}),
        ({"show": "positional"}, set()),
        ({"show": "xyz"}, {"Vq1", "Vq2", "Qq1", "Qq2"}),
        ({"q": "zugspitze"}, {"Vq1", "Qq1"}),
        ({"q": "SKY blue"}, {"Vq2", "Qq2"}),
        ({"q": "scatters"}, {"Vq2"}),
        ({"q": "sky scatters"}, {"Vq2"}),
        ({"q": "zugspitze scatters"}, set()),
        ({"q": "  "}, {"Vq1", "Vq2", "Qq1", "Qq2"}),
        ({"q": "%"}, set()),
        ({"q": "_"}, set()),
        ({"q": "Zugspitze", "show": "uncited"}, {"Qq1"}),
    ]:
        with subtests.test(query=query):
            assert {
                f"{system[0]}{question}" for system, question in found(client, **query)
            } == expected


def test_queries_do_not_grow_with_the_list(subtests, many, client, django_assert_max_num_queries):
    for query in [{}, {"q": "Answer 1", "show": "positional"}, {"before": "9" * 18}]:
        with subtests.test(query=query):
            counts.catch_up(many)
            with django_assert_max_num_queries(11):
                client.get(LIST, query)
