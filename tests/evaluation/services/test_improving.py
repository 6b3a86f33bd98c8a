"""“Improve this judge”: what was tried on the study's labels, and the judge that uses it."""

import re

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.models import Judge, Judgment
from annotate.protocol.signatures import judge_title
from annotate.web.errors import Refused
from evaluation.labels.trained_on import units_left_out
from evaluation.language_models import connections
from evaluation.models import Run, TrainedScorer
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.runs.improving import improvable, improve, judge_called
from evaluation.runs.thresholds import use_threshold
from tests.annotate.loading import load
from tests.annotate.pages import visible
from tests.evaluation.asking.fake import serving
from tests.evaluation.asking.test_model_runs import ASKED
from tests.evaluation.runs.doing import finished
from tests.evaluation.services.test_thresholds import BASE, answers, give, own_units
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@shared_rows
def bent(peaks):
    """Sixty questions; the scores say how probable a yes is, but far too low."""
    load(peaks, answers(60))
    peaks.dimensions = ["attributable"]
    peaks.save()
    judge = Judge.objects.create(study=peaks, kind="automatic", name=BASE)
    rita = Judge.objects.create(study=peaks, kind="simulated", name="rita")
    random = np.random.default_rng(1)
    for unit in own_units("r"):
        truth = 2 * random.normal()
        yes = random.random() < 1 / (1 + np.exp(-truth))
        score = float(1 / (1 + np.exp(-(truth - 3))))
        give(rita, unit, "yes" if yes else "no")
        give(judge, unit, "yes" if score >= 0.5 else "no", score=score)
    return peaks


def page_of(judge):
    return reverse("improve-judge", args=[judge.study.slug, judge.pk])


@pytest.mark.parametrize("way", ["platt", "isotonic"])
@pytest.mark.parametrize("part", ["half", "all"])
def test_a_calibrated_judge_is_compared_on_what_it_did_not_learn_from(bent, way, part):
    before = list(Judgment.objects.filter(judge__name=BASE).values_list("pk", "value", "score"))
    kept = use_threshold(bent, BASE, "attributable", part=part, way=way)
    judge = Judge.objects.get(name__contains=f"|calibrated:{way}|")
    assert judge_title(judge.name) == f"AutoAIS, word coverage, calibrated ({way})"
    assert len(units_left_out(judge)) == (30 if part == "half" else 60)
    pairs = dict(judge.judgments.values_list("unit_id", "score"))
    own = dict(Judgment.objects.filter(judge__name=BASE).values_list("unit_id", "score"))
    order = sorted(pairs, key=lambda unit: own[unit] or 0.0)
    assert np.all(np.diff([pairs[unit] for unit in order]) >= -1e-12)
    assert all(
        value == ("yes" if (score or 0.0) >= 0.5 else "no")
        for value, score in judge.judgments.values_list("value", "score")
    )
    assert before == list(
        Judgment.objects.filter(judge__name=BASE).values_list("pk", "value", "score")
    )
    assert kept.agreement["after"]["accuracy"] > kept.agreement["before"]["accuracy"]
    report = build(gather(bent), Filters(resamples=20))
    ids = {one["name"]: one["id"] for one in report["judges"]}
    rows = [row for row in report["agreement"] if row["judge"] == ids[judge.name]]
    assert [row["units"] for row in rows] == ([30] if part == "half" else [])


def test_again_nothing_changes_and_new_scores_are_added(bent):
    use_threshold(bent, BASE, "attributable", part="half", way="platt")
    judge = Judge.objects.get(name__contains="|calibrated:platt|")
    first = list(judge.judgments.order_by("pk").values_list("pk", "score"))
    gone = judge.judgments.latest("pk")
    unit = gone.unit_id
    gone.delete()
    use_threshold(bent, BASE, "attributable", part="half", way="platt")
    again = list(judge.judgments.order_by("pk").values_list("pk", "score"))
    assert again[:-1] == first[:-1]
    assert judge.judgments.filter(unit=unit).exists()
    assert TrainedScorer.objects.count() == 1


