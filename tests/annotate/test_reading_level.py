"""Pages for raters have short sentences and a US reading grade of at most 8 (Kincaid 1975)."""

import re

import pytest
from bs4 import BeautifulSoup
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from annotate.content.judgments import judge_of
from annotate.models import Assignment, Batch, Judge
from annotate.rating import practice, standing
from annotate.web import error_pages
from tests.annotate.crowd import PROLIFIC, come, link, open_batch, page
from tests.annotate.desk import WRONG, batch_of, do_next, practice_of

HARDEST = 8
PROTOCOLS_AND_FILES = (
    "script, style, nav, header, footer, kbd, legend, .step-choices, .quoted, "
    ".question, .answer, .passage, .prose, .questions, [aria-labelledby=asked-heading] ul"
)
"""Wording of the protocols' papers, and texts that researchers and systems wrote."""
BLOCKS = ("p", "li", "td", "dd", "dt", "h1", "h2", "summary", "label", "button", "legend", "option")
FEWEST_WORDS, MOST_WORDS = 4, 20


def sentences(html):
    """Return the sentences of a page's own texts; names and labels of a few words are none."""
    soup = BeautifulSoup(html, "html.parser")
    for other in soup.select(PROTOCOLS_AND_FILES):
        other.decompose()
    texts = [" ".join(block.get_text(" ").split()) for block in soup.find_all(BLOCKS)]
    texts += [str(element["data-confirm"]) for element in soup.select("[data-confirm]")]
    found = [one for text in texts for one in re.split(r"(?<=[.!?:;])\s+", text)]
    return [one for one in found if len(words(one)) >= FEWEST_WORDS]


def words(sentence):
    return re.findall(r"[a-z]+", sentence.lower().replace("’", "").replace("'", ""))


def syllables(word):
    """Count groups of vowels, without a silent e at the end."""
    word = re.sub(r"(?<=[^aeiouyl])e[sd]?$|(?<=[aeiouy]l)es?$", "", word)
    return max(1, len(re.findall(r"[aeiouy]+", word)))


def grade(found):
    """Return the grade of Flesch and Kincaid."""
    said = [word for sentence in found for word in words(sentence)]
    per_word = sum(map(syllables, said)) / len(said)
    return 0.39 * len(said) / len(found) + 11.8 * per_word - 15.59


@pytest.mark.parametrize(
    ("sentence", "least", "most"),
    [
        ("The cat sat on the mat.", -5, 1),
        ("Read the question and the answer.", 2, 6),
        ("Administrative authentication necessitates organisational identification.", 20, 60),
    ],
)
def test_grade_follows_length_of_words_and_sentences(sentence, least, most):
    assert least < grade([sentence]) < most


def too_hard(pages):
    """Return the long sentences of each page, and all sentences of a page above the grade."""
    found = {name: sentences(html) for name, html in pages.items()}
    assert [name for name, texts in found.items() if not texts] == []
    hard = {
        name: texts
        if grade(texts) > HARDEST
        else [one for one in texts if len(words(one)) > MOST_WORDS]
        for name, texts in found.items()
    }
    return {name: texts for name, texts in hard.items() if texts}


def shown(replies):
    return {name: reply.content.decode() for name, reply in replies.items()}


def test_desk_is_easy_to_read(peaks, rita, signed_in):
    client, judge = signed_in(rita), judge_of(peaks, rita)
    batch = batch_of(peaks, fixes_first=True, dimensions=["utility", "citation_recall"])
    pages = {"start": page("desk", batch, client)}
    pages["task"] = page("desk-next", batch, client, method="post")
    Assignment.objects.update(state="returned")
    pages["task given back"] = client.get(pages["task"].redirect_chain[-1][0])
    for state in (Judge.Standing.PAUSED, Judge.Standing.EXCLUDED, Judge.Standing.ACTIVE):
        standing.change_standing(judge, state, reason="random")
        pages[state] = page("desk", batch, client)
    do_next(batch, judge, {"utility": "4", "citation_recall": "yes"})
    pages["all done"] = page("desk", batch, client)
    Batch.objects.update(state="closed")
    pages["closed"] = page("desk", batch, client)
    pages["home"] = client.get(reverse("study", args=["peaks"]))
    pages["own work"] = client.get(reverse("own-work", args=["peaks"]))
    assert too_hard(shown(pages)) == {}


def test_practice_is_easy_to_read(peaks, rita, signed_in):
    client, judge = signed_in(rita), judge_of(peaks, rita)
    batch = practice_of(peaks, max_rounds=1)
    work = batch_of(peaks, "Work", qualification=batch)
    pages = {"not qualified": page("desk", work, client), "start": page("desk", batch, client)}
    begun = practice.begin(batch, judge)
    for _ in range(batch.items.count()):
        done = do_next(batch, begun.trainee, WRONG)
    pages["feedback"] = client.get(reverse("task-feedback", args=["peaks", done.pk]))
    pages["failed"] = page("desk", batch, client)
    pages["failed, work"] = page("desk", work, client)
    assert too_hard(shown(pages)) == {}


def test_crowd_pages_are_easy_to_read(peaks, rita, signed_in):
    batch = open_batch(peaks, tasks_per_rater=2)
    sent = {**PROLIFIC, "PROLIFIC_PID": "6b"}
    pages = {
        "entry": Client().get(link(batch), sent),
        "entry without id": Client().get(link(batch)),
        "entry of a rater": signed_in(rita).get(link(batch), sent),
    }
    client = come(batch)
    judge = Judge.objects.get(user=client.session["_auth_user_id"])
    pages["not finished"] = page("crowd-done", batch, client)
    do_next(batch, judge)
    pages["more to do"] = page("crowd-done", batch, client)
    do_next(batch, judge)
    pages["thank you"] = page("crowd-done", batch, client)
    other = come(batch, sent)
    pages["left"] = page("crowd-leave", batch, other, method="post")
    Batch.objects.update(state="closed")
    pages["closed"] = Client().get(link(batch), {**PROLIFIC, "PROLIFIC_PID": "7c"})
    assert too_hard(shown(pages)) == {}


def test_error_pages_are_easy_to_read(study, rita, signed_in, rf):
    client = signed_in(rita)
    request = rf.get("/studies/")
    request.user = rita
    pages = {
        "not found": client.get("/studies/none/"),
        "not for raters": client.get(reverse("systems", args=["peaks"])),
        "form without token": Client(enforce_csrf_checks=True).post("/sign-in/"),
        "server error": error_pages.server_error(request),
    }
    limited = {"too many requests": render_to_string("429.html", {})}
    assert too_hard(shown(pages) | limited) == {}
