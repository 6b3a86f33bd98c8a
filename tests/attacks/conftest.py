"""Servers inside the network, and runs as a researcher who is up to something brings them in."""

import pytest
from django.urls import reverse

from evaluation.judges.entailment.door import KEY
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Run
from evaluation.runs import judge_making
from evaluation.runs.plans import plan
from evaluation.runs.shards import work
from tests.annotate.loading import load, response
from tests.evaluation.entailment.test_http import serve  # a fixture
from tests.shared_rows import shared_rows

__all__ = ["serve"]

SECRET = "the-operators-own-key"  # a made-up one


@pytest.fixture(autouse=True)
def operators_key(monkeypatch):
    """What a worker finds in its environment."""
    monkeypatch.setenv(KEY, SECRET)
    judge_making._scorer.cache_clear()


@shared_rows
def loaded(study):
    load(study, [response("The Zugspitze is the highest peak of Germany [1].")])
    return study


@shared_rows
def program(signed_in, bob):
    """A researcher's, who does not own the installation."""
    return signed_in(bob)


def agreeing(asked, _):
    """A server that says yes to everything."""
    return 200, {"probabilities": [1.0] * len(asked["pairs"])}


def ask(program, **settings):
    """A run asked for by program, worked on where it is taken: the answer and the run."""
    settings = {"judge": "alce", "scorer": "http", **settings}
    address = reverse("api-runs-list", args=["peaks"])
    answer = program.post(address, settings, content_type="application/json")
    return answer, do(Run.objects.first())


def stored(study, by, **settings):
    """A run that stands in the database already, as another version or hand left it."""
    made = JudgeSettings(**{"judge": "alce", "scorer": "http", **settings}).as_json()
    run = Run.objects.create(
        study=study, judge_name=made["judge"], settings=made, created_by=by, starts_itself=True
    )
    return do(run)


def do(run):
    """Plan it and work on it, as a worker would."""
    if run is None:
        return None
    plan(run.pk)
    for key in run.shards.values_list("pk", flat=True):
        work(key)
    run.refresh_from_db()
    return run
