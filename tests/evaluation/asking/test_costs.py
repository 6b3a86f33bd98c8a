"""What a run of a language model costs, its budget and its trials, for people and programs."""

import json
from io import StringIO
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.models import Judge, Judgment, Membership, Role
from annotate.web.template_filters import dollars
from evaluation.language_models import connections
from evaluation.language_models.asking.examples import FENCED
from evaluation.language_models.costs import Cost, estimated_cost, expected_cost
from evaluation.models import Connection, ModelCall, Run
from evaluation.runs import lifecycle as runs
from evaluation.runs.forecasts import recommended
from evaluation.runs.trials import shown
from tests.annotate.pages import visible
from tests.evaluation.asking.fake import serving
from tests.evaluation.asking.test_model_calls import priced
from tests.evaluation.asking.test_model_runs import ASKED, says
from tests.evaluation.runs.doing import finished, plan_it, planned, work_off

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def page(signed_in, bob, every):
    Membership.objects.create(study=every, user=bob, role=Role.RESEARCHER)
    client = signed_in(bob)

    class Page:
        def __init__(self):
            self.client = client

        def __call__(self, run):
            address = reverse("run", args=[every.slug, run.pk])
            return visible(client.get(address).content.decode())

    return Page()


def new_run(client, study, **more):
    given = {
        "judge": "model", "scorer": "coverage", "connection": "lab", "style": "direct",
        "variant": "released", **more,
    }  # fmt: skip
    return client.post(reverse("run-new", args=[study.slug]), given)


def test_the_page_says_beforehand_what_it_may_cost_and_then_what_it_did(every, lab, page):
    with serving(says) as server:
        priced(lab(server))
        run = planned(every, **ASKED)
        before = page(run)
        assert "It costs at most about" in before
        assert "Budget (USD)" in before
        address = reverse("run-start", args=[every.slug, run.pk])
        page.client.post(address, {"budget": "0.00"})
        run.refresh_from_db()
        assert run.state == Run.State.PLANNED
        page.client.post(address, {"budget": "7.50"})
        work_off(run)
    assert run.state == Run.State.DONE, run.error
    said = page(run)
    assert f"Tokens read {100 * run.calls:,} Tokens from cache {20 * run.calls:,}" in said
    assert "Spent of 7.50 USD" in said


def test_a_recommended_model_says_its_price_and_pauses_at_twice_of_it(every, server, page):
    now = reverse("runs-now", args=[every.slug])
    assert "Language model" not in page.client.get(now, headers=HTMX).content.decode()
    priced(Connection.objects.get())
    before = visible(page.client.get(now, headers=HTMX).content.decode())
    run_offered(page.client, every)
    run = plan_it(Run.objects.get().pk)
    expected = estimated_cost(run)
    assert expected is not None
    assert expected.dollars is not None
    assert run.budget is not None
    assert f"About {expected.calls:,} calls, {dollars(expected.dollars)} USD" in before
    assert f"it pauses at {run.budget} USD" in before
    assert 0 <= float(run.budget) - 2 * expected.dollars <= 0.02


def run_offered(client, study, offer=None):
    """Press the overview's button, as it is shown now or was."""
    shown = client.get(reverse("runs-now", args=[study.slug]), headers=HTMX).context
    offer = offer or shown["offer"]
    sent = {"offer": offer.key}
    return offer, client.post(reverse("run-recommended", args=[study.slug]), sent, follow=True)


def test_an_offer_whose_judge_or_price_changed_is_not_started(every, lab, page):
    run_offered(page.client, every, offer=Mock(key="other"))
    assert not Run.objects.exists()
    with serving(says) as server:
        priced(lab(server))
        shown = reverse("runs-now", args=[every.slug])
        before = page.client.get(shown, headers=HTMX).context["offer"]
        Connection.objects.update(price_asked=500)
        _, answer = run_offered(page.client, every, offer=before)
        assert "price changed since this page was shown" in answer.content.decode()
        assert not Run.objects.exists()
        run_offered(page.client, every)
        run = Run.objects.get()
        _, second = run_offered(page.client, every, offer=before)
    assert second.redirect_chain == [(reverse("run", args=[every.slug, run.pk]), 302)]
    assert Run.objects.count() == 1


