"""A long passage at the desk: the parts that fit first, the whole on request."""

import json
import re
from functools import partial

import pytest

from annotate.models import Evidence
from annotate.rating.task_page import task_of
from annotate.studies.lifecycle import create_study
from tests.annotate.loading import load, response
from tests.annotate.rating import at, open_work, take
from tests.growth import seconds

pytestmark = pytest.mark.django_db

FILLER = "Nothing of note is told of the weather on this day of the year. "
HIGH = "At 2,962 m the Zugspitze is the highest peak of Germany."
CAVES = "Below it there are caves with ice of four centuries."


def long_text(words):
    third = FILLER * (words // 13 // 3)
    return f"{third}{HIGH} {third}{CAVES} {third}"


@pytest.fixture
def task(study, signed_in, rita):
    """A task with a long passage and a short one."""
    passages = (("Long", long_text(4_000)), ("Short", "The Zugspitze is high."))
    load(
        study,
        [
            response(
                "The Zugspitze is the highest peak [1][2]. It has caves [1].", passages=passages
            )
        ],
    )
    return take(signed_in(rita), open_work(study))


def page_at(client, task, step, **more):
    return client.get(at(task, "task"), {"step": step, **more}).content.decode()


def shown_parts(page):
    """The texts of the parts that are in sight."""
    found = re.findall(
        r'<span class="part" data-of-steps="[^"]*" (hidden)?>(.*?)</span></span>', page
    )
    return [re.sub("<[^>]*>", "", text) for hidden, text in found if not hidden]


def test_the_parts_that_fit_the_statement_are_shown_with_their_length(client, rita, task):
    client.force_login(rita)
    for step, wanted, other in (
        ("s1-citation_recall", HIGH, CAVES),
        ("s1-c1-citation_support", HIGH, CAVES),
        ("s2-citation_recall", CAVES, HIGH),
    ):
        parts = " ".join(shown_parts(page_at(client, task, step)))
        assert wanted in parts
        assert other not in parts
    client.force_login(rita)
    page = page_at(client, task, "s1-citation_recall")
    notes = re.findall(r'data-of-steps="s1-citation_recall" >(.*?)</span>', page)
    assert len(notes) == 1, "one long passage"
    assert re.sub("<[^>]*>", "", notes[0]).startswith("Extract: the parts that fit best,")
    assert re.search(r"[1-4]\d\d of [34],\d{3} words", notes[0])
    assert "Show the whole passage" in page
    client.force_login(rita)
    page = page_at(client, task, "s1-citation_recall")
    short = page[page.index('data-text="2"') :]
    assert short.startswith('data-text="2" data-stretch="0"><span class="sentence" data-start="0"')


def test_the_script_gets_that_passage_alone(client, rita, task):
    client.force_login(rita)
    htmx = {"hx-request": "true"}
    whole = client.get(at(task, "task"), {"passage": "1", "whole": "1"}, headers=htmx)
    body = whole.content.decode()
    assert body.strip().startswith('<div id="p1-body">')
    assert body.count(FILLER.strip()) > 250
    assert 'data-stretch="0"' in body
    extract = client.get(at(task, "task"), {"passage": "1"}, headers=htmx).content.decode()
    assert 'class="part"' in extract
    assert len(extract) < len(body) / 4
    for wrong in ("7", "x", "9" * 30):
        answer = client.get(at(task, "task"), {"passage": wrong, "whole": "1"}, headers=htmx)
        assert answer.status_code == (404 if wrong == "7" else 200)


def test_what_was_marked_as_evidence_is_shown_though_it_does_not_fit(client, rita, task):
    step = next(s for s in task_of(task).steps if s.name == "s1-citation_recall").step
    source = step.sources[0]
    start = source.passage.text.index(CAVES)
    Evidence.objects.create(
        judge=task.judge, unit=step.unit, dimension=step.dimension.key, source=source,
        start=start, end=start + len(CAVES),
    )  # fmt: skip
    client.force_login(rita)
    assert CAVES in " ".join(shown_parts(page_at(client, task, "s1-citation_recall")))


def test_sentences_of_an_extract_have_their_places_in_the_passage(task):
    passage = task_of(task).passage(1)
    assert passage is not None
    assert passage.extract is not None
    text = passage.source.passage.text
    for part in passage.extract.parts:
        for piece in part.sentences:
            assert text[piece.start : piece.end] == piece.text


def test_shared_words_of_a_long_passage_are_those_of_its_parts(study, client, rita, task):
    study.shared_words = True
    study.save()
    client.force_login(rita)
    page = page_at(client, task, "s1-citation_recall")
    data = re.search(r'id="shared-s1-citation_recall" type="application/json">(.*?)</script>', page)
    assert data is not None
    spans = json.loads(data[1])
    text = long_text(4_000)
    assert {text[a:b] for a, b in spans["1"]} >= {"Zugspitze", "highest", "peak"}


def test_fifty_thousand_words_make_the_page_no_slower(alice, signed_in, rita):
    from annotate.models import Membership, Role

    client = signed_in(rita)
    sizes, took = [], []
    for number, words in enumerate((1_400, 50_000)):
        study = create_study(name=f"S{number}", slug=f"s{number}", preset="alce", owner=alice)
        Membership.objects.create(study=study, user=rita, role=Role.RATER)
        output = "The Zugspitze is the highest peak [1]. " * 5
        load(study, [response(output, passages=(("Long", long_text(words)),))])
        address = at(take(client, open_work(study)), "task")
        sizes.append(len(client.get(address).content))
        took.append(seconds(partial(client.get, address)))
    assert sizes[1] < 1.2 * sizes[0]
    assert took[1] < took[0] + 2, "a fifth of a second where nothing else runs"
