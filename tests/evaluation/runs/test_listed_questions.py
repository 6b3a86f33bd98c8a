"""Systems made from the passages that questions bring themselves, answered before or not."""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.authentication import new_token
from evaluation.generating.generation_settings import GenerationSettings
from evaluation.generating.subjects import Subjects
from evaluation.models import Making
from evaluation.runs import making
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


def test_other_passages_make_another_signature(alone):
    def signature():
        subjects = Subjects(alone, GenerationSettings("vanilla", "lab"))
        for some in subjects.portions():
            list(some)
        return subjects.signature

    before = signature()
    loaded(alone, as_json([asked(1, docs=[LAST])]), "data.json", replace=True)
    assert signature() != before


def test_by_page_command_and_program(alone, alice, serve, signed_in, client, capsys):
    serve(says("So [1]."))
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
    assert first["rows"][0][1]["value"] == 1.0
    assert len(made.result["charts"]) == 1
