"""Calls are claimed, kept and paid for once; a run keeps to what it was planned with."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from annotate.models import Evidence, Judge, Judgment
from annotate.web.errors import Refused
from evaluation.language_models import connections
from evaluation.language_models.asking.server_apis import Reply
from evaluation.language_models.model_calls import StudyCalls, parts_asking
from evaluation.models import Connection, ModelCall, Run, Shard
from evaluation.runs import lifecycle as runs
from evaluation.runs.shards import work
from tests.evaluation.asking.fake import Kept, serving
from tests.evaluation.asking.test_asker import YES, asker
from tests.evaluation.asking.test_model_runs import ASKED, says
from tests.evaluation.asking.test_pacer import questions
from tests.evaluation.runs.doing import finished, planned, split, work_off

pytestmark = pytest.mark.django_db

ONE = Reply("one", 10, 2, cached=4)
TWO = Reply("two", 10, 2)


@pytest.fixture
def run(every, server):
    return planned(every, **ASKED)


@pytest.fixture
def part(run):
    """A worker's way to the calls, with the lease of a part of its own."""

    def make(number):
        until = timezone.now() + timedelta(minutes=1)
        Shard.objects.create(
            run=run, number=number, responses=[], size=0, state="working", lease_until=until,
            lease_token=f"token-{number}",
        )  # fmt: skip
        return StudyCalls(run.study, run, None, f"token-{number}")

    return make


def test_call_is_claimed_by_one_worker(part):
    mine, other = part(101), part(102)
    assert mine.claim("m", ["a", "b"]) == {"a", "b"}
    assert other.claim("m", ["a", "b", "c"]) == {"c"}
    assert mine.claim("m", ["a"]) == {"a"}
    assert other.get_many("m", ["a", "b"]) == {}
    mine.put("m", {"a": ONE})
    assert other.get_many("m", ["a", "b"]) == {"a": ONE}
    assert other.claim("m", ["a"]) == set()
    mine.let_go("m", ["a", "b"])  # what was answered stays
    assert other.claim("m", ["a", "b"]) == {"b"}
    assert other.get_many("m", ["a"]) == {"a": ONE}
    assert other.claim("another model", ["a"]) == {"a"}


def test_call_of_a_dead_worker_is_taken_over_and_its_first_reply_stays(part, run):
    """Both replies are paid."""
    mine, other = part(101), part(102)
    mine.claim("m", ["a"])
    Shard.objects.filter(number=101).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert other.claim("m", ["a"]) == {"a"}
    assert mine.claim("m", ["a"]) == set()
    assert other.put("m", {"a": ONE}) == {"a": ONE}
    assert mine.put("m", {"a": TWO, "b": TWO}) == {"a": ONE, "b": TWO}
    run.refresh_from_db()
    assert (run.calls, run.tokens_asked, run.tokens_cached, run.tokens_written) == (3, 30, 4, 6)


def test_second_caller_waits_for_the_reply_and_uses_it():
    """Nobody pays for what another is being told."""
    said = Reply('{"value": "no", "reason": "By another."}')

    class Shared(Kept):
        looked = 0

        def get_many(self, fingerprint, digests):
            self.looked += 1
            if self.looked == 1:
                self.elsewhere = {(fingerprint, digest): said for digest in digests[1:3]}
            elif self.looked == 3:  # one is answered there, one given up
                answered, _given_up = list(self.elsewhere)
                self.rows[answered] = said
                self.elsewhere = {}
            return super().get_many(fingerprint, digests)

    calls = Shared()
    with serving(lambda told, schema: YES) as server:
        asking = asker(server, calls=calls)
        found = asking.answer(questions(4))
    assert [one.value for one in found] == ["yes", "no", "yes", "yes"]
    assert len(server.calls) == 3
    assert asking.counts["questions"].cached == 1


def test_changed_model_of_the_connection_ends_the_run(every, lab):
    with serving(says) as server:
        made = lab(server)
        run = planned(every, **ASKED)
        first, *_ = split(run)
        runs.start(run, queued=False)
        work(first.pk)
        made.model = "m-2"
        connections.save(made)
        work_off(run)
    assert run.state == Run.State.FAILED
    assert "makes another judge" in run.error
    assert Judge.objects.filter(kind=Judge.Kind.AUTOMATIC).count() == 1


def priced(connection):
    connection.price_asked = Decimal("2")
    connection.price_cached = Decimal("0.5")
    connection.price_written = Decimal("10")
    return connections.save(connection)


def test_run_pauses_at_its_budget_and_continues_with_a_higher_one(every, lab):
    with serving(says) as server:
        priced(lab(server))
        options = {"at_once": "2"}
        run = planned(every, options=options, **ASKED)
        runs.start(run, queued=False, budget=Decimal("0.01"))
        Run.objects.filter(pk=run.pk).update(spent=10_000_000 - 270_000 * 3)
        work_off(run)
        assert run.state == Run.State.PAUSED
        assert "spent its budget" in run.error
        # Three calls were left; what was under way at the third was paid for, too.
        assert 3 <= run.calls <= 4
        assert run.calls == len(server.calls) == ModelCall.objects.count()
        with pytest.raises(Refused, match="spent its budget"):
            runs.resume(run)
        with pytest.raises(Refused, match="spent its budget"):
            runs.resume(run, budget=Decimal("0.01"))
        runs.resume(run, budget=Decimal("5"))
        work_off(run)
    assert run.state == Run.State.DONE, run.error
    assert run.error == ""
    assert run.calls == len(server.calls) == ModelCall.objects.count()


def test_invalid_budget_is_refused(every, lab):
    with serving(says) as server:
        priced(lab(server))
        run = planned(every, **ASKED)
        for budget in ("NaN", "Infinity", "-1", "0", "10000000000"):
            with pytest.raises(Refused, match="Expected a budget"):
                runs.start(run, queued=False, budget=Decimal(budget))


def test_run_with_budget_stops_when_prices_are_removed(every, lab):
    with serving(says) as server:
        connection = priced(lab(server))
        run = planned(every, **ASKED)
        runs.start(run, queued=False, budget=Decimal("5"))
        connection.price_asked = None
        connections.save(connection)
        work_off(run)
        assert (run.state, server.calls) == (Run.State.FAILED, [])
        assert "“lab” has no prices" in run.error
        connection.price_asked = Decimal(1)
        connections.save(connection)
        runs.retry(run)
        work_off(run)
    assert run.state == Run.State.DONE, run.error
    assert run.spent > 0


def test_parts_that_ask_through_a_connection_are_counted(run, part):
    connection = Connection.objects.get()
    part(101), part(102)
    assert parts_asking(connection) == 2


def judged(run):
    """A judge's answers with their wordings, and the words that it points at."""
    answers = Judgment.objects.filter(judge=run.judge)
    words = Evidence.objects.filter(judge=run.judge)
    return (
        sorted(answers.values_list("unit", "dimension", "value", "note", "wording")),
        sorted(words.values_list("unit", "dimension", "start", "end")),
    )


def test_discarded_judgments_leave_no_evidence(every, server):
    first = finished(every, dimensions=["repair"], **ASKED)
    before = judged(first)
    again = finished(every, **ASKED)
    assert len(judged(again)[1]) > len(before[1])
    Run.objects.filter(pk=again.pk).update(state=Run.State.RUNNING)
    runs.cancel(again, keep=False)
    assert first.judge == again.judge
    assert judged(first) == before
