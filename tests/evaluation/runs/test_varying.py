"""Measuring a language model's biases: on the page of its run, and in a shell."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.models import Judge, Judgment, Membership, Role, System
from annotate.protocol.signatures import split_variations
from annotate.web.errors import Refused
from evaluation.models import Run, SystemFamily
from evaluation.runs.varying import declare_families, vary
from tests.annotate.pages import visible
from tests.evaluation.asking.conftest import every, server
from tests.evaluation.asking.fake import serving
from tests.evaluation.asking.test_model_calls import priced
from tests.evaluation.asking.test_model_runs import ASKED, says
from tests.evaluation.runs.doing import finished, planned

__all__ = ["every", "server"]

pytestmark = pytest.mark.django_db

ONE: dict[str, Any] = {"dimensions": ["sure"], **ASKED}


@pytest.fixture
def address(every, bob):
    Membership.objects.create(study=every, user=bob, role=Role.RESEARCHER)

    def of(run):
        return reverse("run-biases", args=[every.slug, run.pk])

    return of


def sent(study, **more):
    systems = System.objects.filter(study=study)
    families = {f"family-{one.pk}": "Acme" if one.name == "Cobalt" else "" for one in systems}
    return {"kinds": ["choices", "padded"], "repeats": "1", "questions": "1", **families, **more}


def test_the_page_says_how_many_calls_and_then_starts_them(every, lab, bob, signed_in, address):
    with serving(says) as server:
        priced(lab(server))
        run = finished(every, **ONE)
        browser = signed_in(bob)
        shown = visible(browser.get(reverse("run", args=[every.slug, run.pk])).content.decode())
        assert "Measure its biases" in shown
        page = visible(browser.get(address(run)).content.decode())
        # Two questions, each of two systems, asked once in six ways.
        assert "6 runs, at most about 24 calls of the model, with 2,400 tokens read" in page
        assert "and 240 written: about 0.0072 USD" in page
        counted = browser.post(address(run), sent(every, act="count"))
        assert "3 runs, at most about 6 calls" in visible(counted.content.decode())
        assert Run.objects.count() == 1
        assert browser.post(address(run), sent(every, act="start")).status_code == 302
    made = Run.objects.exclude(pk=run.pk)
    assert sorted(str(one.settings["options"]) for one in made) == [
        "{'choices': 'reversed'}", "{'padded': 'yes'}", "{'repeat': '1'}",
    ]  # fmt: skip
    assert all(one.starts_itself and one.questions == 1 for one in made)
    assert SystemFamily.objects.get().system.name == "Cobalt"


def test_only_plain_language_models_have_variants(every, server, bob, signed_in, address):
    turned = planned(every, options={"choices": "reversed"}, **ONE)
    with pytest.raises(Refused, match="a variant already"):
        vary(turned, ["padded"])
    other = planned(every, "correctness")
    with pytest.raises(Refused, match="Only language models"):
        vary(other, ["padded"])
    for run in (turned, other):
        assert signed_in(bob).get(address(run)).status_code == 404


def test_faults_are_said_where_they_are(every, server, bob, signed_in, address):
    run = planned(every, **ONE)
    browser = signed_in(bob)
    nothing = browser.post(address(run), sent(every, kinds=[], repeats="0", act="start"))
    assert nothing.status_code == 422
    assert "Choose at least one thing" in visible(nothing.content.decode())
    system = System.objects.get(study=every, name="Cobalt")
    wrong = browser.post(address(run), sent(every, act="start") | {f"family-{system.pk}": "a|b"})
    assert wrong.status_code == 422
    assert "found “a|b”" in visible(wrong.content.decode())
    assert Run.objects.count() == 1
    assert not SystemFamily.objects.exists()


def test_a_family_is_said_changed_and_taken_back(every):
    system = System.objects.get(study=every, name="Cobalt")
    for family in ("Acme", "Other", ""):
        declare_families(every, {system.pk: family})
        assert [one.family for one in SystemFamily.objects.all()] == [family] * bool(family)
    with pytest.raises(Refused, match="letters, digits"):
        declare_families(every, {system.pk: "a|b"})


def test_the_command_runs_the_variants_and_names_the_judges_family(every, lab, capsys):
    with serving(says) as server:
        connection = lab(server)
        connection.family = "Acme"
        connection.save()
        call_command(
            "run_judge", every.slug, "model", connection="lab", dimensions=["sure"],
            vary=["padded"], repeats=1, questions=1,
        )  # fmt: skip
        with pytest.raises(CommandError, match="Only language models"):
            call_command("run_judge", every.slug, "correctness", repeats=1)
    said = capsys.readouterr().out
    assert "At most 1 call of the model." in said
    judges = Judge.objects.filter(kind=Judge.Kind.AUTOMATIC)
    plain, varied = zip(*(split_variations(one.name) for one in judges), strict=True)
    assert {*varied} == {("padded:1",), ("repeat:1",)}
    assert len({*plain}) == 1
    assert plain[0].startswith("model|family:Acme|speaker:1|")
    assert Judgment.objects.filter(judge__in=judges).count() == 4
