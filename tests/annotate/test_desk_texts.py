"""What the desk's pages say about texts and about themselves: direction and language of all that
comes from the data, the number of the question and of the task, and what can still be changed."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.urls import reverse

from annotate.content.judgments import judge_of
from annotate.models import Assignment
from annotate.rating import answering
from tests.annotate.desk import answer, do_next, practice_of
from tests.annotate.loading import load, response
from tests.annotate.rating import at, open_work, take

pytestmark = pytest.mark.django_db

QUESTION = "ما هو أطول نهر في أفريقيا؟"
STATEMENT = "نهر النيل هو أطول أنهار أفريقيا"
TITLE, PASSAGE = "أنهار العالم", "النيل أطول من غيره. يجري شمالا."
TEXTS = (QUESTION, STATEMENT, TITLE, PASSAGE)


class Written(HTMLParser):
    """Every stretch of text with the direction and the language that hold for it."""

    VOID = frozenset({"meta", "link", "img", "input", "br", "wbr", "hr"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, str | None, str | None]] = []
        self.found: list[tuple[str, str | None, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        _, direction, language = self.open[-1] if self.open else ("", None, None)
        direction = given.get("dir", "auto" if tag == "bdi" else direction)
        if tag not in self.VOID:
            self.open.append((tag, direction, given.get("lang", language)))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if data.strip():
            self.found.append((data.strip(), *self.open[-1][1:]))

    def wrong(
        self, texts: tuple[str, ...], language: str
    ) -> list[tuple[str, str | None, str | None]]:
        """Those of the data's texts that do not say their direction and language; and, as texts of
        their own, those that are not on the page at all."""
        parts = [text[:12] for text in texts]
        wrong = [
            row
            for row in self.found
            if any(part in row[0] for part in parts) and row[1:] != ("auto", language)
        ]
        everything = " ".join(row[0] for row in self.found)
        return wrong + [(part, None, None) for part in parts if part not in everything]


def nile(language: str) -> dict:
    line = response(
        f"{STATEMENT} [1].", question=QUESTION, question_id="nile", passages=((TITLE, PASSAGE),)
    )
    line["question"]["language"] = language
    return line


@pytest.mark.parametrize("language", ["ar", ""])
def test_every_text_of_a_task_says_its_direction_and_language(signed_in, rita, study, language):
    load(study, [nile(language)])
    client = signed_in(rita)
    task = take(client, open_work(study))
    page = Written(client.get(at(task, "task")).content.decode())
    assert page.wrong(TEXTS, language) == []


def test_known_answers_and_the_list_of_what_is_done_say_it_too(signed_in, rita, study):
    load(study, [nile("ar")])
    batch = practice_of(study, responses=study.responses.all())
    client = signed_in(rita)
    task = take(client, batch)
    answer(task)
    answering.finish(task)
    known = client.get(at(task, "task-feedback")).content.decode()
    assert Written(known).wrong(TEXTS, "ar") == []
    start = client.get(reverse("desk", args=[study.slug, batch.pk])).content.decode()
    assert Written(start).wrong((QUESTION,), "ar") == []


def pace_line(client, task) -> str:
    page = client.get(at(task, "task")).content.decode()
    line = page[page.index('id="desk-pace"') :].partition(">")[2].partition("<")[0]
    return " ".join(line.split())


def some_work(study, count=3):
    load(
        study, [response("High [1].", question_id=f"q{n}", question=f"Q{n}?") for n in range(count)]
    )
    return open_work(study)


def test_a_task_that_is_done_keeps_its_number(signed_in, rita, study):
    batch = some_work(study)
    client = signed_in(rita)
    for _ in range(3):
        do_next(batch, judge_of(study, rita))
    done = list(Assignment.objects.filter(batch=batch).order_by("done_at", "pk"))
    assert [pace_line(client, task) for task in done] == [
        f"task {n} of at most 3" for n in (1, 2, 3)
    ]


@pytest.mark.parametrize("why", ["claim", "evidence", "found", "quoted", "shared", "unsupported"])
def test_what_the_desk_lights_has_its_colours_in_every_batch(why):
    assert f"::highlight({why})" in Path(str(finders.find("desk.css"))).read_text()
