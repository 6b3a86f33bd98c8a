"""Every format goes the whole way: received, checked, accepted, loaded."""

from annotate.formats import FORMATS
from annotate.models import Passage, Response, Source, System, Unit
from annotate.services import uploads
from tests.cases import each
from tests.uploads.files import (
    alce,
    item,
    lines,
)
from tests.uploads.steps import State, check, loaded

TOLD = [key for key, each in FORMATS.items() if each.kind == "outputs" and not each.mapped]


@each("key", TOLD)
def test_the_documented_example_loads(study, key):
    content = FORMATS[key].example.encode()
    upload = loaded(study, content, f"example{FORMATS[key].extensions[0]}")
    assert upload.format == key
    assert upload.published_at is not None
    assert upload.findings["records"] == upload.findings["new"] == upload.result["responses"]
    assert Response.objects.current().filter(study=study).count() == upload.result["responses"]


def test_the_states_on_the_way(study):
    upload = check(study, alce(item(1)), "one.json")
    assert upload.state == State.READY
    assert not Response.objects.exists()
    uploads.accept(upload)
    assert upload.state == State.QUEUED
    uploads.work(upload.pk)
    upload.refresh_from_db()
    assert upload.state == State.DONE
    assert upload.lease_until is None
    assert uploads.outcome(upload) == "1 response loaded."
    assert uploads.work(upload.pk) is None, "there is no further step"


def test_alce_outputs_become_units(study):
    loaded(study, alce(item(1)), "one.json")
    units = list(Unit.objects.order_by("pk").values_list("key", "kind", "parent__key"))
    assert units == [
        ("r", "response", None),
        ("s1", "statement", "r"),
        ("s2", "statement", "r"),
        ("s1.c1", "citation", "s1"),
        ("s2.c1", "citation", "s2"),
    ]
    cited = Unit.objects.filter(kind="citation").order_by("pk")
    assert [unit.source.n for unit in cited if unit.source] == [1, 2]
    response = Response.objects.get()
    assert response.text == item(1)["output"]
    assert (response.statement_count, response.citation_count) == (2, 2)


def test_passages_are_kept_once_for_the_same_content(study):
    loaded(study, alce(item(1), item(2)), "a.json", system="A")
    loaded(study, alce(item(1), item(3)), "b.json", system="B")
    assert Source.objects.count() == 8
    assert Passage.objects.count() == 4  # three things, and the passage on all of them


def test_predictions_with_a_passages_file(make_study):
    ais = make_study("short", preset="ais")
    content = b"question,answer,attribution\nwho,Ada,p2\nwhen,1840,p1\nwhere,,\n"
    passages = lines(
        {"id": "p1", "contents": "« Years » « Years, Dates » It was in 1840."},
        {"id": "p2", "contents": "« Ada » « Ada, Life » Ada did."},
    )
    upload = loaded(ais, content, "retriever.csv", passages=passages)
    assert upload.passages_name == "passages.jsonl"
    assert System.objects.get().name == "retriever"
    by_answer = {
        response.text: [source.passage.text for source in response.sources.all()]
        for response in Response.objects.all()
    }
    assert len(by_answer["Ada"]) == 1
    assert "Ada did." in by_answer["Ada"][0]
    assert by_answer[""] == []