def test_a_new_run_proposes_a_budget_until_somebody_changes_it(every, lab, page):
    address = reverse("run-new", args=[every.slug])
    form = {"judge": "model", "scorer": "coverage", "connection": "lab", "variant": "released"}

    def budget(**more):
        answer = page.client.post(address, form | more, headers=HTMX)
        return answer.context["form"]["budget"].value(), answer.context["proposed"]

    with serving(says) as server:
        priced(lab(server))
        given, proposed = budget()
        assert given == proposed
        assert float(given) > 0
        assert budget(budget="", proposed=given) == ("", given)
        assert budget(budget="9", proposed=given) == ("9", given)
        assert budget(budget=given, proposed=given, judge="alce", connection="") == ("", "")


def test_of_two_connections_with_one_name_the_one_a_run_takes_is_recommended(
    every, lab, bob, page, settings
):
    settings.ATTEST_OWN_CONNECTIONS = True
    with serving(says) as server:
        priced(lab(server))
        assert recommended(every, bob) is not None
        mine = Connection(name="lab", url=server.url("chat"), mode="chat", model="m-2", owner=bob)
        connections.save(mine, key="k3y")
        assert recommended(every, bob) is None


def test_a_run_through_a_connection_of_unknown_cost_is_not_called_free(every, serve, page):
    serve(says, mode="pairs")
    given = {"judge": "autoais", "scorer": "http", "variant": "released", "connection": "lab"}
    answer = page.client.post(reverse("run-new", args=[every.slug]), given, headers=HTMX)
    said = visible(answer.content.decode())
    assert "The cost is unknown" in said
    assert "Free" not in said


def test_a_run_under_way_says_what_it_will_have_cost(every, lab, page):
    with serving(says) as server:
        priced(lab(server))
        run = planned(every, **ASKED)
        runs.start(run, queued=False)
        told = {"calls": 10, "tokens_asked": 1000, "spent": 500_000_000}
        Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING, **told)
        run.refresh_from_db()
        assert expected_cost(run, 0.0) is None
        assert expected_cost(run, 0.25) == Cost(40, 4000, 0, 0, 2.0)
        work_off(run)
        run.refresh_from_db()
        assert expected_cost(run, 1.0) is None


def test_a_trial_shows_the_prompts_then_the_answers_and_judges_nothing(every, server, page):
    answer = new_run(page.client, every, dry="yes")
    run = Run.objects.get()
    assert answer["Location"] == reverse("run", args=[every.slug, run.pk])
    run = plan_it(run.pk)
    assert server.calls == []
    said = page(run)
    # Ten prompts about the six units of the first response, eight about four of the second.
    assert said.count("Your question:") == 18
    assert "The model has not been asked yet." in said
    assert "Ask the model" in said
    runs.start(run, queued=False)
    work_off(run)
    assert run.state == Run.State.DONE, run.error
    # Exactly what was shown is what was sent.
    told = {f"{one.prompt.system}\n{one.prompt.user}" for one in shown(run)}
    assert told == {call.told for call in server.calls}
    assert FENCED in server.calls[0].told
    said = page(run)
    assert "About sure." in said
    listed = visible(page.client.get(reverse("runs", args=[every.slug])).content.decode())
    assert "Language model, m-1 trial" in listed
    assert not Judgment.objects.exists()
    assert not Judge.objects.filter(kind=Judge.Kind.AUTOMATIC).exists()
    asked = len(server.calls)
    finished(every, **ASKED)
    assert len(server.calls) == ModelCall.objects.count()
    assert len(server.calls) > asked
    assert len({call.told for call in server.calls}) == len(server.calls)


