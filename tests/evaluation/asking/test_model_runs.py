"""A language model judges a study in a run: any question, kept calls, reasons and evidence."""

import csv
import json
import re
from typing import Any

import pytest
from django.urls import reverse

from annotate.exchange.marks_csv import evidence_csv
from annotate.exchange.streams import judgments_csv, judgments_jsonl
from annotate.models import Evidence, Judge, Judgment, Membership, Role
from annotate.web.errors import Refused
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models import connections
from evaluation.models import ModelCall, Run
from evaluation.runs import lifecycle as runs
from tests.annotate.rating import open_work, take
from tests.evaluation.asking.fake import Said, serving
from tests.evaluation.runs.doing import finished, started, work_off

pytestmark = pytest.mark.django_db

SAYS = {
    "sure": 75,
    "harms": ["advice"],
    "worst": "grave",
    "errors": [{"words": "is", "label": "made_up", "severity": "major"}],
    "repair": "It is 2,962 m high.",
    "proof": [],
}


def says(told, schema):
    """By the title of the question."""
    [title] = re.findall(r"question: (.+)", told)
    key = {"Sureness": "sure", "Worst of it": "worst"}.get(title, title.lower())
    quotes = []
    if "quotes" in schema["properties"]:
        known = schema["properties"]["quotes"]["items"]["properties"]["passage"]["enum"]
        quotes = [{"passage": known[0], "words": "the"}]
    return {"value": SAYS[key], "reason": f"About {key}.", "quotes": quotes}


ASKED: dict[str, Any] = {"judge": "model", "connection": "lab", "by_operator": True}


def test_a_model_answers_every_type_of_question(every, serve):
    server = serve(says, "anthropic")
    run = finished(every, **ASKED)
    assert run.state == Run.State.DONE, run.error
    judge = Judge.objects.get(kind=Judge.Kind.AUTOMATIC)
    assert judge.name.startswith("model|speaker:1|mode:anthropic|connection:lab|")
    answers = Judgment.objects.filter(judge=judge, unit__response=every.responses.first())
    found = {(a.unit.key, a.dimension): a.value for a in answers.select_related("unit")}
    assert found == {
        ("r", "sure"): "75",
        ("r", "harms"): "advice",
        ("r", "worst"): "grave",
        ("s1", "errors"): "14-16:made_up:major",
        ("s1", "repair"): "It is 2,962 m high.",
        ("s2", "errors"): "8-10:made_up:major",
        ("s2", "repair"): "It is 2,962 m high.",
        ("s1.c1", "proof"): "-",
        ("s2.c1", "proof"): "-",
        ("s2.c2", "proof"): "-",
    }
    assert set(answers.values_list("note", flat=True)) == {f"About {key}." for key in SAYS}
    assert ModelCall.objects.filter(study=every).count() == len(server.calls)


def test_reasons_and_words_stand_in_the_files(every, server):
    finished(every, **ASKED)
    name = Judge.objects.get(kind=Judge.Kind.AUTOMATIC).name
    rows = csv.DictReader("".join(judgments_csv(every)).splitlines())
    lines = map(json.loads, judgments_jsonl(every))
    for table in (rows, lines):
        found = {row["note"] for row in table if row["judge"] == name}
        assert found == {f"About {key}." for key in SAYS}
    marks = list(csv.DictReader("".join(evidence_csv(every)).splitlines()))
    kept = Evidence.objects.filter(judge__name=name, source__isnull=False)
    assert {(row["judge"], row["dimension"], row["text"]) for row in marks if row["n"]} == {
        (name, dimension, "the") for dimension in kept.values_list("dimension", flat=True)
    }


def test_nothing_is_paid_for_twice_when_a_part_breaks(every, serve):
    """The server goes away in the middle; whoever goes on asks only what is open."""
    left = 10

    def answer(told, schema):
        nonlocal left
        left -= 1
        return Said(401) if left < 0 else says(told, schema)

    server = serve(answer)
    run = started(every, options={"at_once": "1"}, **ASKED)
    work_off(run)
    assert run.state == Run.State.FAILED
    assert "refused the key" in run.error
    assert "k3y" not in run.error
    kept = ModelCall.objects.count()
    assert kept == 10
    left = 10_000
    runs.retry(run)
    work_off(run)
    assert run.state == Run.State.DONE, run.error
    assert len(server.calls) == ModelCall.objects.count() + 1  # the one that was refused


