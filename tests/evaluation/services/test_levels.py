"""Thresholds for an ordered dimension of three answers, learned from a study's labels."""

from dataclasses import replace

import numpy as np
import pytest
from django.core.management import call_command
from sklearn.metrics import cohen_kappa_score

from annotate.models import Judge, Judgment
from annotate.protocol.shipped import SHIPPED
from annotate.web.errors import Refused
from evaluation.labels.trained_on import units_left_out
from evaluation.models import TrainedScorer
from evaluation.runs.improving import improvable, improve, judge_called
from evaluation.runs.thresholds import levels_of, use_threshold
from tests.annotate.loading import load
from tests.annotate.pages import visible
from tests.evaluation.services.test_improving import page_of
from tests.evaluation.services.test_thresholds import answers, own_units, report_of
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

NAME = "model|speaker:1|mode:chat|connection:lab|edition:1|model:m-1|most:9|style:direct:1.0|v:2"
SUPPORT = "citation_support"
LEVELS = ("none", "partial", "full")


@shared_rows
def shy(peaks):
    """Sixty questions; a model that hardly ever says more than partial, though its scores rise
    with what people say."""
    load(peaks, answers(60))
    peaks.dimensions = ["citation_recall", SUPPORT]
    peaks.save()
    judge = Judge.objects.create(study=peaks, kind="automatic", name=NAME)
    rita = Judge.objects.create(study=peaks, kind="simulated", name="rita")
    random = np.random.default_rng(2)
    for unit in own_units("s1.c1"):
        level = int(random.integers(3))
        score = float(np.clip(0.1 + 0.2 * level + 0.07 * random.normal(), 0, 1))
        said = LEVELS[int(score > 0.35)]
        for who, value, own in ((rita, LEVELS[level], None), (judge, said, score)):
            Judgment.objects.create(judge=who, unit=unit, dimension=SUPPORT, value=value, score=own)
    return peaks


def test_levels_go_from_what_speaks_against_to_what_speaks_for():
    support = SHIPPED[SUPPORT]
    assert levels_of(support) == LEVELS
    harm = replace(support, positive=frozenset({"none", "needed"}))
    assert levels_of(harm) == LEVELS[::-1]
    assert levels_of(replace(support, positive=frozenset({"partial"}))) == ()
    assert levels_of(replace(support, scale="nominal")) == ()
    assert levels_of(SHIPPED["citation_recall"]) == ("no", "yes")


def test_page_shows_the_held_out_comparison(shy, alice, signed_in):
    judge = judge_called(shy, NAME)
    assert [one.key for one in improvable(judge)] == [SUPPORT]
    [found] = improve(judge, shy.protocol[SUPPORT]).learned
    assert found.levels == 3
    assert found.better
    said = {
        who: dict(Judgment.objects.filter(judge__name=who).values_list("unit_id", "value"))
        for who in ("rita", NAME)
    }
    pairs = [(LEVELS.index(said["rita"][u]), LEVELS.index(v)) for u, v in said[NAME].items()]
    own = cohen_kappa_score(*zip(*pairs, strict=True), weights="quadratic")
    assert found.before["kappa"].value == pytest.approx(own)
    assert found.after["brier"].value is None
    page = visible(signed_in(alice).get(page_of(judge)).content.decode())
    assert "Thresholds of your own, one below each answer but the lowest" in page
    assert "weights a disagreement by its squared" in page
    assert "Brier" not in page
    assert "Platt" not in page


@pytest.mark.parametrize("part", ["half", "all"])
def test_the_judge_that_uses_them_is_compared_on_the_rest(shy, part):
    before = list(Judgment.objects.filter(judge__name=NAME).values_list("pk", "value", "score"))
    kept = use_threshold(shy, NAME, SUPPORT, part=part)
    judge = Judge.objects.get(name__contains="|chosen:")
    low, high = map(float, kept.agreement["threshold"].split("/"))
    assert 0 < low < high < 1
    assert f"|thr:{low!r}/{high!r}|" in judge.name
    assert judge.title == f"Language model, m-1, thresholds {low!r}/{high!r}"
    answers = [(one.value, one.score or 0.0) for one in judge.judgments.all()]
    assert len(answers) == 60
    assert all(value == LEVELS[(s >= low) + (s >= high)] for value, s in answers)
    assert len(units_left_out(judge)) == (30 if part == "half" else 60)
    assert kept.agreement["levels"] == list(LEVELS)
    told = kept.agreement["before"], kept.agreement["after"]
    assert [one["number"] for one in told] == [30 if part == "half" else 60] * 2
    assert told[1]["kappa"] > told[0]["kappa"] + 0.2
    rows, _ = report_of(shy)
    if part == "half":
        assert rows[judge.name]["units"] == 30
        assert rows[judge.name]["kappa"]["value"] == pytest.approx(told[1]["kappa"], abs=1e-5)
    else:
        assert rows[judge.name] is None
    assert before == list(
        Judgment.objects.filter(judge__name=NAME).values_list("pk", "value", "score")
    )


def test_it_is_used_on_the_page_and_by_the_command(shy, alice, signed_in, capsys):
    client, address = signed_in(alice), page_of(judge_called(shy, NAME))
    assert client.post(address, {"part": "half", "way": "platt"}).context["form"].errors["way"]
    answer = client.post(address, {"part": "half", "way": "threshold"}, follow=True)
    page = visible(answer.content.decode())
    assert "is a judge of the study now" in page
    assert "For the response" in page
    assert "Thresholds 0." in page
    call_command("improve_judge", shy.slug, NAME)
    said = capsys.readouterr().out
    assert "kappa: " in said
    assert "undefined" not in said
    assert TrainedScorer.objects.count() == 1


def test_labels_that_teach_nothing_are_refused(shy):
    with pytest.raises(Refused, match="dimensions with two answers"):
        use_threshold(shy, NAME, SUPPORT, part="half", way="platt")
    Judgment.objects.filter(judge__name="rita").update(value="full")
    with pytest.raises(Refused, match="people gave the same answer everywhere"):
        use_threshold(shy, NAME, SUPPORT, part="all")
    found = improve(judge_called(shy, NAME), shy.protocol[SUPPORT])
    assert "people gave the same answer everywhere" in found.why_not
