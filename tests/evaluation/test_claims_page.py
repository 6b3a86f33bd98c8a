"""The trees of a response, drawn from what was stored: no parser is at hand in a web process."""

import re
import subprocess
import sys

import pytest
from django.urls import reverse

from annotate.models import Response
from evaluation.running.claims import make_claims
from tests.annotate.loading import load, response
from tests.annotate.pages import policy_faults, visible
from tests.evaluation.services.test_judging import Flat

pytestmark = pytest.mark.django_db


def page(client, study):
    found = Response.objects.current().filter(study=study)[0]
    answer = client.get(reverse("response-claims", args=[study.slug, found.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def test_before_claims_are_made_it_says_how(signed_in, bob, peaks):
    assert "not made yet. Make claims" in visible(page(signed_in(bob), peaks))


def test_the_page_says_what_it_is_and_where(signed_in, bob, peaks):
    html = page(signed_in(bob), peaks)
    assert '<h2 id="claims-title">Atomic claims</h2>' in html
    assert re.findall(r'aria-current="page">(\w+)<', html) == ["Responses"]


def test_each_cited_statement_has_its_tree_and_claims(signed_in, bob, study):
    load(study, [response("The <b>Zugspitze</b> is high [1]. Nobody cites this.")])
    make_claims(study, Flat())
    html = page(signed_in(bob), study)
    assert html.count("<svg") == 1
    assert "<b>Zugspitze" not in html
    assert policy_faults(html) == []
    assert "s1.a1" in visible(html)
    assert "parser:flat" in visible(html)


def test_nothing_cited_nothing_drawn(signed_in, bob, study):
    load(study, [response("Nobody cites this.")])
    make_claims(study, Flat())
    assert "nothing to divide" in visible(page(signed_in(bob), study))


def test_a_statement_without_a_word_has_no_claim(signed_in, bob, study):
    load(study, [response("[1][2]")])
    assert make_claims(study, Flat()).claims == 0
    html = page(signed_in(bob), study)
    assert "It cites, but has no word, so there is no claim." in visible(html)
    assert "<svg" not in html


LATER = {"torch", "spacy", "transformers", "crowdkit", "pyarrow", "bs4"}
"""What is imported when it is needed: a start takes long enough."""


def test_web_processes_import_what_they_need():
    code = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'\n"
        "import django; django.setup()\n"
        "from django.urls import get_resolver; get_resolver().url_patterns\n"
        f"sys.exit(' '.join({LATER} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