def test_only_researchers_see_the_prompts_of_a_trial(every, server, signed_in, vera):
    Membership.objects.create(study=every, user=vera, role=Role.VIEWER)
    run = planned(every, **ASKED)
    Run.objects.filter(pk=run.pk).update(dry_units=3)
    answer = signed_in(vera).get(reverse("run", args=[every.slug, run.pk]))
    assert answer.status_code == 200
    assert "Your question:" not in answer.content.decode()


def test_a_trial_outlives_its_connection(every, lab, page):
    with serving(says) as server:
        made = lab(server)
        run = planned(every, **ASKED)
    Run.objects.filter(pk=run.pk).update(dry_units=3)
    connections.remove(made)
    assert "Your question:" not in page(run)


def command(*given):
    out = StringIO()
    call_command("run_judge", "rubric", "model", "--connection", "lab", *given, stdout=out)
    return out.getvalue()


def test_the_command_tries_and_counts(every, lab):
    with serving(says) as server:
        priced(lab(server))
        said = command("--dry-run", "4", "--prompts-only")
        assert server.calls == []
        assert said.count("Your question:") == 8
        assert "Its answer" not in said
        said = command("--dry-run", "4")
        assert said.count("--- Its answer") == 8
        assert "Nothing was judged." in said
        paid = len(server.calls)
        assert f"Paid for: {paid} calls, {100 * paid} tokens read" in said
        said = command("--budget", "20")
        assert f"Paid for: {len(server.calls) - paid} calls" in said
    for wrong in (["--budget", "much"], ["--prompts-only"]):
        with pytest.raises(CommandError):
            command(*wrong)


def test_programs_give_a_budget_and_see_what_is_spent(every, lab, page):
    client = page.client

    def post(address, **said):
        return client.post(address, json.dumps(said), content_type="application/json")

    new = f"/api/studies/{every.slug}/runs/"
    given = {"judge": "model", "connection": "lab", "start": False}
    with serving(says) as server:
        priced(lab(server))
        assert post(new, **given, budget=-1).status_code == 400
        assert post(new, **given, trial=51).status_code == 400
        made = post(new, **given, budget=3.5).json()
        assert made["budget"] == 3.5
        run = plan_it(made["id"])
        told = client.get(f"{new}{run.pk}/").json()
        assert told["cost"]["estimated"]["calls"] == run.plan["pairs"]
        assert told["cost"]["spent"] is None
        assert post(f"{new}{run.pk}/start/", budget="x").status_code == 400
        assert post(f"{new}{run.pk}/start/", budget=4).json()["budget"] == 4
        work_off(run)
    told = client.get(f"{new}{run.pk}/").json()
    assert told["cost"]["spent"]["calls"] == len(server.calls)
    assert told["cost"]["spent"]["dollars"] == pytest.approx(0.00027 * len(server.calls))


def test_prices_by_command(lab):
    call_command(
        "connection", "add", "mine", "https://m.example.org/v1", "--mode", "chat", "--model", "m",
        "--price-asked", "2.5", "--price-written", "10",
    )  # fmt: skip
    made = Connection.objects.get()
    edition = made.edition
    assert made.cost(1_000_000, 500_000, 1_000_000) == 12_500_000_000
    call_command("connection", "change", "mine", "--price-cached", "0.5")
    made.refresh_from_db()
    assert made.cost(1_000_000, 1_000_000, 0) == 500_000_000
    assert made.edition == edition  # the same judge
    out = StringIO()
    call_command("connection", "list", stdout=out)
    assert "2.500000 / 0.500000 / 10.000000 dollars" in out.getvalue()
    for wrong in ("-1", "cheap", "nan"):
        with pytest.raises(CommandError, match="Expected dollars"):
            call_command("connection", "change", "mine", "--price-asked", wrong)
    call_command("connection", "change", "mine", "--price-asked", "none")
    made.refresh_from_db()
    assert not made.has_prices
