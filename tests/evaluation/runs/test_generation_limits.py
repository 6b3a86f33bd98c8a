"""What limits did to answers is kept with them and counted."""

from decimal import Decimal

import pytest
from django.urls import reverse

from annotate.models import Response
from evaluation.models import Generation
from evaluation.running.generation_previews import as_json, preview
from evaluation.running.generation_settings import GenerationSettings
from tests.evaluation.asking.fake import Said, serving
from tests.evaluation.runs.test_generations import made, worked

State = Generation.State
CUT = "the answer was cut off at most_tokens"
BEGUN = "It is 2,962 m high [1], which makes"


def cut_of_some(told, schema):
    return Said(text=BEGUN, ended="cut") if "peak 1?" in told else "It is 2,962 m high [1]."


def noted(question, system="New"):
    found = Response.objects.get(system__name=system, question__external_id=question)
    return found.text, found.metadata


def test_an_answer_that_the_limit_cut_off_says_so(bench, lab):
    with serving(cut_of_some) as server:
        lab(server)
        row = worked(made(bench, options={"shots": "0"}))
    assert row.state == State.DONE, row.error
    assert row.outcome == {"answered": 6, CUT: 1}
    assert noted("q1") == (BEGUN, {"cut_off": 1})
    assert noted("q2") == ("It is 2,962 m high [1].", {})


def test_what_was_written_behind_the_answer_s_end_cuts_nothing_off(bench, lab):
    def goes_on(told, schema):
        return Said(text="It is 2,962 m high [1].\nQuestion: And how", ended="cut")

    with serving(goes_on) as server:
        lab(server)
        row = worked(made(bench, options={"shots": "0"}, questions=1))
    assert row.outcome == {"answered": 1}


@pytest.mark.parametrize(
    ("system", "text", "cut"),
    [
        ("posthoc", "2,962 m\nThat is what the surveyors of", False),
        ("posthoc", "\n\nIt is the height that the surv", True),
        ("retrieve_then_read", "Answer: 2,962 m\nDocument: 1\n\nThe docum", False),
        ("retrieve_then_read", "Answer: 2,962 m\nDocument: 1", True),
        ("retrieve_then_read", "Answer: 2,962 m\nThe document is", True),
        ("llm_as_retriever", "Answer: 2,962 m\nPage: Zugspitze\nIt is the hi", False),
        ("llm_as_retriever", "Answer: 2,962 m\nPage: https://en.wikipedia.org/wi", True),
    ],
)
def test_of_short_answers_nothing_is_cut_off_behind_the_lines_that_are_wanted(
    bench, lab, system, text, cut
):
    with serving(lambda told, schema: Said(text=text, ended="cut")) as server:
        lab(server)
        row = worked(made(bench, system=system, questions=1))
    assert row.outcome == {"answered": 1} | ({CUT: 1} if cut else {})


def test_its_page_and_programs_tell_while_it_is_made_and_afterwards(
    bench, lab, signed_in, alice, settings
):
    browser = signed_in(alice)
    prices = {"price_asked": 1000, "price_written": 0}  # a call: 10 cents
    with serving(cut_of_some) as server:
        lab(server, **prices)
        row = made(bench, budget=Decimal("0.05"), options={"shots": "0", "at_once": "1"})
        row = worked(row)
    assert row.state == State.PAUSED
    assert [one["cut_off"] for one in as_json(row)["latest"]] == [True]
    shown = browser.get(reverse("generation", args=[bench.slug, row.pk])).content.decode()
    assert "cut off at most_tokens" in shown
    Generation.objects.update(outcome={"answered": 6, CUT: 1}, latest=None)
    shown = browser.get(reverse("generation", args=[bench.slug, row.pk])).content.decode()
    assert f"1: {CUT}" in " ".join(shown.split())


def test_of_samples_the_one_that_stayed_counts(bench, lab):
    best = "The Zugspitze is the highest peak of Germany [1]."

    def answer(told, schema):
        return Said(text="It is made of", ended="cut") if next(counts) % 2 else best

    counts = iter(range(1000))
    with serving(answer) as server:
        lab(server)
        more = {"afterwards": "rerank", "samples": 2, "scorer": "containment", "questions": 2}
        row = worked(made(bench, options={"at_once": "1"}, **more))
    assert row.state == State.DONE, row.error
    assert CUT not in row.outcome
    (one, _) = Response.objects.filter(system__name="New")
    assert one.metadata["of_samples"] == [{}, {"cut_off": 1}]


def test_short_forms_and_prompts_that_were_cut_are_told_apart(bench, lab):
    def answer(told, schema):
        is_short = "Summarise in one or two sentences" in told
        return Said(text="At 2,962 m", ended="cut") if is_short else "It is high [1]."

    with serving(answer) as server:
        lab(server)
        row = worked(made(bench, system="summ", options={"shots": "0"}, questions=1))
        assert len(server.calls) == 3
        whole = len(server.calls[-1].told)
        given = {"options": {"shots": "0", "most_tokens": "20"}, "questions": 1}
        narrow = worked(made(bench, "Narrow", context=whole // 4 + 20, **given))
    assert row.outcome == {
        "answered": 1,
        "short forms of passages were cut off at most_tokens": 1,
    }
    (one,) = Response.objects.filter(system__name="New")
    assert one.metadata["short_forms_cut_off"] == 2
    assert narrow.outcome == {
        "answered": 1,
        "passages were left out, which the context had no room for": 1,
    }


def test_what_is_read_anew_is_counted_before_and_no_second_answer(bench, lab):
    said = "Answer: 2,962 m\nDocument: 1"
    with serving(lambda told, schema: said) as server:
        connection = lab(server)
        more = {"afterwards": "autoais", "scorer": "containment", "questions": 2}
        row = made(bench, system="retrieve_then_read", **more)
        told = preview(bench, GenerationSettings(**row.settings), connection)
        row = worked(row)
    assert row.state == State.DONE, row.error
    assert told.cost.calls == len(server.calls) == 4
    assert len(told.first[0].prompts) == 2
    assert (row.answered, row.total, row.outcome["answered"]) == (2, 2, 2)
