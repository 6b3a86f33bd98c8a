"""Saving judgments one at a time: what is refused, what is kept, what happens at once."""

from functools import partial

import pytest
from django.utils import timezone

from annotate.content.judgments import judge_of, record_judgment
from annotate.models import Judge, Judgment, PastJudgment, Unit
from annotate.protocol.shipped import SHIPPED
from annotate.studies.lifecycle import write_guidelines
from annotate.web.errors import Refused
from tests.annotate.concurrency import at_once
from tests.annotate.loading import judgment, load_judgments
from tests.protocol.some_answers import values_of
from tests.shared_rows import shared_rows


@shared_rows
def units(peaks):
    return {unit.key: unit for unit in Unit.objects.filter(response=peaks.responses.first())}


@shared_rows
def judge(peaks, rita):
    return judge_of(peaks, rita)


@pytest.fixture
def save(judge, units):
    """Saves rita's answer about s1's recall, or another where it is said."""

    def record(value="yes", *, by=judge, unit="s1", dimension="citation_recall", **more):
        return record_judgment(judge=by, unit=units[unit], dimension=dimension, value=value, **more)

    return record


def test_another_answer_keeps_the_earlier_one_with_its_guidelines(save, judge, units, peaks):
    first = save("yes", score=1.0, note="Clear.", seconds=12.5)
    stored = Judgment.objects.get(judge=judge)
    assert stored == first
    assert (stored.unit, stored.dimension, stored.value) == (units["s1"], "citation_recall", "yes")
    assert (stored.score, stored.note, stored.seconds) == (1.0, "Clear.", 12.5)
    before = peaks.current_guidelines
    assert (stored.guidelines, stored.upload) == (before, None)
    version = write_guidelines(peaks, "Another text.", None)
    again = save("yes", score=1.0, note="Clear.", seconds=3)
    stored = Judgment.objects.get(judge=judge)
    assert again.pk == stored.pk == first.pk
    assert (stored.seconds, stored.created_at) == (12.5, first.created_at)
    assert stored.guidelines == before
    assert not PastJudgment.objects.exists()
    second = save("no", seconds=4)
    stored = Judgment.objects.get(judge=judge)
    assert second.pk == stored.pk == first.pk
    assert (stored.value, stored.score, stored.note, stored.seconds) == ("no", None, "", 4)
    assert stored.guidelines == version
    past = PastJudgment.objects.get()
    assert (past.judgment, past.value, past.note, past.seconds) == (stored, "yes", "Clear.", 12.5)
    assert past.guidelines == before
    assert past.created_at == first.created_at <= past.replaced_at <= timezone.now()
    assert stored.created_at > past.created_at


def test_every_other_answer_note_score_or_reason_is_kept_in_the_history(save, judge):
    for given in (
        {"value": "yes"},
        {"value": "no"},
        {"value": "no"},
        {"value": "yes"},
        {"value": "yes", "note": "a word"},
        {"value": "yes", "score": 0.5},
        {"value": "", "skipped_reason": "needs other knowledge"},
        {"value": "no"},
    ):
        save(**given)
        stored = Judgment.objects.get(judge=judge)
        assert stored.value == given["value"]
        assert stored.skipped_reason == given.get("skipped_reason", "")
    past = PastJudgment.objects.order_by("pk").values_list("value", flat=True)
    assert [*past] == ["yes", "no", "yes", "yes", "yes", ""]
    assert PastJudgment.objects.latest("pk").skipped_reason == "needs other knowledge"


def test_what_is_refused(subtests, save):
    with pytest.raises(KeyError):
        save("yes", dimension="beauty")
    for given, complaint in [
        ({"value": "full"}, "has no choice “full”"),
        ({"value": "Yes"}, "has no choice “Yes”"),
        ({"value": ""}, "either a value or the reason"),
        ({"value": "yes", "skipped_reason": "broken"}, "either a value or the reason"),
        ({"unit": "r"}, "is not asked of a response"),
        ({"unit": "s1.c1"}, "is not asked of a citation"),
        ({"unit": "s1", "dimension": "utility", "value": "3"}, "is not asked of a statement"),
        ({"unit": "r", "dimension": "utility", "value": "0"}, "has no choice “0”"),
        ({"unit": "r", "dimension": "utility", "value": "6"}, "has no choice “6”"),
        ({"unit": "s1.c1", "dimension": "citation_support", "value": "yes"}, "has no choice"),
    ]:
        with subtests.test(given=given):
            before = Judgment.objects.count()
            with pytest.raises(Refused, match=complaint):
                save(**{"value": "yes", **given})
            assert Judgment.objects.count() == before


