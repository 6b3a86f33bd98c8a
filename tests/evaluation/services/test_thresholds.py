"""A threshold chosen on a study's labels: another judge, of stored scores, without these labels."""

import pytest
from django.urls import reverse

from annotate.models import Judge, Judgment, Unit
from annotate.web.errors import Refused
from evaluation.labels.trained_on import units_left_out
from evaluation.models import TrainedOn, TrainedScorer
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.runs.thresholds import use_threshold
from tests.annotate.loading import load, response
from tests.evaluation.made_up import made_up_report
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

BASE = "autoais|coverage:2|thr:0.5|variant:released|v:2"


def answers(count):
    """Answers to as many questions."""
    return [
        response(f"Answer {n} [1].", question=f"{n}?", question_id=f"x{n:03}") for n in range(count)
    ]


@shared_rows
def scored(peaks):
    """Forty questions; the scores of what people call attributable lie above .3."""
    load(peaks, answers(40))
    judge = Judge.objects.create(study=peaks, kind="automatic", name=BASE)
    rita = Judge.objects.create(study=peaks, kind="simulated", name="rita")
    units = own_units("r")
    for n, unit in enumerate(units):
        yes = n % 3 > 0
        score = (0.32 + 0.01 * n / 2) if yes else 0.005 * n
        give(rita, unit, "yes" if yes else "no")
        give(judge, unit, "yes" if score >= 0.5 else "no", score=score)
    return peaks


def own_units(key):
    """Of the responses loaded here, not those that every test has."""
    rows = Unit.objects.filter(key=key, response__question__external_id__startswith="x")
    return rows.order_by("pk")


def give(judge, unit, value, **more):
    Judgment.objects.create(judge=judge, unit=unit, dimension="attributable", value=value, **more)


def report_of(study, **filters):
    found = build(gather(study), Filters(resamples=20, **filters))
    names = {one["name"]: one["id"] for one in found["judges"]}
    rows = {row["judge"]: row for row in found["agreement"]}
    return {name: rows.get(id) for name, id in names.items()}, found


def test_half_is_learned_from_and_the_judge_is_compared_on_the_other_half(scored):
    before = list(Judgment.objects.filter(judge__name=BASE).values_list("pk", "value"))
    kept = use_threshold(scored, BASE, "attributable", part="half")
    threshold = kept.agreement["threshold"]
    assert 0.1 < threshold <= 0.33
    judge = Judge.objects.get(study=scored, name__contains="|chosen:")
    assert judge.name == (
        f"autoais|chosen:{kept.fingerprint}|of:attributable|labels:20|questions:20|part:half|"
        f"thr:{threshold!r}|coverage:2|variant:released|v:2"
    )
    assert judge.title == f"AutoAIS, word coverage, threshold {threshold!r}"
    assert list(Judgment.objects.filter(judge__name=BASE).values_list("pk", "value")) == before
    for value, score in judge.judgments.values_list("value", "score"):
        assert value == ("yes" if score >= threshold else "no")
    assert len(units_left_out(judge)) == 20
    rows, report = report_of(scored)
    assert rows[BASE]["units"] == 40
    assert rows[judge.name]["units"] == 20
    assert rows[judge.name]["kappa"]["value"] > rows[BASE]["kappa"]["value"]
    assert kept.agreement["after"]["number"] == 20
    assert kept.agreement["after"]["kappa"] == pytest.approx(rows[judge.name]["kappa"]["value"])
    trained = next(note for note in report["method"] if note["key"] == "trained_on")
    assert f"{judge.title}: 20 units" in trained["text"]


def test_of_all_only_later_labels_count(scored):
    use_threshold(scored, BASE, "attributable", part="all")
    judge = Judge.objects.get(study=scored, name__contains="|chosen:")
    assert report_of(scored)[0][judge.name] is None
    load(scored, [response("Later [1].", question="Later?", question_id="q99")])
    unit = Unit.objects.get(key="r", response__question__external_id="q99")
    give(Judge.objects.get(name="rita"), unit, "yes")
    give(judge, unit, "yes", score=0.6)
    assert report_of(scored)[0][judge.name]["units"] == 1


