"""The trees of a response, drawn from what was stored: no parser is at hand in a web process."""

import pytest
from django.urls import reverse

from annotate.models import Response
from evaluation.runs.parsed_claims import make_claims
from tests.annotate.loading import load, response
from tests.annotate.pages import policy_faults, visible
from tests.evaluation.services.test_judging import Flat

pytestmark = pytest.mark.django_db


def page(client, study):
    found = Response.objects.current().filter(study=study)[0]
    answer = client.get(reverse("response-claims", args=[study.slug, found.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def test_each_cited_statement_has_its_tree_and_claims(signed_in, bob, study):
    load(study, [response("The <b>Zugspitze</b> is high [1]. Nobody cites this.")])
    make_claims(study, Flat())
    html = page(signed_in(bob), study)
    assert html.count("<svg") == 1
    assert "<b>Zugspitze" not in html
    assert policy_faults(html) == []
    assert "s1.a1" in visible(html)
    assert "parser:flat" in visible(html)


def test_a_statement_without_a_word_has_no_claim(signed_in, bob, study):
    load(study, [response("[1][2]")])
    assert make_claims(study, Flat()).claims == 0
    html = page(signed_in(bob), study)
    assert "It has a citation but no words, so it has no claim." in visible(html)
    assert "<svg" not in html
