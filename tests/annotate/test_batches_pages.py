"""The pages on which a researcher makes batches, opens and closes them."""

from typing import Any

from django.urls import reverse

from annotate.models import Batch, Judge, Judgment
from annotate.rating.batches import Selection, create_batch, preview
from annotate.web.template_filters import duration
from tests.annotate.pages import policy_faults, visible
from tests.shared_rows import shared_rows

HTMX = {"HX-Request": "true"}


@shared_rows
def browser(signed_in, bob):
    return signed_in(bob)


def at(name, *more):
    return reverse(name, args=["peaks", *more])


def filled(study, **changes):
    """The form as the page shows it, changed as said; none takes a field out."""
    form = {
        "name": "Pilot",
        "purpose": "work",
        "dimensions": study.dimensions,
        "systems": list(study.systems.values_list("pk", flat=True)),
        "questions": "all",
        "seed": 1,
        "granularity": "response",
        "order": "shuffle",
        "raters_per_item": 3,
        "lease_minutes": 30,
        "audience": "members",
        **changes,
    }
    return {key: value for key, value in form.items() if value is not None}


def read(answer):
    html = answer.content.decode()
    assert policy_faults(html) == []
    return visible(html)


def test_only_what_the_choice_asks_for_counts(browser, peaks):
    """A sample's size that was typed before the list was chosen; gold terms left behind."""
    form = filled(
        peaks, questions="list", listed="q1\n q1 \n\n", sample_size=9, purpose="practice",
        gold_count=3, gold_percent=20, gold_mark=50,
    )  # fmt: skip
    assert browser.post(at("batch-new"), form).status_code == 302
    made = Batch.objects.get()
    assert (made.selection["listed"], made.selection["sample_size"]) == (["q1"], 0)
    assert (made.gold_percent, made.gold_mark, made.selection["gold_count"]) == (0, 0, 0)


def test_a_form_with_faults_says_which(subtests, browser, peaks):
    faults: list[tuple[dict[str, Any], str]] = [
        ({"name": ""}, "This field is required"),
        ({"questions": "sample"}, "Enter the sample size"),
        ({"questions": "list"}, "List at least one question"),
        ({"questions": "list", "listed": "q1\nq77"}, "There is no question “q77”"),
        ({"systems": []}, "This field is required"),
        ({"systems": [10**9]}, "not one of the available choices"),
        ({"dimensions": ["beauty"]}, "not one of the available choices"),
        ({"raters_per_item": 0}, "greater than or equal to 1"),
        ({"raters_per_item": 10**6}, "less than or equal to 1000"),
        ({"seed": 2**31}, "less than or equal to"),
        ({"completion_url": "javascript:alert(1)"}, "Enter a valid URL"),
        ({"gold_percent": 10}, "needs gold questions"),
    ]
    for changes, said in faults:
        with subtests.test(changes=changes):
            answer = browser.post(at("batch-new"), filled(peaks, **changes))
            assert answer.status_code == 422
            assert said in read(answer)
            assert not Batch.objects.exists()


def test_another_study_lends_neither_practice_nor_judge_nor_batch(browser, peaks, elsewhere):
    key = Judge.objects.create(study=elsewhere, kind="reference", name="Theirs")
    theirs = create_batch(elsewhere, name="Theirs", purpose="practice", gold=key)
    for changes in (
        {"qualification": theirs.pk},
        {"gold": key.pk},
        {"apart_from": [theirs.pk]},
        {"systems": [elsewhere.systems.all()[0].pk]},
    ):
        answer = browser.post(at("batch-new"), filled(peaks, **changes))
        assert answer.status_code == 422
        assert set(answer.context["form"].errors) == set(changes)
    assert peaks.batches.count() == 0


def test_counting_with_and_without_javascript(browser, peaks):
    for granularity in ("response", "unit"):
        form = filled(peaks, name="", granularity=granularity)
        selection = Selection(systems=tuple(form["systems"]))
        told = preview(peaks, selection, granularity=granularity, raters_per_item=3)
        part = browser.post(at("batch-preview-counts"), form, headers=HTMX)
        whole = browser.post(at("batch-new"), {**form, "count": "1"})
        for answer in (part, whole):
            assert answer.status_code == 200
            assert answer.context["counts"].tasks == told.tasks
            assert f"{told.ratings} ratings" in read(answer)
        assert b"<form" not in part.content
        assert "This field is required" not in read(whole)
    for changes, said in (
        ({"questions": "sample"}, "Enter the sample size"),
        ({"questions": "sample", "sample_size": 9}, "9 questions cannot be drawn"),
        ({"raters_per_item": ""}, "Still needed: Ratings per task"),
    ):
        answer = browser.post(at("batch-preview-counts"), filled(peaks, **changes))
        assert answer.status_code == 200
        assert said in read(answer)
    assert not Batch.objects.exists()


def test_the_count_says_how_long_the_work_takes_and_what_it_costs(browser, peaks):
    peaks.judges.update(kind=Judge.Kind.HUMAN)
    Judgment.objects.update(seconds=10)
    form = filled(peaks, pay_per_hour="36", pay_currency="EUR", audience="link")
    told = preview(peaks, Selection(systems=tuple(form["systems"])), raters_per_item=3)
    seconds = 10 * told.answers * 3
    answer = read(browser.post(at("batch-preview-counts"), form))
    assert f"about {duration(seconds)} of work at the pace so far" in answer
    assert f"about {seconds / 100:.0f} EUR of pay" in answer
