"""What the desk's pages say about texts and about themselves: direction and language of all that
comes from the data, the number of the question and of the task, and what can still be changed."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.urls import reverse

from annotate.models import Assignment, Judge, Membership, Role
from annotate.services.judgments import judge_of
from annotate.services.rating import answering
from annotate.services.studies import create_study
from tests.annotate.desk import answer, do_item, do_next, practice_of, rater
from tests.annotate.loading import load, response
from tests.annotate.rating import answer as say
from tests.annotate.rating import at, open_work, take

pytestmark = pytest.mark.django_db

QUESTION = "ما هو أطول نهر في أفريقيا؟"
STATEMENT = "نهر النيل هو أطول أنهار أفريقيا"
TITLE, PASSAGE = "أنهار العالم", "النيل أطول من غيره. يجري شمالا."
NOTE = "הערה שלי"
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


def test_a_text_without_a_language_of_its_own_has_that_of_the_study(signed_in, rita, study):
    study.language = "fa"
    study.save()
    load(study, [nile("")])
    client = signed_in(rita)
    task = take(client, open_work(study))
    assert Written(client.get(at(task, "task")).content.decode()).wrong(TEXTS, "fa") == []


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


def test_the_form_says_which_question_of_how_many_and_lists_them(signed_in, rita, study):
    outputs = " ".join(f"Statement {n} says something [1][2]." for n in range(1, 41))
    load(study, [response(outputs)])
    client = signed_in(rita)
    page = client.get(at(take(client, open_work(study)), "task") + "?step=s1-citation_recall")
    found = page.content.decode()
    steps = found[found.index('class="desk-steps"') :]
    steps = steps[: steps.index("</nav>")]
    summary = steps[: steps.index("</summary>")]
    words = re.sub(r"\s+", " ", re.sub("<[^>]+>", "", summary.partition("<summary")[2]))
    assert "Dimension 2 of 121" in words
    assert steps.count("data-to=") == 121
    assert steps.index("<details") < steps.index("data-to="), "the list is closed at first"


def test_all_bars_are_landmarks(signed_in, rita, study):
    load(study, [nile("ar")])
    client = signed_in(rita)
    batch = open_work(study)
    for address in (reverse("desk", args=[study.slug, batch.pk]), at(take(client, batch), "task")):
        page = client.get(address).content.decode()
        bars = re.findall(r'<(\w+) class="(?:desk|study)-bar"( aria-label="[^"]+")?', page)
        assert bars
        assert all(tag == "section" and label for tag, label in bars)


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


def test_a_task_whose_places_are_taken_is_not_beyond_the_last(signed_in, rita, study):
    batch = some_work(study)
    judge = judge_of(study, rita)
    do_next(batch, judge)
    do_next(batch, judge)
    client = signed_in(rita)
    task = take(client, batch)
    do_item(task.item, rater(study, "nina"))
    assert pace_line(client, task) == "task 3 of at most 3"


def test_who_is_excluded_is_not_told_that_answers_can_be_changed(signed_in, rita, study):
    batch = some_work(study)
    judge = judge_of(study, rita)
    do_next(batch, judge)
    task = Assignment.objects.get(batch=batch)
    client = signed_in(rita)
    start = reverse("desk", args=[study.slug, batch.pk])
    assert "You can change your answers" in client.get(start).content.decode()
    Judge.objects.filter(pk=judge.pk).update(standing=Judge.Standing.EXCLUDED)
    page = client.get(start).content.decode()
    assert "You can change your answers" not in page
    assert "You can read your answers." in page
    form = client.get(at(task, "task")).content.decode()
    assert "data-fixed" in form
    assert "have ended your part in it" in form


def test_systems_to_choose_from_have_their_own_direction(signed_in, alice, study):
    line = nile("ar") | {"system": "نموذج"}
    load(study, [line])
    client = signed_in(alice)
    for name in ("responses", "batch-new"):
        page = Written(client.get(reverse(name, args=[study.slug])).content.decode())
        chosen = [row for row in page.found if row[0] == "نموذج"]
        assert chosen
        assert {row[1] for row in chosen} == {"auto"}, name


@pytest.mark.parametrize("why", ["claim", "evidence", "found", "quoted", "shared", "unsupported"])
def test_what_the_desk_lights_has_its_colours_in_every_batch(why):
    assert f"::highlight({why})" in Path(str(finders.find("desk.css"))).read_text()


WORDS = "0-40"
TOLD = "السؤال مطروح هنا"


def test_claims_marks_and_what_is_asked_say_it_too(signed_in, alice, rita):
    study = create_study(name="Nile", slug="nile", preset="aliice", owner=alice)
    line = nile("ar") | {"output": f"{STATEMENT} [1] {STATEMENT} [1]."}
    load(study, [line])
    Membership.objects.create(study=study, user=rita, role=Role.RATER)
    client = signed_in(rita)
    task = take(client, open_work(study))
    say(client, task, "s1.g1:claim_words", "yes", words=WORDS)
    step = "s1.g1:claim_recall"
    client.post(at(task, "task-evidence"), {"step": step, "source": 1, "start": 0, "end": 12})
    client.post(at(task, "task-ask"), {"step": step, "ask": TOLD})
    page = client.get(at(task, "task")).content.decode()
    assert Written(page).wrong(TEXTS, "ar") == []
    own = client.get(reverse("own-inquiries", args=["nile"])).content.decode()
    assert Written(own).wrong((STATEMENT,), "ar") == []
    assert Written(own).wrong((TOLD,), "") == []
    asked = signed_in(alice).get(reverse("inquiries", args=["nile"])).content.decode()
    assert Written(asked).wrong((STATEMENT,), "ar") == []
    assert Written(asked).wrong((TOLD,), "") == []


def test_lists_of_answers_say_it_too(signed_in, alice, rita):
    study = create_study(name="Nile", slug="nile", preset="alce", owner=alice)
    load(study, [nile("ar"), nile("ar") | {"system": "Other"}])
    Membership.objects.create(study=study, user=rita, role=Role.RATER)
    practice = practice_of(study, responses=study.responses.all())
    take(signed_in(rita), batch := open_work(study))
    client = signed_in(alice)

    def page(name, *args):
        html = client.get(reverse(name, args=["nile", *args])).content.decode()
        return Written(html[html.index("<body") :])  # the title names question and site

    assert page("responses").wrong((QUESTION, STATEMENT), "ar") == []
    assert page("batch-gold", practice.pk).wrong((QUESTION,), "ar") == []
    assert page("batch-monitor", batch.pk).wrong((QUESTION,), "ar") == []
    first = study.responses.earliest("pk")
    assert page("response", first.pk).wrong(TEXTS, "ar") == []
    assert page("response-claims", first.pk).wrong((QUESTION,), "ar") == []
