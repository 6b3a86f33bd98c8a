"""Runs in the browser: asked for, watched, stopped."""

from datetime import timedelta

import pytest
from django.urls import reverse

from annotate.models import Judgment
from evaluation.models import Run
from evaluation.runs.plans import plan
from evaluation.runs.shards import work
from tests.evaluation.runs.doing import finished, planned, started

pytestmark = pytest.mark.django_db


def page(browser, name, *args, **more):
    return browser.get(reverse(name, args=args), **more)


def act(browser, run, name, **data):
    return browser.post(reverse(f"run-{name}", args=["peaks", run.pk]), data, follow=True)


def form(**more):
    return {"judge": "alce", "scorer": "containment", "variant": "released"} | more


def test_from_the_form_to_the_end(browser, bob, loaded):
    answer = browser.post(reverse("run-new", args=["peaks"]), form(), follow=True)
    run = Run.objects.get()
    assert answer.redirect_chain == [(reverse("run", args=["peaks", run.pk]), 302)]
    assert "Being planned" in answer.content.decode()
    assert run.created_by == bob
    plan(run.pk)
    shown = page(browser, "run", "peaks", run.pk).content.decode()
    assert "1 response to judge" in shown
    act(browser, run, "start")
    work(run.shards.get().pk)
    shown = page(browser, "run", "peaks", run.pk).content.decode()
    assert "100 %" in shown
    assert "hx-trigger" not in shown.split('id="run-status"')[1].split("<section")[0]
    assert Judgment.objects.filter(judge__name__startswith="alce|containment").count() == 7


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("judge", "nobody", "Select a valid choice"),
        ("threshold", "2", "less than or equal to 1"),
        ("cap", "0", "Expected a number from 1 on, or none"),
        ("options", "window", "Expected name=value"),
        ("systems", "999999", "not one of the available choices"),
    ],
)
def test_a_wrong_form_says_where(browser, loaded, field, value, said):
    answer = browser.post(reverse("run-new", args=["peaks"]), form(**{field: value}))
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Run.objects.exists()


def test_run_uses_the_settings_of_the_form(browser, loaded, settings):
    settings.ATTEST_MODELS = ["somebody/listed"]
    options = "window=256\nmodel=somebody/listed"
    given = form(threshold="0.25", cap="none", options=options, scorer="classifier")
    browser.post(reverse("run-new", args=["peaks"]), given)
    stored = Run.objects.get().settings
    assert stored["threshold"] == 0.25
    assert stored["cap"] == "none"
    assert stored["options"] == {"window": "256", "model": "somebody/listed"}


def now(browser):
    return page(browser, "runs-now", "peaks", headers={"HX-Request": "true"}).content.decode()


def test_the_overview_runs_the_recommended_judge_at_once(browser, loaded):
    shown = " ".join(now(browser).split())
    assert "it cannot see contradiction. To score systems, use a language model" in shown
    assert "Recommended: <b>ALCE" in shown
    assert "<strong>1 answer</strong> with 3 statements and 4 citations. Free." in shown
    assert "The first run measures how long it takes." in shown
    offer = page(browser, "runs-now", "peaks", headers={"HX-Request": "true"}).context["offer"]
    browser.post(reverse("run-recommended", args=["peaks"]), {"offer": offer.key})
    run = Run.objects.get()
    assert (run.judge_name, run.starts_itself) == ("alce", True)
    shown = now(browser)
    assert "Run this judge" not in shown
    assert "every 3s" in shown
    Run.objects.update(state=Run.State.PLANNED, error="This judge is at work already.")
    shown = now(browser)
    assert "Start or delete it on its page. This judge is at work already." in shown
    assert "every 3s" not in shown


def test_a_forecast_uses_the_time_of_the_latest_like_run(browser, loaded):
    run = finished(loaded)
    assert run.started_at is not None
    Run.objects.filter(pk=run.pk).update(finished_at=run.started_at + timedelta(seconds=90))
    for way in ({"count": "1"}, {}):
        htmx = {} if way else {"headers": {"HX-Request": "true"}}
        shown = browser.post(reverse("run-new", args=["peaks"]), form(**way), **htmx)
        assert "About 1 min" in shown.content.decode()
    refused = browser.post(reverse("run-new", args=["peaks"]), form(judge="model", count="1"))
    assert "needs a connection" in refused.content.decode()
    assert Run.objects.count() == 1


def test_pause_go_on_cancel(browser, loaded):
    run = started(loaded)
    act(browser, run, "pause")
    run.refresh_from_db()
    assert run.state == Run.State.PAUSED
    act(browser, run, "resume")
    run.refresh_from_db()
    assert run.state == Run.State.RUNNING
    act(browser, run, "cancel", found="keep")
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
    assert "cannot be paused" in act(browser, run, "pause").content.decode()


def test_a_failure_is_shown_with_its_place_and_can_be_tried_again(browser, loaded):
    run = planned(loaded, scorer="absent")
    shown = page(browser, "run", "peaks", run.pk).content.decode()
    assert "The model “absent” could not be loaded" in shown
    assert "Where: while it was planned." in shown
    act(browser, run, "retry")
    run.refresh_from_db()
    assert run.state == Run.State.PLANNING


def test_the_list_shows_all_states(browser, loaded):
    finished(loaded)
    planned(loaded, scorer="absent")
    started(loaded, scorer="coverage")
    shown = page(browser, "runs", "peaks").content.decode()
    for state in ("Done", "Failed", "Running"):
        assert f">{state}</span>" in shown
    assert 'hx-trigger="every 3s"' in shown
