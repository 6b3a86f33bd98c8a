"""Corpora on pages, by commands and by programs."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from evaluation.generating import corpora
from evaluation.models import Corpus
from tests.annotate.pages import visible
from tests.evaluation.corpora import CLASSICS, a_corpus, a_file, received


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, settings):
    settings.ATTEST_CORPORA_DIR = tmp_path / "corpora"


def seen(answer):
    return visible(answer.content.decode())


def address(name, corpus=None):
    return reverse(name, args=["peaks", *([corpus.pk] if corpus else [])])


def test_a_corpus_is_made_on_its_page_and_tried(browser, study):
    assert "None yet." in seen(browser.get(address("corpora")))
    sent = {
        "name": "Animals",
        "given": [a_file(), a_file(b"Bees dance.", "bees.txt")],
        "words": 50,
        "method": "words",
    }
    answer = browser.post(address("corpora"), sent)
    made = Corpus.objects.get()
    assert answer.url == address("corpus", made)
    assert made.created_by
    assert (made.state, made.passages, made.created_by.username) == ("ready", 3, "bob")
    page = seen(browser.get(address("corpus", made)))
    assert "3 passages" in page
    found = browser.get(address("corpus", made), {"q": "bees that dance"})
    assert "bees.txt#char=0,11" in seen(found)
    part = browser.get(address("corpus", made), {"q": "zebra"}, headers={"HX-Request": "true"})
    assert "No passage contains any of these words." in seen(part)
    assert b"<html" not in part.content
    assert "Animals" in seen(browser.get(address("corpora")))


def test_refused_corpus_shows_its_reason_in_the_form(browser, study, bob):
    received(study, bob)
    sent = {"name": "Animals", "given": [a_file()], "words": 50, "method": "words"}
    answer = browser.post(address("corpora"), sent)
    assert answer.status_code == 422
    assert "There is a corpus “Animals” in this study already." in seen(answer)
    assert (
        browser.post(
            address("corpora"), {"name": "Other", "words": 50, "method": "words"}
        ).status_code
        == 422
    )


def test_a_large_one_is_watched_and_cancelled(browser, study, bob, settings):
    settings.ATTEST_INLINE_UPLOAD_BYTES = 0
    browser.post(
        address("corpora"), {"name": "Animals", "given": [a_file()], "words": 50, "method": "words"}
    )
    made = Corpus.objects.get()
    assert made.state == "queued"
    page = browser.get(address("corpus", made))
    assert "Waiting to be indexed" in seen(page)
    assert "No worker is running" in seen(page)
    asked_again = browser.get(address("corpus", made), headers={"HX-Request": "true"})
    assert "Waiting to be indexed" in seen(asked_again)
    browser.post(address("corpus-cancel", made))
    ended = browser.get(address("corpus", made), headers={"HX-Request": "true"})
    assert ended["HX-Refresh"] == "true"
    assert "can be indexed again" in seen(browser.get(address("corpus", made)))
    browser.post(address("corpus-again", made))
    corpora.work(made.pk)
    assert "Try a search" in seen(browser.get(address("corpus", made)))
    answer = browser.post(address("corpus-delete", made), follow=True)
    assert "The corpus “Animals” is deleted." in seen(answer)
    assert not Corpus.objects.exists()


def test_a_failed_one_says_why(browser, study, bob):
    made = a_corpus(study, bob, a_file(b"{oops\n", "bad.jsonl"))
    assert "bad.jsonl, line 1: expected one JSON object" in seen(
        browser.get(address("corpus", made))
    )


def test_programs_make_search_and_delete_one(browser, study):
    made = browser.post(
        address("api-corpora-list"), {"name": "Animals", "files": [a_file()]}
    ).json()
    assert (made["state"], made["passages"]) == ("ready", 2)
    corpus = Corpus.objects.get()
    assert browser.get(address("api-corpora-list")).json()["corpora"] == [made]
    found = browser.get(address("api-corpora-search", corpus), {"q": "foxes", "k": 1}).json()
    assert [one["key"] for one in found["passages"]] == ["f1"]
    assert browser.post(address("api-corpora-cancel", corpus)).status_code == 409
    assert browser.post(address("api-corpora-again", corpus)).status_code == 409
    assert browser.get(address("api-corpora-search", corpus), {"q": "x", "k": 0}).status_code == 400
    assert browser.delete(address("api-corpora-detail", corpus)).status_code == 204
    assert browser.get(address("api-corpora-detail", corpus)).status_code == 404


@pytest.mark.django_db
def test_commands_make_and_search_one(study, tmp_path, capsys):
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "bees.md").write_text("# Bees\n\nBees dance.")
    call_command("make_corpus", "peaks", "All", str(CLASSICS), str(folder))
    assert "All: 35 passages" in capsys.readouterr().out
    call_command("search_corpus", "peaks", "All", "bees dance", "-k", "1")
    assert json.loads(capsys.readouterr().out)["key"] == "bees.md#char=0,16"
    for said, words in (
        ("already", ["make_corpus", "peaks", "All", str(CLASSICS)]),
        ("no file", ["make_corpus", "peaks", "Other", "/nowhere"]),
        ("no corpus “Others”", ["search_corpus", "peaks", "Others", "bees"]),
    ):
        with pytest.raises(CommandError, match=said):
            call_command(*words)
    bad = tmp_path / "bad.jsonl"
    bad.write_text("[\n")
    with pytest.raises(CommandError, match=r"bad\.jsonl, line 1"):
        call_command("make_corpus", "peaks", "Bad", str(bad))
    assert not Corpus.objects.filter(name="Bad").exists()