@pytest.mark.parametrize("way", ["platt", "threshold"])
def test_other_labels_of_the_same_units_make_another_judge(bent, way):
    kept = use_threshold(bent, BASE, "attributable", part="all", way=way)
    [first] = Judge.objects.filter(name__contains=f"|chosen:{kept.fingerprint}|")
    before = list(first.judgments.order_by("pk").values_list("value", "score"))
    told = kept.agreement
    for one in list(Judgment.objects.filter(judge__name="rita")[:6]):
        one.value = {"yes": "no", "no": "yes"}[one.value]
        one.save()
    again = use_threshold(bent, BASE, "attributable", part="all", way=way)
    assert again.fingerprint != kept.fingerprint
    assert list(first.judgments.order_by("pk").values_list("value", "score")) == before
    kept.refresh_from_db()
    assert kept.agreement == told
    assert len(units_left_out(first)) == 60


def test_it_is_used_on_the_page(bent, alice, signed_in):
    client, address = signed_in(alice), page_of(judge_called(bent, BASE))
    assert client.post(address, {"part": "half"}).context["form"].errors["way"]
    answer = client.post(address, {"part": "half", "way": "platt"}, follow=True)
    page = visible(answer.content.decode())
    assert "calibrated (platt)” is a judge of the study now" in page
    assert "Scores calibrated on labels (platt)" in page
    made = Judge.objects.get(name__contains="|calibrated:platt|")
    page = visible(client.get(page_of(made)).content.decode())
    assert "has learned from labels already" in page
    with pytest.raises(Refused, match="has learned from labels already"):
        judge_called(bent, made.name)


def test_programs_and_the_command_say_the_same(bent, alice, signed_in, capsys):
    client, address = signed_in(alice), reverse("api-improve", args=[bent.slug])
    [told] = client.get(address, {"judge": BASE}).json()["tried"]
    assert [one["way"] for one in told["ways"]] == ["threshold", "platt", "isotonic"]
    platt = told["ways"][1]
    assert platt["better"]
    given = {"judge": BASE, "dimension": "attributable", "way": "platt", "part": "all"}
    answer = client.post(address, given, content_type="application/json")
    assert (answer.status_code, answer.json()["units"]) == (201, 60)
    call_command("improve_judge", bent.slug, BASE, use="isotonic")
    said = capsys.readouterr().out
    more = platt["more"]["brier"]
    assert f"by {more['value']:.3f} [{more['low']:.3f}, {more['high']:.3f}]" in said
    assert "calibrated (isotonic)” is a judge of the study now; 30 labels" in said
    with pytest.raises(CommandError, match="no automatic judge"):
        call_command("improve_judge", bent.slug, "x")


def test_a_judge_without_scores_has_nothing_to_try(peaks, alice, signed_in):
    judge = Judge.objects.get(study=peaks, kind="automatic")
    judge.judgments.update(score=None)
    assert improvable(judge) == []
    assert "Nothing to try" in signed_in(alice).get(page_of(judge)).content.decode()


def test_a_model_that_was_shown_examples_stands_beside_itself(bent, lab, alice, signed_in):
    def answer(told, schema):
        """With examples it says what people say, but for every fifteenth; without them it says so
        of every second."""
        asked = re.search(r"asked\n\n<material-\w+>\n(\d+)\?", told)
        number = int(asked[1]) if asked else 0
        right = number % 15 if "## Example 1" in told else number % 2
        value = people.get(number, "yes")
        other = {"yes": "no", "no": "yes"}[value]
        return {"value": value if right else other, "reason": "", "quotes": []}

    people = {
        int(one.unit.response.question.text.rstrip("?")): one.value
        for one in Judgment.objects.filter(judge__name="rita").select_related(
            "unit__response__question"
        )
    }
    client = signed_in(alice)
    with serving(answer) as server:
        made = lab(server)
        made.family = "Some family"
        connections.save(made)
        finished(bent, **ASKED)
        judge = Judge.objects.get(name__startswith="model|")
        planned = client.post(reverse("improve-examples", args=[bent.slug, judge.pk]))
        run = Run.objects.latest("pk")
        assert planned.url == reverse("run", args=[bent.slug, run.pk])
        assert run.settings["examples"] == 8
        finished(bent, examples=8, **ASKED)
    [shown] = improve(judge, bent.protocol["attributable"]).shown
    assert shown.judge.name.startswith("model|family:Some family|shown:")
    assert shown.comparison.units == 60 - 9
    assert (shown.comparison.after["kappa"].value or 0.0) > 0.8
    assert shown.comparison.better
    page = visible(client.get(page_of(judge)).content.decode())
    assert "Examples in the prompt: Language model, m-1, 8 examples" in page