INVALID: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("chat", {"style": "poetry"}, "no style “poetry”; there are direct, reason_first"),
    ("chat", {"dimensions": ["beauty"]}, "knows no dimension “beauty”"),
    ("chat", {"options": {"heat": "1"}}, "no option “heat”; there are at_once"),
    ("chat", {"options": {"at_once": "many"}}, "a whole number from 1 to 64 as at_once"),
    ("chat", {"options": {"timeout": "0"}}, "a whole number from 1 to 3,600 as timeout"),
    ("chat", {"options": {"url": "http://x.example"}}, "names an address"),
    ("chat", {"connection": ""}, "The judge “model” needs a connection"),
    ("chat", {"connection": "other"}, "no connection “other”"),
    ("chat", {"options": {"logprobs": "perhaps"}}, "Expected one of no, yes as logprobs"),
    ("chat", {"options": {"samples": "21"}}, "whole number from 1 to 20 as samples"),
    ("chat", {"options": {"samples": "2", "logprobs": "yes"}}, "One thing gives the score"),
    ("chat", {"options": {"samples": "2"}, "style": "probabilities"}, "One thing gives"),
    ("anthropic", {"options": {"logprobs": "yes"}}, "tells no log-probabilities"),
    ("anthropic", {"options": {"effort": "low"}}, "take no reasoning effort"),
    ("chat", {"options": {"effort": "utmost"}}, "one of minimal, low, medium, high as effort"),
    ("pairs", {}, "leads to no language model"),
)


def test_invalid_settings_of_a_model_are_refused_at_once(every, lab):
    usual = {"judge": "model", "scorer": "coverage", "connection": "lab"}
    with serving(says) as server:
        made = lab(server)
        for made.mode, given, words in INVALID:
            connections.save(made, key="k3y")
            settings = JudgeSettings(**usual | given)
            with pytest.raises(Refused, match=words):
                runs.create(every, settings, by_operator=True, queued=False)


def test_the_published_questions_are_answered_as_people_are_asked(peaks, serve):
    """Attribution hangs on being interpretable, for the model as for people."""

    def answer(told, schema):
        values = schema["properties"]["value"]["enum"]
        return {"value": values[1], "reason": "", "quotes": []}

    peaks.dimensions = ["interpretable", "attributable", "citation_support"]
    peaks.save()
    server = serve(answer)
    finished(peaks, **ASKED)
    found = set(Judgment.objects.values_list("dimension", "value"))
    assert ("interpretable", "no") in found
    assert not [value for key, value in found if key == "attributable"]
    assert ("citation_support", "partial") in found
    assert json.dumps([call.told for call in server.calls]).count("sk-") == 0


def test_questions_asked_later_and_what_failed_are_all_that_is_asked_again(every, serve):
    """By whatever name: `missing_only` leaves a language model every response, and no call."""
    broken = True

    def answer(told, schema):
        return Said(422) if broken and "Sureness" in told else says(told, schema)

    server = serve(answer)
    run = finished(every, dimensions=["worst", "sure"], **ASKED)
    assert Judgment.objects.filter(skipped_reason__startswith="the scorer failed").exists()
    before = len(server.calls)
    broken = False
    run = finished(every, dimensions=["worst", "sure", "repair"], missing_only=True, **ASKED)
    assert run.state == Run.State.DONE, run.error
    again = [call.told for call in server.calls[before:]]
    assert not [told for told in again if "question: Worst of it" in told]
    assert [told for told in again if "question: Sureness" in told]
    assert [told for told in again if "question: Repair" in told]
    assert not Judgment.objects.filter(value="").exists()
    assert Judge.objects.filter(kind=Judge.Kind.AUTOMATIC).count() == 1


def test_raters_see_nothing_of_what_a_model_said(every, server, rita, signed_in):
    """Neither its reasons nor its words, before they answered or afterwards."""
    Membership.objects.create(study=every, user=rita, role=Role.RATER)
    batch = open_work(every)
    finished(every, **ASKED)
    assert Judgment.objects.filter(note="About proof.").exists()
    client = signed_in(rita)
    for address in (
        reverse("response", args=[every.slug, every.responses.first().pk]),
        reverse("runs", args=[every.slug]),
        reverse("run", args=[every.slug, Run.objects.get().pk]),
    ):
        assert client.get(address).status_code == 403
    task = take(client, batch)
    for address in (
        reverse("task", args=[every.slug, task.pk]),
        reverse("study", args=[every.slug]),
    ):
        shown = client.get(address)
        assert shown.status_code == 200
        assert not re.search(
            r"About (sure|harms|worst|errors|repair|proof)", shown.content.decode()
        )
