"""The pages on which a researcher makes batches, opens and closes them."""

from typing import Any

from django.urls import reverse

from annotate.models import Batch, Judge
from annotate.services.batches import Selection, create_batch, open_batch, preview
from annotate.services.judgments import judge_of
from annotate.services.rating.assignments import next_task
from tests.annotate.loading import judgment, load_judgments
from tests.annotate.pages import policy_faults, visible
from tests.beginnings import beginning

HTMX = {"HX-Request": "true"}


@beginning
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


def test_a_researcher_with_responses_is_led_to_a_batch(browser, peaks):
    assert "Open a batch" in read(browser.get(at("study")))
    assert "Nothing is given to raters yet" in read(browser.get(at("batches")))
    create_batch(peaks, name="Pilot")
    assert "Open a batch" not in read(browser.get(at("study")))
    assert "0 of 12" in read(browser.get(at("batches")))


def test_an_empty_study_leads_to_uploads(browser, study):
    page = browser.get(at("batch-new"))
    assert "upload outputs" in read(page)
    assert b"<fieldset" not in page.content


def test_the_form_begins_with_the_study_and_the_setting(browser, peaks, settings):
    settings.ATTEST_LEASE_MINUTES = 45
    peaks.raters_per_unit = 7
    peaks.save()
    form = browser.get(at("batch-new")).context["form"]
    shown = {name: form[name].value() for name in ("lease_minutes", "raters_per_item", "seed")}
    assert shown == {"lease_minutes": 45, "raters_per_item": 7, "seed": 1}
    assert form["dimensions"].value() == peaks.dimensions
    assert len(form["systems"].value()) == 2


def test_a_batch_is_made_as_a_draft(browser, peaks, bob):
    answer = browser.post(at("batch-new"), filled(peaks, order="together", tasks_per_rater=4))
    made = Batch.objects.get()
    assert answer.url == at("batch", made.pk)
    assert (made.state, made.order, made.tasks_per_rater, made.created_by) == (
        "draft", "together", 4, bob,
    )  # fmt: skip
    assert made.items.count() == 4
    assert "Raters do not see it until you open it" in read(browser.get(answer.url))


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
        ({"questions": "sample"}, "Say how many are to be drawn"),
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
            assert f"Ratings wanted {told.ratings}" in read(answer)
        assert b"<form" not in part.content
        assert "This field is required" not in read(whole)
    for changes, said in (
        ({"questions": "sample"}, "Say how many are to be drawn"),
        ({"questions": "sample", "sample_size": 9}, "9 questions cannot be drawn"),
        ({"raters_per_item": ""}, "Ratings per task: This field is required"),
    ):
        answer = browser.post(at("batch-preview-counts"), filled(peaks, **changes))
        assert answer.status_code == 200
        assert said in read(answer)
    assert not Batch.objects.exists()


def test_batch_is_opened_closed_and_opened_again_where_nothing_is_missing(browser, peaks):
    practice = create_batch(peaks, name="Practice", purpose="practice")
    assert "4 tasks have no known answer yet" in read(browser.get(at("batch", practice.pk)))
    said = read(browser.post(at("batch-open", practice.pk), follow=True))
    assert "No answer is known yet for" in said
    practice.refresh_from_db()
    assert practice.state == "draft"
    batch = create_batch(peaks, name="Pilot")
    for name, state, button in (
        ("batch-open", "open", "Close"),
        ("batch-close", "closed", "Open again"),
        ("batch-open", "open", "Close"),
    ):
        answer = browser.post(at(name, batch.pk), follow=True)
        batch.refresh_from_db()
        assert batch.state == state
        assert button in read(answer)


def test_changing_the_terms(browser, peaks):
    batch = open_batch(create_batch(peaks, name="Pilot"))
    path = at("batch-edit", batch.pk)
    shown = browser.get(path)
    assert "are fixed since the batch was made" in read(shown)
    assert "granularity" not in shown.context["form"].fields
    form = {
        "name": "Round 1", "raters_per_item": 5, "lease_minutes": 10, "audience": "link",
        "consent": "You agree.", "completion_code": "C1",
        "completion_url": "https://app.prolific.com/submissions/complete?cc=C1",
    }  # fmt: skip
    assert browser.post(path, form).url == at("batch", batch.pk)
    batch.refresh_from_db()
    assert (batch.name, batch.raters_per_item, batch.audience) == ("Round 1", 5, "link")
    assert batch.completion_url.endswith("cc=C1")
    assert (batch.gold_least, batch.pass_mark) == (5, 80)
    page = read(browser.get(at("batch", batch.pk)))
    assert "The batch's link" in page
    assert "You agree." in page


def test_a_change_that_is_refused_keeps_what_was_typed(browser, peaks):
    create_batch(peaks, name="Taken", selection=Selection(questions="list", listed=("q1",)))
    batch = create_batch(peaks, name="Pilot")
    form = {"name": "Taken", "raters_per_item": 2, "lease_minutes": 10, "audience": "members"}
    answer = browser.post(at("batch-edit", batch.pk), form)
    assert answer.status_code == 422
    assert "“Taken” already" in read(answer)
    assert answer.context["form"]["lease_minutes"].value() == "10"


def test_deleting(browser, peaks, rita):
    batch = open_batch(create_batch(peaks, name="Pilot"))
    assert "Delete" in read(browser.get(at("batch", batch.pk)))
    next_task(batch, judge_of(peaks, rita))
    assert "Delete" not in read(browser.get(at("batch", batch.pk)))
    said = read(browser.post(at("batch-delete", batch.pk), follow=True))
    assert "Close it instead" in said
    batch.assignments.all().delete()
    answer = browser.post(at("batch-delete", batch.pk), follow=True)
    assert answer.redirect_chain[-1][0] == at("batches")
    assert not Batch.objects.exists()


def test_the_page_of_a_batch_of_every_kind(browser, peaks):
    rows = [judgment("s1", "citation_recall", "yes", judge="Key", judge_kind="reference")]
    load_judgments(peaks, rows)
    key = Judge.objects.get(name="Key")
    practice = create_batch(
        peaks, name="Practice", purpose="practice", gold=key, max_rounds=2,
        selection=Selection(questions="list", listed=("q1",)),
    )  # fmt: skip
    work = create_batch(
        peaks, name="Work", qualification=practice, gold=key, gold_percent=10, gold_mark=60,
        selection=Selection(gold_listed=("q1",)), granularity="unit", audience="link",
    )  # fmt: skip
    told = read(browser.get(at("batch", practice.pk)))
    assert "80 percent right, at most 2 attempts" in told
    told = read(browser.get(at("batch", work.pk)))
    assert "10 percent of the work; paused under 60 percent right, after 5 answers" in told
    assert "after passing Practice" in told
    listed = read(browser.get(at("batches")))
    assert "nobody has tried yet" in listed
    assert "gold" in listed
