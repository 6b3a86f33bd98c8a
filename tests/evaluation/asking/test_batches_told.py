"""What batches cost, and what people and programs are told of them."""

from datetime import timedelta
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.models import Membership, Role
from annotate.web.errors import Refused
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models import connections
from evaluation.language_models.costs import USUAL_WRITTEN
from evaluation.management.commands import run_judge
from evaluation.models import Connection, ModelBatch, Run
from evaluation.runs import lifecycle as runs
from evaluation.runs import model_batches
from evaluation.runs.overview import as_json
from evaluation.runs.plans import plan
from tests.annotate.pages import visible
from tests.evaluation.asking.batching import (
    AT_ONCE,
    BATCHED,
    batch_serving,
    done_once,
    look,
    sent,
    to_the_end,
)
from tests.evaluation.asking.test_model_calls import priced
from tests.evaluation.asking.test_model_runs import says
from tests.evaluation.runs.doing import planned, started, work_off

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("share", "each"), [(None, 135_000), (Decimal("0.25"), 67_500)])
def test_batches_cost_a_share_of_the_connections_prices(every, lab, share, each):
    """Half of them unless it says otherwise."""
    with batch_serving(says) as server:
        made = priced(lab(server))
        if share is not None:
            made.price_batches = share
            connections.save(made)
        run = to_the_end(started(every, **BATCHED))
        made.price_batches = Decimal("1.5")
        with pytest.raises(Refused, match="share"):
            connections.save(made)
    # 270 millionths a call: 80 tokens at 2, 20 at 0.5 and 10 at 10 dollars a million.
    assert run.spent == 270_000 + each * (run.calls - 1)
    assert run.tokens_asked == 100 * run.calls


def with_room(study, room, asked):
    """A run that has spent its budget but for so many calls, as a batch is thought to cost."""
    run = planned(study, **asked)
    runs.start(run, queued=False, budget=Decimal("0.01"))
    told = run.plan["tokens"] / run.plan["pairs"]
    each = int(1000 * (told * 2 + USUAL_WRITTEN * 10) / 2)
    Run.objects.filter(pk=run.pk).update(spent=10_000_000 - int(room * each) - 270_000)
    return run


def test_a_budget_is_reserved_when_a_batch_is_sent(every, lab):
    """So much is sent as it has room for; the rest when it is known what that has cost."""
    with batch_serving(says) as server:
        priced(lab(server))
        run = with_room(every, 1.5, AT_ONCE)
        work_off(run)
        assert [len(one.requests) for one in server.batches.values()] == [1]
        batch = ModelBatch.objects.get()
        assert 0 < batch.reserved <= 10_000_000 - run.spent
        to_the_end(run)
    assert server.plainly == 1
    assert len(server.batches) > 1
    done_once(server, run)
    assert not ModelBatch.objects.exclude(reserved=0).exists()


def test_batches_are_refused_where_the_server_has_none(every, lab):
    with batch_serving(says) as server:
        made = lab(server)
        with pytest.raises(Refused, match="A trial is answered at once"):
            run_of(every, dry_units=3)
        made.url += "/more"
        connections.save(made, key="k3y")
        with pytest.raises(Refused, match="ends in /chat/completions"):
            run_of(every)
        others = {
            "gemini": "https://models.example.org/v1beta",
            "anthropic": "https://models.example.org/v1/messages",
            "local": "/srv/models/m",
        }
        for made.mode, made.url in others.items():
            connections.save(made, key="" if made.mode == "local" else "k3y")
            with pytest.raises(Refused, match=f"chat and responses send batches, not {made.mode}"):
                run_of(every)


def run_of(study, **more):
    asked = {name: value for name, value in BATCHED.items() if name not in ("judge", "by_operator")}
    settings = JudgeSettings("model", "coverage", **asked)
    return runs.create(study, settings, by_operator=True, queued=False, **more)


def test_programs_are_told_what_is_out(every, vendor):
    vendor.holds = True
    run = sent(every, **BATCHED)
    [told] = as_json(run)["batches"]
    assert told["calls"] == len(vendor.batches["batch_0"].requests)
    assert (told["answered"], told["found"]) == (0, True)
    assert told["sent_at"]
    assert "queue could not be reached" not in as_json(run)["notice"]
    vendor.holds = False
    to_the_end(run)
    assert as_json(run)["batches"] == []


def researching(study, bob, signed_in):
    Membership.objects.create(study=study, user=bob, role=Role.RESEARCHER)
    return signed_in(bob)


def test_the_page_asks_for_batches_and_says_what_is_out(every, lab, bob, signed_in):
    client = researching(every, bob, signed_in)
    with batch_serving(says) as server:
        priced(lab(server))
        given = {"judge": "model", "scorer": "coverage", "connection": "lab", "style": "direct"}
        given |= {"variant": "released", "batches": "on"}
        assert client.post(reverse("run-new", args=[every.slug]), given).status_code == 302
        run = Run.objects.get()
        assert run.settings["options"] == {"batches": "yes"}
        plan(run.pk)
        runs.start(run, queued=False)
        server.holds = True
        work_off(run)
        look()
        address = reverse("run", args=[every.slug, run.pk])
        shown = visible(client.get(address).content.decode())
        calls = ModelBatch.objects.get().size
        assert f"{calls} calls are out in 1 batch, the first sent" in shown
        assert "The run goes on by itself." in shown
        assert "other work is before it" not in shown
        runs.cancel(run)
        shown = visible(client.get(address).content.decode())
        assert "Open calls are being cancelled there" in shown


def test_the_command_waits_for_batches(every, vendor, monkeypatch):
    monkeypatch.setattr(model_batches, "FIRST_PAUSE", timedelta(0))
    monkeypatch.setattr(run_judge, "LOOK_EVERY", 0.0)
    said = StringIO()
    given = [every.slug, "model", "--connection", "lab", "--option", "batches=yes"]
    call_command("run_judge", *given, stdout=said)
    assert "calls are out, which may take a day" in said.getvalue()
    run = Run.objects.get()
    done_once(vendor, run)


def test_the_price_of_batches_is_said_to_the_connection(every, lab, bob, signed_in, settings):
    settings.ATTEST_OWN_CONNECTIONS = True
    with batch_serving(says) as server:
        priced(lab(server))
    said = StringIO()
    call_command("connection", "change", "lab", "--price-batches", "0.4")
    call_command("connection", "list", stdout=said)
    assert "batches at 0.4 of that" in said.getvalue().replace("0.400", "0.4")
    for wrong in ("half", "nan", "1.2"):
        with pytest.raises(CommandError, match="share"):
            call_command("connection", "change", "lab", "--price-batches", wrong)
    client = researching(every, bob, signed_in)
    given = {"url": "https://m.example.org/v1/messages", "mode": "anthropic", "model": "m"}
    for name, price, kept in (("a", "", "0.5"), ("b", "0.25", "0.25")):
        answer = client.post(
            reverse("connections"), {"name": name, "price_batches": price, **given}
        )
        assert answer.status_code == 302
        assert Connection.objects.get(name=name).price_batches == Decimal(kept)
