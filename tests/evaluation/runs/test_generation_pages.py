"""Systems made here, in the browser and for programs: previewed, asked for, watched, stopped."""

from decimal import Decimal

import pytest
from django.urls import reverse

from annotate.models import System
from evaluation.generating.generation_job import work
from evaluation.generating.searching import retriever_of
from evaluation.models import Corpus, Generation
from tests.evaluation.asking.fake import serving
from tests.evaluation.corpora import a_corpus, a_file, lines

pytestmark = pytest.mark.django_db
State = Generation.State


@pytest.fixture
def server(lab):
    with serving(lambda told, schema: "It is high [1].") as found:
        lab(found, price_asked=1, price_written=2)
        yield found


def form(**more):
    asked = {"system": "vanilla", "name": "New", "connection": "lab", "scorer": "coverage"}
    return asked | {"options": "shots=0"} | more


def post(browser, **data):
    return browser.post(reverse("generation-new", args=["peaks"]), form(**data), follow=True)


def act(browser, row, name, **data):
    address = reverse(f"generation-{name}", args=["peaks", row.pk])
    return browser.post(address, data, follow=True).content.decode()


def page(browser, name, *args, **more):
    return browser.get(reverse(name, args=["peaks", *args]), **more).content.decode()


def test_from_the_form_to_the_new_system(browser, bob, loaded, server):
    answer = post(browser, begin="yes", budget="5")
    row = Generation.objects.get()
    assert answer.redirect_chain == [(reverse("generation", args=["peaks", row.pk]), 302)]
    assert (row.created_by, row.by_operator, row.budget) == (bob, False, Decimal(5))
    assert "No worker is running for the queue “outside”." in answer.content.decode()
    work(row.pk)
    shown = page(browser, "generation", row.pk)
    assert "1 of 1 answer." in shown
    assert "1: answered" in shown
    assert reverse("system", args=["peaks", System.objects.get(name="New").pk]) in shown
    assert "hx-trigger" not in shown.split('id="generation-status"')[1].split("<section")[0]
    listed = page(browser, "generations")
    assert "VANILLA" in listed
    assert "100 %" in listed
    part = page(browser, "generations", headers={"hx-request": "true"})
    assert "<html" not in part


def test_the_form_says_what_it_takes_while_one_chooses(browser, loaded, server):
    address, asks = reverse("generation-new", args=["peaks"]), {"hx-request": "true"}
    shown = browser.post(address, form(name=""), headers=asks).content.decode()
    assert "1 question, 1 answer: about 1 call" in " ".join(shown.split())
    assert "<html" not in shown
    shown = browser.post(address, form(connection="nobody"), headers=asks).content.decode()
    assert "Connection: Select a valid choice" in shown
    assert not Generation.objects.exists()


def test_form_without_connections_says_who_creates_one(browser, loaded):
    address, asks = reverse("generation-new", args=["peaks"]), {"hx-request": "true"}
    shown = browser.post(address, form(connection=""), headers=asks).content.decode()
    assert "Still needed: Connection. You cannot use any connection" in shown
    assert "Your administrator creates connections" in shown


def test_paused_on_its_page_it_goes_on_there(browser, loaded, server):
    post(browser, begin="yes")
    row = Generation.objects.get()
    assert "Paused" in act(browser, row, "pause")
    assert "It cannot be paused: it is paused." in act(browser, row, "pause")
    assert "Expected" not in act(browser, row, "resume", budget="7.5")
    row.refresh_from_db()
    assert (row.state, row.budget) == (State.QUEUED, Decimal("7.5"))
    assert "Cancelled" in act(browser, row, "cancel")
    assert "It is removed from the list" in act(browser, row, "remove")
    assert not Generation.objects.exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"options": "k=3"}, "no option “k”"),
        ({"options": "much"}, "Expected name=value"),
        ({"seeds": "one"}, "whole numbers"),
        ({"examples": "{"}, "The file of examples cannot be read"),
        ({"name": "Vermilion"}, "has a system “Vermilion” already"),
        ({"connection": "other"}, "Select a valid choice"),
        ({"system": "oracle", "afterwards": "autoais"}, "After ORACLE there may be"),
    ],
)
def test_invalid_generation_is_refused_with_its_reason(browser, loaded, server, data, said):
    answer = post(browser, begin="yes", **data)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Generation.objects.exists()


def test_a_corpus_of_the_study_can_be_searched(browser, bob, loaded, server, settings, tmp_path):
    settings.ATTEST_CORPORA_DIR = tmp_path
    assert 'name="corpus"' not in page(browser, "generation-new")
    passages = [{"id": "c1", "title": "Corpus", "text": "How high it is: 2,962 m."}]
    corpus = a_corpus(loaded, bob, a_file(lines(passages)))
    assert 'name="corpus"' in page(browser, "generation-new")
    post(browser, begin="yes", corpus=corpus.name)
    row = work(Generation.objects.get().pk)
    assert row
    assert row.state == State.DONE, row.error
    assert row.system
    assert "How high it is: 2,962 m." in server.calls[0].told
    told = row.system.description
    assert f"from the corpus “{corpus.name}”" in told
    assert f"passages:{retriever_of(corpus).signature}" in told
    (source,) = row.system.responses.get().sources.all()
    assert (source.n, source.external_id, source.passage.title) == (1, "c1", "Corpus")


@pytest.mark.parametrize("method", ["dense", "opensearch"])
def test_a_preview_asks_no_model_and_no_server_for_passages(browser, loaded, server, method):
    options = {"connection": "lab", "by_operator": True, "encoder": "/nowhere"}
    Corpus.objects.create(
        study=loaded, name="There", state="ready", method=method, options=options, folder="no"
    )
    answer = post(browser, preview="yes", corpus="There")
    assert answer.status_code == 422
    said = "pages ask none. The first prompts are shown by the command generate --dry-run."
    assert said in answer.content.decode()
    told = program(browser, "generations-preview", **ASKED, corpus="There")
    assert (told.status_code, said in told.content.decode()) == (409, True)
    assert server.calls == []


# For programs -------------------------------------------------------------------------------------


def program(browser, page, /, *args, **data):
    address = reverse(f"api-{page}", args=["peaks", *args])
    return browser.post(address, data, content_type="application/json")


ASKED = {"system": "vanilla", "connection": "lab", "options": {"shots": "0"}}


def test_programs_do_what_pages_do(browser, loaded, server):
    told = program(browser, "generations-preview", **ASKED).json()
    assert (told["questions"], told["answers"], told["cost"]["calls"]) == (1, 1, 1)
    assert "Document [1](Title: " in told["first"][0]["prompts"][0]["user"]
    answer = program(browser, "generations-list", name="New", **ASKED)
    assert answer.status_code == 201
    key = answer.json()["id"]
    assert program(browser, "generations-pause", key).json()["state"] == "paused"
    assert program(browser, "generations-resume", key, budget=3).json()["budget"] == 3.0
    work(key)
    told = browser.get(reverse("api-generations-detail", args=["peaks", key])).json()
    assert (told["state"], told["system"], told["outcome"]) == ("done", "New", {"answered": 1})
    assert (told["answered"], told["total"], told["spent"]["calls"]) == (1, 1, 1)
    (listed,) = browser.get(reverse("api-generations-list", args=["peaks"])).json()["generations"]
    assert listed == told
    gone = browser.delete(reverse("api-generations-detail", args=["peaks", key]))
    assert gone.status_code == 204
    assert System.objects.filter(name="New").exists()
