"""Systems made here with several seeds, as lists, and from corpora of every kind: how they stand in
the study and its reports."""

import pytest
from django.core.management import call_command

from annotate.models import Response, System
from evaluation.generating import corpora, new_systems
from evaluation.generating import generation_job as generating
from evaluation.generating.searching import retriever_of
from evaluation.language_models import connections
from evaluation.models import Connection, Generation
from evaluation.report_pages.data_state import data_state
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.data import series_of
from evaluation.reports.filters import Filters
from tests.evaluation.asking.fake import serving
from tests.evaluation.corpora import a_corpus, a_file, lines
from tests.evaluation.entailment.tiny_models import bert
from tests.evaluation.retrieving.fake_opensearch import LOGIN, opensearch
from tests.evaluation.runs.conftest import QUESTIONS, says
from tests.evaluation.runs.test_generations import made, texts, worked

State = Generation.State


def test_reports_have_mean_and_deviation_over_seeds(bench, serve):
    """Of one question and three seeds: two answers hold its answer, one does not."""
    pairs = {"qa_pairs": [{"short_answers": ["2,962 m"]}]}
    bench.questions.filter(external_id="q1").update(references=pairs)
    said = iter(["It is 2,962 m high [1].", "Nobody knows.", "It is 2,962 m high."])
    bench.questions.exclude(external_id="q1").delete()
    serve(lambda told, schema: next(said))
    row = worked(made(bench, seeds=(1, 2, 3), options={"at_once": "1"}))
    assert row.state == State.DONE, row.error
    call_command("run_judge", "peaks", "correctness")
    found = build(gather(bench), Filters(resamples=50))
    [new] = [one for one in found["systems"]["rows"] if one["system"] == "New"]
    [over] = [one for key, one in new["over_runs"].items() if key.endswith("/em_recall")]
    # (1 + 0 + 1) / 3, and the root of (2 · (1/3)² + (2/3)²) / 2
    assert over == {"runs": 3, "mean": 0.666667, "sd": 0.57735, "reason": ""}


def test_changes_of_a_question_during_generation_are_kept(bench, server, monkeypatch):
    first = bench.questions.get(external_id="q1")
    first.references, first.metadata = {"answer": ["2,962 m"]}, {"kind": "x"}
    first.save()
    receive = new_systems.store

    def later(*told):
        bench.questions.filter(pk=first.pk).update(metadata={"kind": "y"})
        return receive(*told)

    monkeypatch.setattr(generating, "store", later)
    assert worked(made(bench)).state == State.DONE
    first.refresh_from_db()
    assert first.metadata == {"kind": "y"}
    assert first.references == {"answer": ["2,962 m"]}


MEANT = [
    {"id": "p1", "title": "Dens", "text": "foxes in the cold north"},
    {"id": "p2", "title": "Peaks", "text": "How high is peak 4?"},
    {"id": "p3", "title": "Rain", "text": "rain falls on the old town"},
]


@pytest.mark.parametrize("method", ["dense", "hybrid", "opensearch"])
def test_a_system_is_made_from_a_corpus_of_every_kind(
    bench, alice, lab, settings, tmp_path, method
):
    settings.ATTEST_CORPORA_DIR = tmp_path / "corpora"
    with serving(says) as server, opensearch(MEANT) as engine:
        lab(server)
        if method == "opensearch":
            other = Connection(name="Engine", url=engine.url, mode=method, everybody=True)
            connections.save(other, key=LOGIN)
            corpus = corpora.connect(bench, "Animals", "Engine", by=alice)
        else:
            how = {"method": method, "encoder": str(bert(tmp_path)), "by_operator": True}
            corpus = a_corpus(bench, alice, a_file(lines(MEANT)), **how)
        row = worked(made(bench, corpus="Animals", options={"shots": "0", "ndoc": "1"}))
    assert row.state == State.DONE, row.error
    assert texts() == ["It is 2,962 m high [1]."] * QUESTIONS
    one = Response.objects.get(system__name="New", question__external_id="q4")
    assert one.sources.get().passage.title == "Peaks"
    assert any(
        "Document [1](Title: Peaks): How high is peak 4?" in call.told for call in server.calls
    )
    assert retriever_of(corpus).signature in one.system.description


def test_seeds_that_are_made_one_by_one_are_one_series(bench, server):
    asked = [("One", (1,), None), ("Two", (2,), None), ("Others", (3, 4), None)]
    for name, seeds, heat in [*asked, ("Hotter", (1,), 0.9)]:
        row = made(bench, name, options={"shots": "0"}, seeds=seeds, temperature=heat)
        assert worked(row).state == State.DONE
    told = {one.name: series_of(one.description) for one in System.objects.all()}
    assert told["One"] == told["Two"] == told["Others"] != ""
    assert "seeds" not in told["One"]
    assert told["Hotter"] not in ("", told["One"])
    assert [one for one, series in told.items() if not series] == ["Vermilion"]
    report = build(gather(bench), Filters(resamples=100))
    [series] = report["systems"]["series"]
    assert series["systems"] == ["One", "Others", "Two"]


def test_the_state_of_a_study_tells_of_a_series(bench, lab):
    before = data_state(bench)
    assert "series" not in before
    system = System.objects.get()
    system.description = "Signature: generated|vanilla|seeds:1|temperature:0.5"
    system.save()
    assert data_state(bench)["series"] == [["Vermilion", "vanilla|temperature:0.5"]]