def test_an_answer_that_follows_a_changed_score_keeps_the_one_before(scored):
    use_threshold(scored, BASE, "attributable", part="half")
    judge = Judge.objects.get(study=scored, name__contains="|chosen:")
    learned = units_left_out(judge)
    unit = next(unit for unit in own_units("r") if unit.pk not in learned)
    before = judge.judgments.get(unit=unit)
    Judgment.objects.filter(judge__name=BASE, unit=unit).update(score=0.99, value="yes")
    kept = set(judge.judgments.exclude(unit=unit).values_list("pk", "value", "created_at"))
    use_threshold(scored, BASE, "attributable", part="half")
    assert set(judge.judgments.exclude(unit=unit).values_list("pk", "value", "created_at")) == kept
    now = judge.judgments.get(unit=unit)
    assert (now.pk, now.value, now.score) == (before.pk, "yes", 0.99)
    [past] = now.history.all()
    assert (past.value, past.score) == (before.value, before.score)


def test_training_units_are_neither_learned_from_nor_compared(scored):
    name = "autoais|trained:1|weights:0123456789abcdef|thr:0.5|v:2"
    Judge.objects.filter(name=BASE).update(name=name)
    used = list(own_units("r")[:10])
    scorer = TrainedScorer.objects.create(
        study=scored, fingerprint="0123456789abcdef", folder="x", seed=1, agreement={}
    )
    TrainedOn.objects.bulk_create([TrainedOn(scorer=scorer, unit=unit) for unit in used])
    use_threshold(scored, name, "attributable", part="half")
    judge = Judge.objects.get(study=scored, name__contains="|chosen:")
    assert len(units_left_out(judge)) == 10 + 15


def test_too_little_to_learn_from(scored):
    Judgment.objects.filter(judge__name="rita").exclude(value="yes").delete()
    with pytest.raises(Refused, match="people said “yes” everywhere"):
        use_threshold(scored, BASE, "attributable", part="half")
    Judgment.objects.filter(judge__name="rita").delete()
    with pytest.raises(Refused, match="about 0 questions in common; at least 4 are needed"):
        use_threshold(scored, BASE, "attributable", part="half")
    with pytest.raises(Refused, match="no scores on “Citation recall”"):
        use_threshold(scored, BASE, "citation_recall", part="half")
    assert not Judge.objects.filter(name__contains="|chosen:").exists()


def test_without_a_clear_gain_the_judge_keeps_its_threshold(scored, signed_in, bob):
    """The scores say nothing of what people say."""
    rows = Judgment.objects.filter(judge__name=BASE).order_by("pk")
    for n, one in enumerate(rows):
        one.score = 0.25 + 0.5 * ((n * 7) % 40) / 40
        one.value = "yes" if one.score >= 0.5 else "no"
        one.save()
    kept = "keeps its threshold of 0.5 for “Attributable”: learning from labels changes held-out"
    with pytest.raises(Refused, match=kept):
        use_threshold(scored, BASE, "attributable", part="half")
    assert not Judge.objects.filter(name__contains="|chosen:").exists()
    body = dumps(build(gather(scored), Filters(resamples=20)))
    report = made_up_report(scored, Filters(resamples=20), body=body)
    address = reverse("report-threshold", args=["peaks", report.pk, "j1-attributable"])
    page = " ".join(signed_in(bob).get(address).content.decode().split())
    assert kept in page
    assert "Use threshold" not in page


def test_of_a_chosen_threshold_none_is_chosen(scored):
    use_threshold(scored, BASE, "attributable", part="half")
    name = Judge.objects.get(study=scored, name__contains="|chosen:").name
    with pytest.raises(Refused, match="has learned from labels already"):
        use_threshold(scored, name, "attributable", part="half")


# On the page -------------------------------------------------------------------------------------


def test_from_the_report_to_the_judge(scored, signed_in, bob):
    browser = signed_in(bob)
    body = build(gather(scored), Filters(resamples=20))
    report = made_up_report(scored, Filters(resamples=20), body=dumps(body))
    address = reverse("report-threshold", args=["peaks", report.pk, "j1-attributable"])
    shown = browser.get(f"{reverse('report', args=['peaks'])}?resamples=20").content.decode()
    assert f'href="{address}"' in shown
    page = browser.get(address).content.decode()
    assert "says yes to “Attributable” from a score of 0.5 upward" in " ".join(page.split())
    answer = browser.post(address, {"part": "half"}, follow=True)
    assert answer.redirect_chain[0][0].endswith("/report/?resamples=20")
    assert "chosen on 20 labels" in answer.content.decode()
    learned = browser.get(reverse("scorers", args=["peaks"])).content.decode()
    assert "chosen on labels" in learned
    wrong = browser.post(address, {"part": "none"})
    assert wrong.status_code == 422
    gone = reverse("report-threshold", args=["peaks", report.pk, "j9-attributable"])
    assert browser.get(gone).status_code == 404
