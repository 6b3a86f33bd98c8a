"""A language model writes claims with the words of a sentence, and judges what it wrote."""

import re
from typing import Any

import pytest

from annotate.models import Judge, Judgment, Unit
from evaluation.language_models import study_prompts
from tests.annotate.cups import GLASS, PARSED, cups_of, parsers_claims, says, task_of
from tests.annotate.rating import open_work
from tests.evaluation.runs.doing import finished

ASKED: dict[str, Any] = {"judge": "model", "connection": "lab", "by_operator": True}


@pytest.fixture
def cups(alice):
    return cups_of(alice)


def judged_text(told):
    return re.findall(r"# What is judged[^\n]*\n\n<[^>]*>\n(.*?)\n<", told, re.DOTALL)[0]


def writes(told, schema):
    """The words before the own marks; no claim of its own where these are the last of all."""
    if "claim" not in schema["properties"]:
        return {"value": schema["properties"]["value"]["enum"][0], "reason": judged_text(told)}
    sentence = judged_text(told)
    if "⟦[1]⟧" in sentence:
        return {"value": "yes", "claim": "Cups can be made of glass", "reason": "so"}
    if "⟦[2][1]⟧" in sentence:
        return {"value": "yes", "claim": "Cups can be made of plastic.", "reason": "so"}
    return {"value": "no", "claim": "", "reason": "none"}


@pytest.mark.django_db
def test_model_judges_the_claims_that_it_wrote(cups, serve):
    keys = ["claim_words", "claim_recall", "claim_support"]
    server = serve(writes)
    run = finished(cups, dimensions=keys, **ASKED)
    assert run.state == "done", run.error
    count = len(server.calls)
    finished(cups, dimensions=keys, missing_only=False, **ASKED)
    assert len(server.calls) == count  # what was written is read again as it was
    rows = {(row.unit.key, row.dimension): row for row in Judgment.objects.select_related("unit")}
    first, second = rows["s1.g1", "claim_words"], rows["s1.g2", "claim_words"]
    assert first.claim == {
        "text": "Cups can be made of glass", "spans": [[0, 25]], "proposal": "",
    }  # fmt: skip
    assert second.claim["text"] == "Cups can be made of plastic."
    assert second.claim["spans"] == [[0, 19], [29, 37]]
    assert rows["s2.g1", "claim_words"].value == "no"
    assert rows["s2.g1", "claim_words"].claim == {}
    assert rows["s1.g1", "claim_recall"].note == "Cups can be made of glass"
    assert rows["s1.g2.c2", "claim_support"].note == "Cups can be made of plastic."
    assert ("s2.g1", "claim_recall") not in rows
    assert not any(".a" in unit for unit, _ in rows)


@pytest.mark.django_db
def test_words_that_are_not_there_are_asked_for_once_more(cups, serve):
    seen = []

    def invents(told, schema):
        seen.append("Your answer before" in told)
        claim = "Cups can be made of glass" if seen[-1] else "Cups are gold"
        return {"value": "yes", "claim": claim, "reason": "so"}

    serve(invents)
    finished(cups, dimensions=["claim_words"], **ASKED)
    assert any(seen)
    assert not all(seen)
    unit = Unit.objects.get(key="s1.g1")
    assert Judgment.objects.get(unit=unit).claim["text"] == "Cups can be made of glass"
    other = Judgment.objects.get(unit__key="s2.g1")  # the words are no part of that sentence
    assert "cannot be read" in other.skipped_reason
    assert other.claim == {}


@pytest.mark.django_db
def test_judge_of_own_claims_differs_from_judge_of_parsed_claims(cups, serve):
    parsers_claims(cups, *PARSED)
    serve(writes)
    finished(cups, dimensions=["claim_words", "claim_recall"], **ASKED)
    finished(cups, dimensions=["claim_recall"], **ASKED)
    own, parsers = Judge.objects.filter(kind="automatic").order_by("pk")
    assert "|claims:own|" in own.name
    assert "claims:" not in parsers.name
    for judge, part in ((own, ".g"), (parsers, ".a")):
        rows = Judgment.objects.filter(judge=judge, dimension="claim_recall")
        assert all(part in key for key in rows.values_list("unit__key", flat=True))


@pytest.mark.django_db
def test_no_example_shows_a_claim_that_somebody_wrote(cups):
    task = task_of(open_work(cups))
    says(task, "s1.g1:claim_words", words=GLASS)
    Judgment.objects.update(unfinished=False)
    assert study_prompts._drawn(cups, ["claim_words"], 2, set()) == []
