"""Systems made from the passages that questions bring themselves, answered before or not."""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.authentication import new_token
from annotate.models import Response, Source
from evaluation.models import Making
from evaluation.running import making
from evaluation.running.generation_previews import preview
from evaluation.running.generation_settings import GenerationSettings
from evaluation.running.subjects import Subjects
from tests.annotate.loading import load, response
from tests.evaluation.asking.fake import serving
from tests.evaluation.corpora import a_corpus, a_file, lines
from tests.evaluation.runs.test_generations import State, made, texts, worked
from tests.uploads.files import as_json
from tests.uploads.steps import loaded

LAST = {"title": "Zugspitze", "text": "It is 2,962 m high."}
DOCS = [{"title": f"Page {n}", "text": f"Fox {n} sleeps."} for n in range(1, 100)] + [LAST]


def asked(number, **changes):
    question = f"How high is peak {number}?"
    return {"id": f"q{number}", "question": question, "answers": [["2,962 m"]], "docs": DOCS,
            **changes}  # fmt: skip


@pytest.fixture
def alone(study):
    """A study of two questions with a hundred passages each, which nobody answered."""
    loaded(study, as_json([asked(1), asked(2)]), "data.json")
    return study


def says(text):
    return lambda told, schema: text


def shown(name="New", question="q1"):
    rows = Source.objects.filter(response__system__name=name, response__live=True)
    found = rows.filter(response__question__external_id=question).order_by("n")
    return list(found.values_list("passage__title", flat=True))


def test_vanilla_reads_the_first_of_them(alone, lab):
    with serving(says("It is high [2].")) as server:
        lab(server)
        row = worked(made(alone, options={"shots": "0", "ndoc": "3"}))
    assert row.state == State.DONE, row.error
    assert texts() == ["It is high [2]."] * 2
    assert shown() == ["Page 1", "Page 2", "Page 3"]
    assert "Document [3](Title: Page 3)" in server.calls[0].told
    assert "Document [4]" not in server.calls[0].told


def test_oracle_finds_the_answer_among_all_of_them(alone, lab):
    with serving(says("2,962 m [1].")) as server:
        lab(server)
        row = worked(made(alone, system="oracle", options={"shots": "0", "ndoc": "2"}))
    assert row.state == State.DONE, row.error
    assert "Zugspitze" in shown()


def test_inlinesearch_searches_all_of_them(alone, lab):
    def acts(told, schema):
        if "2,962 m" in told:
            return "Output: It is 2,962 m high [1]."
        return "Search: how high is the Zugspitze"

    with serving(acts) as server:
        lab(server)
        row = worked(made(alone, system="inlinesearch", questions=1,
                          options={"shots": "0", "steps": "2"}))  # fmt: skip
    assert row.state == State.DONE, row.error
    (one,) = Response.objects.current()
    assert one.text == "It is 2,962 m high [1]."
    assert [s.passage.title for s in one.sources.all()] == ["Zugspitze"]


def test_postcite_cites_the_best_of_them(alone, lab):
    with serving(says("The Zugspitze is 2,962 m high.")) as server:
        lab(server)
        row = worked(made(alone, system="closedbook", afterwards="postcite",
                          options={"shots": "0"}))  # fmt: skip
    assert row.state == State.DONE, row.error
    assert shown() == ["Zugspitze"]


def test_those_of_its_own_come_before_those_of_systems(alone, lab):
    load(alone, [response("So [1].", question="How high is peak 1?", question_id="q1"),
                 response("So [1].", question="Why?", question_id="q3")])  # fmt: skip
    subjects = Subjects(alone, GenerationSettings("vanilla", "lab"))
    found = {one.question.external_id: one.found for one in subjects.read(subjects.keys)}
    assert [len(found[key]) for key in ("q1", "q2", "q3")] == [100, 100, 2]
    assert found["q1"][0].title == "Page 1"
    system = Response.objects.current()[0].system
    named = Subjects(alone, GenerationSettings("vanilla", "lab", passages_of=system.pk))
    assert len(named.keys) == 2
    assert [one.title for one in named.read(named.keys[:1])[0].found] == [
        "Zugspitze", "Wetterstein",
    ]  # fmt: skip


