"""Systems made here: calls once, pauses, budgets, kills; loaded wholly or not at all."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from annotate import uploads
from annotate.models import Response, System, Upload
from annotate.uploads import lifecycle
from annotate.web.errors import Refused
from annotate.work import jobs
from evaluation.generating import generation_job as generating
from evaluation.generating import generations, new_systems
from evaluation.generating.generation_job import work
from evaluation.generating.generation_settings import GenerationSettings
from evaluation.judges.entailment.parallel import StopAsking
from evaluation.language_models import connections
from evaluation.language_models.model_calls import StudyCalls
from evaluation.models import Generation, ModelCall
from evaluation.runs import making
from evaluation.runs.queue import BUDGET_SPENT
from evaluation.runs.shards import Late
from tests.annotate.loading import PASSAGES, load, response
from tests.evaluation.asking.fake import serving
from tests.evaluation.corpora import received
from tests.evaluation.runs.conftest import QUESTIONS, says

State = Generation.State
BEST = "The Zugspitze is the highest peak of Germany [1]."


def made(study, name="New", *, by=None, queued=False, budget=None, **settings):
    given = GenerationSettings(settings.pop("system", "vanilla"), "lab", **settings)
    more = {"by": by, "by_operator": by is None, "queued": queued, "budget": budget}
    return generations.create(study, name, given, **more)


def worked(row):
    done = work(row.pk)
    assert done is not None
    return done


def texts(name="New"):
    found = Response.objects.current().filter(system__name=name).order_by("question__external_id")
    return list(found.values_list("text", flat=True))


def test_a_system_is_made_with_every_question_and_says_how(bench, server):
    row = worked(made(bench, options={"shots": "0"}))
    assert row.state == State.DONE, row.error
    assert texts() == ["It is 2,962 m high [1]."] * QUESTIONS
    assert row.outcome == {"answered": QUESTIONS}
    assert (row.answered, row.total, row.calls) == (QUESTIONS, QUESTIONS, QUESTIONS)
    system = System.objects.get(name="New")
    assert row.system == system
    assert not system.uses_autoais
    told = system.description
    assert told.startswith("VANILLA (Gao et al. (2023)")
    assert "made here by “m-1”" in told
    for part in (
        "generated|vanilla|shots:0|ndoc:5|form:prose",
        "seeds:1",
        "temperature:0.5",
        "mode:chat",
    ):
        assert part in told
    one = Response.objects.get(system=system, question__external_id="q1")
    assert [(s.n, s.passage.text) for s in one.sources.order_by("n")] == [
        (1, PASSAGES[0][1]), (2, PASSAGES[1][1]),
    ]  # fmt: skip
    body = server.calls[0].body
    assert (body["temperature"], body["max_tokens"], body["stop"]) == (0.5, 300, ["\nQuestion:"])
    assert "Document [1](Title: Zugspitze): At 2,962 m" in server.calls[0].told


def test_the_passages_of_one_system_in_its_order(bench, server):
    other = [response("So.", system="Other", question="How high is peak 1?", question_id="q1",
             passages=(PASSAGES[3], PASSAGES[0]))]  # fmt: skip
    load(bench, other)
    of_all = worked(made(bench, "All", questions=None, options={"shots": "0"}))
    wanted = System.objects.get(name="Other").pk
    row = worked(made(bench, "Of one", passages_of=wanted, options={"shots": "0"}))
    assert of_all.state == row.state == State.DONE
    one = Response.objects.get(system__name="All", question__external_id="q1")
    titles = [source.passage.title for source in one.sources.order_by("n")]
    assert titles == ["Zugspitze", "Wetterstein", "Ozone"]
    (only,) = Response.objects.filter(system__name="Of one")
    assert [s.passage.title for s in only.sources.order_by("n")] == ["Ozone", "Zugspitze"]
    assert "from the passages of “Other”" in only.system.description


def killed_after(monkeypatch, count):
    """Whoever makes it is killed after so many answers: its lease is left."""

    class Killed(BaseException):
        pass

    put = StudyCalls.put
    kept = []

    def counted(self, fingerprint, replies):
        found = put(self, fingerprint, replies)
        kept.extend(replies)
        if len(kept) >= count:
            raise Killed
        return found

    monkeypatch.setattr(StudyCalls, "put", counted)
    return Killed


def test_after_a_kill_it_goes_on_and_pays_for_nothing_again(bench, server, monkeypatch):
    row = made(bench, options={"shots": "0", "at_once": "1"})
    killed = killed_after(monkeypatch, 3)
    with pytest.raises(killed):
        work(row.pk)
    monkeypatch.undo()
    row.refresh_from_db()
    assert (row.state, System.objects.filter(name="New").exists()) == (State.WORKING, False)
    Generation.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    before = len(server.calls)
    row = worked(row)
    assert row.state == State.DONE, row.error
    assert row.deaths == 1
    assert 3 <= before < QUESTIONS
    assert len(server.calls) == QUESTIONS
    assert ModelCall.objects.filter(lease_token="").count() == QUESTIONS
    assert texts() == ["It is 2,962 m high [1]."] * QUESTIONS


def test_pause_stops_the_worker_and_loses_nothing(bench, server, monkeypatch):
    row = made(bench, options={"shots": "0", "at_once": "1"})
    put = StudyCalls.put

    def paused(self, fingerprint, replies):
        if Generation.objects.filter(state=State.WORKING).exists():
            generations.pause(row)
        return put(self, fingerprint, replies)

    monkeypatch.setattr(StudyCalls, "put", paused)
    monkeypatch.setattr(making, "TELL_EVERY", 0.0)
    work(row.pk)
    monkeypatch.undo()
    row.refresh_from_db()
    assert row.state == State.PAUSED
    assert texts() == []
    with pytest.raises(Refused, match="It cannot be paused: it is paused"):
        generations.pause(row)
    generations.resume(row)
    row = worked(row)
    assert row.state == State.DONE, row.error
    assert len(server.calls) == QUESTIONS
    assert len(texts()) == QUESTIONS


def test_it_pauses_when_its_budget_is_spent_and_goes_on_with_a_higher_one(bench, serve):
    prices = {"price_asked": Decimal(1000), "price_written": Decimal(0)}  # a call: 10 cents
    server = serve(says, **prices)
    row = worked(made(bench, budget=Decimal("0.25"), options={"shots": "0", "at_once": "1"}))
    assert (row.state, row.error) == (State.PAUSED, BUDGET_SPENT)
    assert len(server.calls) == row.answered == 3
    of_peaks = [f"How high is peak {n}?" for n in (3, 2, 1)]
    assert [one["question"] for one in row.latest] == of_peaks
    assert {one["output"] for one in row.latest} == {"It is 2,962 m high [1]."}
    assert texts() == []
    with pytest.raises(Refused, match="It has spent its budget"):
        generations.resume(row)
    generations.resume(row, budget=Decimal(5))
    row = worked(row)
    assert row.state == State.DONE, row.error
    assert (len(server.calls), row.calls, row.latest) == (QUESTIONS, QUESTIONS, None)
    assert texts() == ["It is 2,962 m high [1]."] * QUESTIONS


def test_when_others_have_their_turn_it_goes_on_later(bench, server, settings, monkeypatch):
    sent = []
    monkeypatch.setattr(jobs, "send_row", lambda kind, row: sent.append(row.pk))
    settings.ATTEST_PART_MINUTES = 0
    row = worked(made(bench))
    assert row.state == State.FAILED  # without an answer: nobody would ever come further
    assert "it got no answer" in row.error
    assert issubclass(Late, StopAsking)
    assert sent == []


def test_another_model_behind_the_connection_makes_no_second_half(bench, lab):
    prices = {"price_asked": Decimal(1000), "price_written": Decimal(0)}
    with serving(says) as server:
        connection = lab(server, **prices)
        row = worked(made(bench, budget=Decimal("0.05"), options={"at_once": "1"}))
        assert row.state == State.PAUSED
        connection.refresh_from_db()
        connection.model = "m-2"
        connections.save(connection)
        generations.resume(row, budget=Decimal(5))
        row = worked(row)
    assert row.state == State.FAILED
    assert row.error == generating.CHANGED


@pytest.mark.parametrize("when", ["received", "loaded"])
def test_a_worker_that_dies_while_it_loads_leaves_nothing_behind(bench, server, monkeypatch, when):
    class Killed(BaseException):
        pass

    def die(upload):
        if when == "loaded":
            load_it(upload)
        raise Killed

    load_it = new_systems.load
    monkeypatch.setattr(generating, "load", die)
    row = made(bench)
    with pytest.raises(Killed):
        work(row.pk)
    row.refresh_from_db()
    assert (row.state, row.phase) == (State.WORKING, generations.LOADING)
    for stop in (generations.pause, generations.cancel):
        with pytest.raises(Refused, match="too late"):
            stop(row)
    monkeypatch.undo()
    Generation.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    row = worked(row)
    assert row.state == State.DONE, row.error
    assert len(texts()) == QUESTIONS == len(server.calls)
    assert System.objects.filter(name="New").count() == 1
    assert row.system is not None


def test_while_another_file_is_loaded_it_waits(bench, server, monkeypatch):
    row = made(bench)
    monkeypatch.setattr(lifecycle, "_finish_earlier_loads", lambda *a, **b: False)
    other = uploads.work  # the other file is begun, and its worker alive
    del other
    file = Upload.objects.get()
    Upload.objects.filter(pk=file.pk).update(
        state=Upload.State.LOADING,
        lease_token="x",
        lease_until=timezone.now() + timedelta(minutes=1),
    )
    row = worked(row)
    assert (row.state, System.objects.filter(name="New").exists()) == (State.QUEUED, False)
    Upload.objects.filter(pk=file.pk).update(
        state=Upload.State.DONE, lease_token="", lease_until=None
    )
    row = worked(row)
    assert row.state == State.DONE
    assert len(server.calls) == QUESTIONS


def test_cancelled_it_leaves_no_system_and_its_name_is_free(bench, server):
    row = made(bench)
    with pytest.raises(Refused, match="is being made already"):
        made(bench)
    generations.cancel(row)
    assert work(row.pk) is None
    assert worked(made(bench)).state == State.DONE
    with pytest.raises(Refused, match="has a system “New” already"):
        made(bench)
    generations.delete(row)
    with pytest.raises(Refused, match="cannot be cancelled: it is done"):
        generations.cancel(Generation.objects.get())


def test_invalid_settings_are_refused_and_nothing_is_written(
    bench, alice, server, settings, tmp_path
):
    settings.ATTEST_CORPORA_DIR = tmp_path
    received(bench, alice)
    refused = (
        ({"name": " "}, "a name of 1 to"),
        ({"system": "chatty"}, "There is no system “chatty”"),
        ({"options": {"k": "3"}}, "no option “k”"),
        ({"options": {"at_once": "0"}}, "as at_once"),
        ({"options": {"shots": "9"}}, "from 0 to 4 as shots"),
        ({"afterwards": "autoais"}, "After VANILLA there may be: rerank, postcite"),
        ({"seeds": ()}, "one to 10 seeds"),
        ({"seeds": (1, 1)}, "each another"),
        ({"seeds": (0,)}, "seeds from 1"),
        ({"samples": 1}, "2 to 20 samples"),
        ({"temperature": 3.0}, "temperature from 0 to 2"),
        ({"temperature": 0.0, "afterwards": "rerank"}, "every sample is the same"),
        ({"nucleus": 0.0}, "a nucleus"),
        ({"context": 300}, "longer than what one call writes"),
        ({"corpus": "Wikipedia"}, "There is no corpus “Wikipedia”"),
        ({"corpus": "Animals"}, "is waiting to be indexed"),
        ({"passages_of": 10**6}, "not in this study"),
        ({"examples": "{"}, "The file of examples cannot be read"),
        ({"system": "positional", "examples": "[]"}, "is shown no examples"),
        ({"questions": 0}, "one question at least"),
    )
    for given, said in refused:
        with pytest.raises(Refused, match=said):
            made(bench, **given)
    assert not Generation.objects.exists()


def test_only_through_a_connection_that_whoever_asks_may_use(bench, alice):
    with pytest.raises(Refused, match="no connection “lab” that you may use"):
        made(bench, by=alice)


def test_reranked_it_is_marked_by_itself_and_the_best_cited_stays(bench, serve):
    def answer(told, schema):
        bare = next(counts) % 2
        return "It is made of cheese." if bare else BEST

    counts = iter(range(1000))
    server = serve(answer)
    more = {"afterwards": "rerank", "samples": 2, "scorer": "containment", "questions": 2}
    row = worked(made(bench, options={"at_once": "1"}, **more))
    assert row.state == State.DONE, row.error
    assert len(server.calls) == 4
    assert texts() == [BEST] * 2
    system = System.objects.get(name="New")
    assert system.uses_autoais
    assert "best citation recall was kept" in system.description
    assert "|rerank|by:citation_recall|" in system.description
    assert "|questions:2|samples:2|" in system.description
    assert row.outcome["answered"] == 2


def test_cited_afterwards_closed_book_keeps_what_it_cites(bench, serve):
    serve(lambda told, schema: "The Wetterstein mountains are there.")
    row = worked(made(bench, system="closedbook", afterwards="postcite", questions=1))
    assert row.state == State.DONE, row.error
    (one,) = Response.objects.filter(system__name="New")
    assert one.text == "The Wetterstein mountains are there [2]."
    assert [(s.n, s.passage.title) for s in one.sources.all()] == [(2, "Wetterstein")]
    assert not one.system.uses_autoais


def test_by_autoais_the_candidate_with_the_highest_score_is_attributed(bench, serve):
    serve(lambda told, schema: "Wetterstein mountains")
    more = {"afterwards": "autoais", "scorer": "containment", "questions": 1}
    row = worked(made(bench, system="posthoc", **more))
    assert row.state == State.DONE, row.error
    (one,) = Response.objects.filter(system__name="New")
    assert [(s.n, s.passage.title) for s in one.sources.all()] == [(1, "Wetterstein")]
    assert one.system.uses_autoais


def test_the_same_again_pays_for_nothing(bench, server):
    worked(made(bench, "one"))
    worked(made(bench, "two"))
    assert len(server.calls) == QUESTIONS
    assert texts("one") == texts("two") != []
