"""Searching responses: the same words are found in both databases, by an index or without one."""

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.content import browsing, counts
from annotate.content.counts import changes, sums
from annotate.models import Response, SearchedText, searching
from annotate.web.removal import remove_responses
from tests.annotate.loading import load, response
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.postgresql

LIST = reverse("responses", args=["peaks"])
TEXTS = {
    "q1": ("Wie hoch liegt Zürich?", "An der Langen STRASSE, 408 m [1]."),
    "q2": ("What is a*b?", "It is 100% [sic] of a?b, as C:\\x_y says [1]."),
    "q3": ("富士山の高さは何ですか", "高さは3,776メートルです [1]。"),
    "q4": ("Who painted it?", "Hals, says the photovoltaic museum [1]."),
}


@shared_rows
def worded(study):
    load(study, [response(a, question=q, question_id=key) for key, (q, a) in TEXTS.items()])
    counts.catch_up(study)
    return study


@pytest.fixture
def client(alice, signed_in):
    return signed_in(alice)


def found(client, asked):
    page = client.get(LIST, {"q": asked})
    return {row.question.external_id for row in page.context["page"].responses}


ASKED = [
    ("zürich", {"q1"}),
    ("ZÜRICH 408", {"q1"}),
    ("straße", {"q1"}),
    ("a*b", {"q2"}),
    ("a?b", {"q2"}),
    ("[sic]", {"q2"}),
    ("100%", {"q2"}),
    ("c:\\x_y", {"q2"}),
    ("富士山", {"q3"}),
    ("メートル", {"q3"}),
    ("富士", {"q3"}),
    ("voltai", {"q4"}),
    ("it", {"q2", "q4"}),
    ("it hals", {"q4"}),
    ("[1]", {"q1", "q2", "q3", "q4"}),
    ("*", {"q2"}),
    ("painted zürich", set()),
    ('say"', set()),
    ("'hal", set()),
    ("interation", set()),
    ("x" * 60_000, set()),
    ("painted?hals", set()),
]


@pytest.mark.parametrize("index", [searching.INDEX, "annotate_searched_elsewhere"])
def test_a_word_is_found_with_and_without_an_index(subtests, worded, client, monkeypatch, index):
    monkeypatch.setattr(searching, "INDEX", index)
    for asked, expected in ASKED:
        with subtests.test(asked=asked[:20]):
            assert found(client, asked) == expected


def test_rare_words_are_asked_of_the_index(worded):
    """A database reads no text to say that a word is nowhere."""
    plan = {
        "sqlite": f"EXPLAIN QUERY PLAN SELECT rowid FROM {searching.INDEX} "
        f"WHERE {searching.INDEX} MATCH 'abc'",
        "postgresql": "EXPLAIN SELECT response_id FROM annotate_searchedtext "
        "WHERE text LIKE '%%abc%%'",
    }
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(plan[connection.vendor])
        told = str(cursor.fetchall())
    assert ("INDEX 0:M" if connection.vendor == "sqlite" else searching.INDEX) in told


def test_before_texts_are_counted_they_are_read(worded, client, monkeypatch):
    monkeypatch.setattr(sums, "AT_ONCE", 1)
    monkeypatch.setattr(sums, "schedule", lambda study: None)
    load(worded, [response(f"Snow {n} [1].", question_id=f"s{n}") for n in range(5)])
    assert found(client, "snow zugspitze") == {f"s{n}" for n in range(5)}
    assert SearchedText.objects.filter(text__contains="snow").count() < 5
    counts.catch_up(worded)
    assert found(client, "snow zugspitze") == {f"s{n}" for n in range(5)}


def test_what_counts_no_more_is_not_found(worded, client):
    Response.objects.filter(question__external_id="q4").update(live=None)
    assert found(client, "hals") == set()
    counts.catch_up(worded)
    assert not SearchedText.objects.filter(text__contains="hals").exists()


def test_responses_that_are_removed_leave_no_words(worded):
    remove_responses(worded.responses.filter(question__external_id="q4"))
    counts.catch_up(worded)
    assert SearchedText.objects.count() == 3
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:  # fails where index and texts differ
            cursor.execute(
                f"INSERT INTO {searching.INDEX}({searching.INDEX}) VALUES ('integrity-check')"
            )
            cursor.execute(f"SELECT 1 FROM {searching.INDEX} WHERE {searching.INDEX} MATCH 'pho'")
            assert cursor.fetchone() is None


def test_other_studies_are_not_searched(worded, elsewhere, client):
    load(elsewhere, [response("An unheard-of thing [1].", question_id="z")])
    assert found(client, "unheard-of") == set()
    counts.catch_up(elsewhere)
    assert found(client, "unheard-of") == set()


def test_very_many_are_not_counted(worded, client, monkeypatch):
    monkeypatch.setattr(browsing, "COUNTED", 2)
    page = client.get(LIST, {"q": "[1]"}).context["page"]
    assert (page.total, page.more, len(page.responses)) == (2, True, 4)
    system = worded.systems.get().pk
    page = client.get(LIST, {"q": "[1]", "system": system}).context["page"]
    assert (page.total, page.more, len(page.responses)) == (2, True, 4)
    page = client.get(LIST, {"q": "it", "system": system}).context["page"]
    assert (page.total, page.more, len(page.responses)) == (2, False, 2)


def test_an_answer_leaves_words_as_they_are(worded):
    """What is kept of a response is written where it is another."""
    changes.reset(worded)
    counts.catch_up(worded)
    with transaction.atomic():
        changes.lock(worded)
        changes.mark_all_changed(worded)
    with CaptureQueriesContext(connection) as asked:
        assert counts.catch_up(worded) == 4
    assert not [one for one in asked if 'INTO "annotate_searchedtext"' in one["sql"]]


@pytest.mark.django_db(transaction=True)
def test_a_database_that_makes_no_index_goes_without(study, client, monkeypatch):
    statements = "_POSTGRESQL" if connection.vendor == "postgresql" else "_SQLITE"
    with connection.schema_editor() as editor:
        searching.drop_index(editor)
        if connection.vendor == "sqlite":
            for event in ("insert", "delete"):
                editor.execute(f"DROP TRIGGER {searching.INDEX}_{event}")
        else:
            editor.execute(f"DROP INDEX {searching.INDEX}")
    try:
        with monkeypatch.context() as patched, connection.schema_editor() as editor:
            patched.setattr(searching, statements, ("CREATE EXTENSION pg_of_nowhere",))
            searching.make_index(editor)
        load(study, [response("Hals [1].", question_id="q4")])
        counts.catch_up(study)
        assert found(client, "hals") == {"q4"}
        assert found(client, "rembrandt") == set()
    finally:
        SearchedText.objects.all().delete()
        with connection.schema_editor() as editor:
            searching.make_index(editor)