def test_a_sample_is_drawn_of_all_questions(alone):
    one = Subjects(alone, GenerationSettings("vanilla", "lab", questions=1))
    assert len(one.keys) == 1
    assert Subjects(alone, GenerationSettings("vanilla", "lab", questions=1)).keys == one.keys


def test_other_passages_make_another_signature(alone):
    def signature():
        subjects = Subjects(alone, GenerationSettings("vanilla", "lab"))
        for some in subjects.portions():
            list(some)
        return subjects.signature

    before = signature()
    loaded(alone, as_json([asked(1, docs=[LAST])]), "data.json", replace=True)
    assert signature() != before


def test_a_corpus_is_searched_for_questions_without_passages(study, alice, lab, settings, tmp_path):
    settings.ATTEST_CORPORA_DIR = tmp_path
    loaded(study, as_json([asked(1, docs=[])]), "data.json")
    a_corpus(study, alice, a_file(lines([{"id": "p", "title": "Peaks", "text": "A peak."}])))
    with serving(says("So [1].")) as server:
        lab(server)
        row = worked(made(study, corpus="Animals", options={"shots": "0"}))
    assert row.state == State.DONE, row.error
    assert shown() == ["Peaks"]


def test_by_page_command_and_program(alone, alice, lab, signed_in, client, capsys):
    with serving(says("So [1].")) as server:
        lab(server)
        asking = {"system": "vanilla", "connection": "lab", "options": "shots=0"}
        scorer = GenerationSettings("vanilla").scorer
        form = {**asking, "name": "A", "seeds": "1", "scorer": scorer, "preview": "yes"}
        page = signed_in(alice).post(reverse("generation-new", args=["peaks"]), form)
        assert "Document [1](Title: Page 1): Fox 1 sleeps." in page.content.decode()
        call_command("generate", "peaks", "vanilla", connection="lab", dry_run=True)
        assert "2 questions, 2 answers" in capsys.readouterr().out
        token = new_token(alice, "t")
        given = {**asking, "name": "B", "options": {"shots": "0"}}
        answer = client.post(
            reverse("api-generations-list", args=["peaks"]),
            data=json.dumps(given),
            content_type="application/json",
            headers={"authorization": f"Bearer {token}"},
        )
    assert answer.status_code == 201, answer.content


def test_how_good_their_own_passages_are(alone, alice, signed_in, tmp_path, capsys):
    qrels = tmp_path / "qrels.txt"
    docs = [{**one, "id": f"d{n}"} for n, one in enumerate(DOCS)]
    loaded(alone, as_json([asked(1, docs=docs)]), "data.json", replace=True)
    qrels.write_text("q1 0 d99 1\n")
    words = ["--ranked", "--json", "--k", "50", "100", "--qrels", str(qrels)]
    call_command("retrieval", "peaks", *words)
    found = json.loads(capsys.readouterr().out)["corpus"]
    assert (found["questions"], found["with_answers"], found["with_relevant"]) == (2, 2, 1)
    assert [row["answer_recall"]["value"] for row in found["rows"]] == [0.0, 1.0]
    assert [row["relevance_recall"]["value"] for row in found["rows"]] == [0.0, 1.0]
    assert found["oracle"]["value"] == 1.0
    assert found["signature"].startswith("ranked:")
    client = signed_in(alice)
    address = reverse("making-new", args=["peaks", "retrieval"])
    both = client.post(address, {"ranked": "on", "corpus": "", "ks": "100", "qrels": "q1 0 d99 1"})
    made = Making.objects.get()
    assert both.status_code == 302
    making.work(made.pk)
    made.refresh_from_db()
    assert made.state == "done", made.error
    [first] = made.result["tables"]
    assert first["title"] == "What “the questions' own passages” gives"
    assert first["rows"][0][1] == {"value": 1.0, "reason": ""}
    assert len(made.result["charts"]) == 1


def test_the_preview_counts_those_that_nothing_can_be_asked_about(study):
    loaded(study, as_json([asked(1), asked(2, docs=[])]), "data.json")
    found = preview(study, GenerationSettings("vanilla", "lab"))
    assert (found.questions, found.without) == (2, 1)
