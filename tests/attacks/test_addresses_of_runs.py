"""An address of a researcher's own: it would get the operator's key, and read the network."""

import pytest
from django.urls import reverse

from evaluation.models import Run
from tests.attacks.conftest import SECRET, stored
from tests.evaluation.entailment.test_http import scored

pytestmark = pytest.mark.django_db


def test_a_forms_address_gets_no_key(program, loaded, serve):
    server = serve(scored)
    form = {"judge": "alce", "scorer": "http", "variant": "released"}
    form["options"] = f"url={server.url}"
    answer = program.post(reverse("run-new", args=["peaks"]), form)
    assert answer.status_code == 422
    assert not Run.objects.exists()
    assert server.asked == []


def test_a_stored_runs_address_gets_no_key(bob, loaded, serve):
    server = serve(scored)
    run = stored(loaded, bob, options={"url": server.url})
    assert server.headers == []
    assert run.state == Run.State.FAILED
    assert "names an address" in run.error
    assert "connection" in run.error


def test_the_key_stands_nowhere_that_a_researcher_reads(program, bob, loaded, serve):
    run = stored(loaded, bob, options={"url": serve(scored).url})
    for name in ("run", "api-runs-detail"):
        page = program.get(reverse(name, args=["peaks", run.pk]))
        assert SECRET not in page.content.decode()
