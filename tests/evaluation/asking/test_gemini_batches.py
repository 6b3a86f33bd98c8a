"""Batches of Gemini's, which are sent and answered as they are."""

import json

import pytest
from django.utils import timezone

from annotate.models import Judgment
from annotate.outgoing import EVERYWHERE
from evaluation.asking import batches
from evaluation.asking.batches import batching
from evaluation.asking.speaker import Speaker
from evaluation.entailment import Door
from evaluation.models import ModelBatch, ModelCall, Run
from evaluation.outside import connections
from evaluation.running import runs
from tests.evaluation.asking.batching import (
    AT_ONCE,
    BATCHED,
    State,
    later,
    look,
    nothing_twice,
    to_the_end,
)
from tests.evaluation.asking.test_model_runs import ASKED, says
from tests.evaluation.asking.vendors import LOST, MOST_INLINE, Batch, selling
from tests.evaluation.runs.doing import started, work_off

pytestmark = pytest.mark.django_db


def speaking(server):
    door = Door(url=server.url("gemini"), key="k3y", mode="gemini", model="m-1", allowed=EVERYWHERE)
    way = batching("gemini", door.url, door.model)
    assert way is not None
    return Speaker(door).server, way


def test_an_address_may_name_the_model(every, lab):
    with selling(says) as server:
        made = lab(server, "gemini")
        made.url += "/models/m-1:generateContent"
        connections.save(made, key="k3y")
        run = to_the_end(started(every, **AT_ONCE))
    assert run.state == Run.State.DONE, run.error
    nothing_twice(server, run)


def test_it_is_found_on_whichever_page_of_the_list():
    """In no order, and none to those who do not say how many they want."""
    with selling(says) as server:
        rows = {f"b{n}": Batch(f"b{n}", {"x-1": {}}, f"attest-{n}") for n in range(7)}
        server.batches.update(rows)
        to, way = speaking(server)
        given = {"since": timezone.now(), "calls": 1, "known": ()}
        assert [way.find(to, str(n), **given) for n in (0, 3, 6, 7)] == ["b0", "b3", "b6", ""]
        server.batches.clear()
        assert way.find(to, "0", **given) == ""


def test_where_a_vendor_cannot_list_nothing_is_sent_again(every, lab):
    """Whether it came through nobody can tell, however long it is ago."""
    with selling(says) as server:
        server.lists = False
        lab(server, "gemini")
        server.faults = [LOST]
        run = started(every, **AT_ONCE)
        work_off(run)
        later(minutes=20)
        to_the_end(run)
        assert run.state == Run.State.FAILED
        assert "refused the request" in run.error
        server.lists = True
        runs.retry(run)
        to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    assert len(server.batches) == 1
    nothing_twice(server, run)


def test_no_answer_is_taken_by_its_place(every, lab):
    """They come in any order: without what was sent beside a call, nobody knows whose they are."""
    with selling(says) as server:
        lab(server, "gemini")
        run = started(every, **AT_ONCE)
        work_off(run)
        known = ModelCall.objects.filter(lease_token="").count()
        server.batches["batch_0"].forgotten = True
        look()
        run.refresh_from_db()
        assert run.state == Run.State.FAILED
        assert "which answer of a batch belongs to which call" in run.error
        assert ModelCall.objects.filter(lease_token="").count() == known
        assert not Judgment.objects.filter(judge=run.judge).exists()
        server.batches["batch_0"].forgotten = False
        again = Run.objects.get(pk=run.pk)
        runs.retry(again)
        to_the_end(again)
        assert again.state == Run.State.DONE, again.error
        nothing_twice(server, again)


def test_who_will_not_wait_for_that_deletes_the_run_and_asks_plainly(every, lab):
    with selling(says) as server:
        lab(server, "gemini")
        run = started(every, **AT_ONCE)
        work_off(run)
        server.batches["batch_0"].forgotten = True
        look()
        run.refresh_from_db()
        runs.delete(run)
        plain = started(every, **{**ASKED, "dimensions": AT_ONCE["dimensions"]})
        work_off(plain)
    assert plain.state == Run.State.DONE, plain.error


def test_all_that_is_sent_together_is_less_than_20_mb():
    with selling(says) as server:
        to, way = speaking(server)
        body = {"generationConfig": {}, "contents": [{"parts": [{"text": "x" * 8_900}]}]}
        calls = {f"{n:032x}": body for n in range(2_000)}
        size = len(json.dumps(body)) * len(calls)
        assert 0.98 * way.most_bytes < size < way.most_bytes < MOST_INLINE
        assert way.send(to, "n" * 32, calls) == "batch_0"
        assert len(server.batches["batch_0"].requests) == 2_000


def test_a_part_that_is_larger_is_several_batches(every, lab, monkeypatch):
    monkeypatch.setattr(batches.GeminiBatches, "most_bytes", 6_000)
    with selling(says) as server:
        lab(server, "gemini")
        run = to_the_end(started(every, **BATCHED))
    assert run.state == Run.State.DONE, run.error
    assert len(server.batches) > 2
    nothing_twice(server, run)


def test_one_that_ended_without_answers_waits_for_none(every, lab):
    """It counts some as answered, of which nobody hears: those are asked plainly at once."""
    with selling(says) as server:
        server.holds = True
        lab(server, "gemini")
        run = started(every, **AT_ONCE)
        work_off(run)
        [batch] = server.batches.values()
        batch.answers = [{"response": {}, "metadata": {}}]
        batch.over = "expired"
        look()
        assert ModelBatch.objects.get().state == State.DONE
        to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    assert server.plainly == len(server.paid)


def test_why_a_batch_failed_stands_in_the_log(every, lab, caplog):
    with selling(says) as server:
        server.refuses_batches = True
        lab(server, "gemini")
        run = to_the_end(started(every, **AT_ONCE))
    assert "refused a batch as a whole" in run.error
    assert '"message": "failed"' in caplog.text


def test_a_form_is_said_in_the_words_that_batches_keep():
    form = {
        "type": "object",
        "properties": {
            "why": {"type": "string"},
            "at": {"type": "integer", "enum": [3, 1, 2]},
            "value": {"anyOf": [{"type": "number"}, {"type": "string", "enum": ["none"]}]},
        },
        "required": ["why", "at", "value"],
        "additionalProperties": False,
    }
    body = {"generationConfig": {"responseJsonSchema": form, "temperature": 0}}
    assert batches._kept_in_order(body)["generationConfig"] == {
        "temperature": 0,
        "responseSchema": {
            "type": "OBJECT",
            "properties": {
                "why": {"type": "STRING"},
                "at": {"type": "INTEGER", "minimum": 1, "maximum": 3},
                "value": {"anyOf": [{"type": "NUMBER"}, {"type": "STRING", "enum": ["none"]}]},
            },
            "required": ["why", "at", "value"],
            "propertyOrdering": ["why", "at", "value"],
        },
    }
    assert body["generationConfig"]["responseJsonSchema"] is form
    assert batches._kept_in_order({"generationConfig": {}}) == {"generationConfig": {}}