@pytest.mark.parametrize("key", SHIPPED)
def test_every_choice_can_be_saved(judge, units, key):
    dimension = SHIPPED[key]
    kinds = {unit.kind: unit for unit in units.values()}
    if dimension.unit_kind in {"claim", "claim_citation"}:
        kinds["claim"] = _unit(units["s1"], "claim", "s1.a1")
        kinds["claim_citation"] = _unit(kinds["claim"], "claim_citation", "s1.a1.c1", number=1)
    if dimension.unit_kind == "pair":
        other = units["r"].response.study.responses.exclude(pk=units["r"].response_id).first()
        kinds["pair"] = _unit(units["r"], "pair", "vs1", other=other)
    if dimension.unit_kind == "reference_claim":
        kinds["reference_claim"] = _unit(units["r"], "reference_claim", "k1")
    for value in values_of(dimension):
        stored = record_judgment(
            judge=judge, unit=kinds[dimension.unit_kind], dimension=key, value=value
        )
        assert stored.value == value
    assert PastJudgment.objects.count() == len(values_of(dimension)) - 1


def _unit(parent, kind, key, **more):
    return Unit.objects.create(
        response=parent.response,
        parent=parent,
        kind=kind,
        key=key,
        ordinal=1,
        start=parent.start,
        end=parent.end,
        **more,
    )


def test_an_answer_that_an_unfinished_file_brings_too_is_the_persons_own(save, peaks, judge):
    """Taking the file back must not take the person's answer with it."""
    upload = peaks.uploads.first()
    upload.pk, upload.published_at = None, None
    upload.save()
    present = save()
    Judgment.objects.filter(pk=present.pk).update(upload=upload)
    save()
    assert Judgment.objects.get(pk=present.pk).upload is None


def test_a_person_is_one_judge_per_study_under_a_pseudonym(peaks, elsewhere, rita, bob):
    first = judge_of(peaks, rita)
    assert judge_of(peaks, rita) == first
    assert (first.kind, first.name, first.user) == ("human", "rater-1", rita)
    assert judge_of(peaks, bob).name == "rater-2"
    assert judge_of(elsewhere, rita).name == "rater-1"
    assert judge_of(elsewhere, rita) != first


def test_a_pseudonym_that_a_file_brought_is_passed_over(peaks, rita):
    load_judgments(
        peaks, [judgment("s2", "citation_recall", "no", judge="rater-1", judge_kind="human")]
    )
    assert judge_of(peaks, rita).name == "rater-2"


# Requests at the same moment -------------------------------------------------------------------


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_a_double_click_saves_once(save, judge):
    outcomes = at_once([save] * 4)
    stored = Judgment.objects.get(judge=judge)
    assert outcomes == [stored] * 4
    assert not PastJudgment.objects.exists()


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_two_first_answers_at_once_keep_both(save, judge):
    """One stands and the other is in the history, whichever came first."""
    outcomes = at_once([partial(save, value) for value in ("yes", "no")])
    assert all(isinstance(outcome, Judgment) for outcome in outcomes), outcomes
    stored, past = Judgment.objects.get(judge=judge), PastJudgment.objects.get()
    assert {stored.value, past.value} == {"yes", "no"}


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_changes_at_once_are_all_in_the_history(save, judge):
    save("yes")
    at_once([partial(save, "no", note=str(n)) for n in range(4)])
    assert Judgment.objects.filter(judge=judge).count() == 1
    assert PastJudgment.objects.count() == 4


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_a_judge_is_made_once(peaks, rita, bob):
    outcomes = at_once([partial(judge_of, peaks, user) for user in (rita, rita, bob, bob)])
    assert all(isinstance(outcome, Judge) for outcome in outcomes), outcomes
    names = Judge.objects.filter(kind="human").values_list("name", flat=True)
    assert sorted(names) == ["rater-1", "rater-2"]


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_many_saves_at_once_are_all_there(peaks, save, rita, bob, alice):
    judges = [judge_of(peaks, user) for user in (rita, bob, alice)]
    wanted = [("s1", "yes"), ("s2", "no")]
    outcomes = at_once(
        [partial(save, value, by=judge, unit=unit) for judge in judges for unit, value in wanted]
    )
    assert all(isinstance(outcome, Judgment) for outcome in outcomes), outcomes
    assert Judgment.objects.filter(judge__in=judges).count() == 6
