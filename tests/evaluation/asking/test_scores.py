"""Where the score of a model's choice comes from: how likely it found each, or several samples."""

import json

import pytest

from annotate.models import Judge, Judgment
from annotate.protocol.shipped import SHIPPED
from annotate.protocol.signatures import judge_title
from evaluation.language_models.asking.replies import Answered
from evaluation.language_models.asking.scores import (
    Scoring,
    Token,
    likely_values,
    majority_answer,
    positive_share,
)
from evaluation.models import ModelCall, Run
from evaluation.runs.trials import shown
from evaluation.runs.varying import most_calls
from tests.evaluation.asking.fake import Kept, Said, serving
from tests.evaluation.asking.test_asker import QUESTION, YES, about, asker, item
from tests.evaluation.asking.test_model_runs import ASKED, says
from tests.evaluation.runs.doing import finished, planned

SUPPORT = SHIPPED["citation_support"]
VALUES = ["full", "partial", "none", "cannot_tell"]


def scored(server, scoring, mode="chat", **more):
    made = asker(server, mode, **more)
    made.scoring = scoring
    return made


# By arithmetic -----------------------------------------------------------------------------------


def tokens(*pieces):
    return [Token(text, likely) for text, likely in pieces]


def test_each_choice_has_what_its_first_piece_has():
    told = tokens(
        ('{"', {}), ('value', {}), ('":', {}), (' "', {' "': 1.0}),
        ("partial", {"partial": 0.6, "full": 0.3, "none": 0.05, "cannot": 0.05}),
        ('"}', {}),
    )  # fmt: skip
    shares = likely_values(told, VALUES)
    assert shares == {"full": 0.3, "partial": 0.6, "none": 0.05, "cannot_tell": 0.05}
    # What it cannot tell is no choice: (.6 + .3) of .95.
    assert positive_share(SUPPORT, shares) == pytest.approx(0.9 / 0.95)


def test_a_piece_may_hold_the_quote_and_part_of_two_choices():
    """` "pa` begins two choices: what follows decides among them."""
    told = tokens(
        ('{"value":', {}),
        (' "pa', {' "pa': 0.8, ' "no': 0.2}),
        ('rtial"', {'rtial"': 0.75, "ssed": 0.25}),
    )
    shares = likely_values(told, ["partial", "passed", "none"])
    assert shares == pytest.approx({"partial": 0.6, "passed": 0.2, "none": 0.2})


def answered(*values):
    return [Answered(value, f"The {n}th.") for n, value in enumerate(values)]


def decided(*samples):
    found = majority_answer(SUPPORT, [*samples])
    assert isinstance(found, Answered)
    return found


def test_most_samples_decide_and_their_share_is_the_score():
    found = decided(*answered("none", "full", "full", "partial", ""))
    assert (found.value, found.reason) == ("full", "The 1th.")
    assert found.score == 3 / 4  # the last one has no value


# Asked -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["chat", "responses", "gemini"])
def test_each_kind_of_server_tells_how_likely_each_choice_was(mode):
    said = Said(text=json.dumps(YES), likely={"yes": 0.7, "no": 0.2, "cannot": 0.1})
    calls = Kept()
    with serving(lambda told, schema: said) as server:
        [found] = scored(server, Scoring(likely=True), mode, calls=calls).answer([QUESTION])
        [again] = scored(server, Scoring(likely=True), mode, calls=calls).answer([QUESTION])
    assert found.score == pytest.approx(0.7 / 0.9)
    assert again == found
    assert len(server.calls) == 1


@pytest.mark.parametrize("mode", ["chat", "responses", "gemini"])
@pytest.mark.parametrize("status", [400, 403])
def test_a_server_that_does_not_tell_is_asked_without(mode, status):
    """Reasoning models refuse it; some with the status of a wrong key."""
    fault = "You are not allowed to request logprobs from this model."
    said = Said(text=json.dumps(YES), likely={"yes": 1.0})
    refused = 0

    def answer(told, schema):
        nonlocal refused
        if "logprobs" in json.dumps(server.calls[-1].body).lower():
            refused += 1
            return Said(status, {"error": {"message": fault}})
        return said

    other = item(2, about())
    with serving(answer) as server:
        asking = scored(server, Scoring(likely=True), mode, at_once=1)
        found = asking.answer([QUESTION, type(QUESTION)(other, about("citation_recall", "s2"))])
    assert [(one.value, one.score) for one in found] == [("yes", None)] * 2
    assert refused == 1


def test_a_sample_that_cannot_be_read_is_repaired_by_itself():
    left = iter(["I think so.", YES, YES, YES])
    with serving(lambda told, schema: next(left)) as server:
        [found] = scored(server, Scoring(samples=3), at_once=1).answer([QUESTION])
    assert (found.value, found.score) == ("yes", 1)
    assert len(server.calls) == 4
    assert [call.body["temperature"] for call in server.calls] == [1] * 4


# In a run ----------------------------------------------------------------------------------------

ONE = {**ASKED, "dimensions": ["worst", "sure"]}


@pytest.mark.django_db
def test_a_run_keeps_the_score_and_what_it_was_made_of(every, serve):
    def answer(told, schema):
        said = json.dumps(says(told, schema))
        return Said(text=said, likely={"grave": 0.75, "mild": 0.25})

    server = serve(answer)
    run = finished(every, options={"logprobs": "yes"}, **ONE)
    assert run.state == Run.State.DONE, run.error
    count = len(server.calls)
    finished(every, options={"logprobs": "yes"}, missing_only=False, **ONE)
    assert len(server.calls) == count
    # What has no choices is the plain judge's call, too.
    finished(every, **ONE)
    assert len(server.calls) - count == count / 2
    judge = Judge.objects.get(name__contains="|logprobs|")
    scores = Judgment.objects.filter(judge=judge).values_list("dimension", "score").distinct()
    positive = every.protocol["worst"].positive
    expected = sum(p for v, p in (("grave", 0.75), ("mild", 0.25)) if v in positive)
    found = dict(scores)
    assert found.pop("sure") is None
    assert found == {"worst": pytest.approx(expected)}
    kept = ModelCall.objects.filter(likely__isnull=False).values_list("likely__grave", flat=True)
    assert [*kept] == [pytest.approx(0.75)] * 2
    assert judge_title(judge.name) == "Language model, m-1, log-probabilities"


@pytest.mark.django_db
def test_samples_are_planned_paid_and_shown(every, server):
    plain = planned(every, **ONE)
    run = planned(every, options={"samples": "3"}, **ONE)
    assert run.plan["pairs"] == plain.plan["pairs"] // 2 * (3 + 1)
    assert most_calls(run, 1, None) == 2 * most_calls(plain, 1, None)
    assert run.plan["judgments"] == plain.plan["judgments"]
    run = finished(every, options={"samples": "3"}, **ONE)
    assert run.state == Run.State.DONE, run.error
    assert run.calls == len(server.calls) == 8
    scores = Judgment.objects.filter(dimension="worst").values_list("score", flat=True)
    assert {*scores} <= {0.0, 1.0}
    Run.objects.filter(pk=run.pk).update(dry_units=2)
    run.refresh_from_db()
    assert [one.reply is not None for one in shown(run)] == [True] * 4
