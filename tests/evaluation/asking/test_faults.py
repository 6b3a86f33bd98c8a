"""What goes wrong with servers of every kind, and what is made of it."""

import json

import pytest

from evaluation.asking.asker import ItemAsked
from evaluation.judges.items import Item
from tests.evaluation.asking.fake import MODES, Said, serving
from tests.evaluation.asking.test_asker import QUESTION, SEGMENTATION, YES, about, asker


def half(body):
    """A whole status, and half of what it announced."""
    return Said(200, body[: len(body) // 2], headers=(("Content-Length", str(len(body))),))


WHOLE = json.dumps({"choices": [], "output": [], "content": [], "candidates": []}).encode()


@pytest.mark.parametrize("mode", MODES)
def test_an_answer_whose_connection_breaks_off_is_asked_for_again(mode):
    states = iter([half(WHOLE), YES])
    with serving(lambda told, schema: next(states)) as server:
        assert asker(server, mode).answer([QUESTION])[0].value == "yes"
        assert len(server.calls) == 2


@pytest.mark.parametrize("mode", MODES)
def test_half_a_json_is_about_its_question_alone(mode):
    odd = ItemAsked(Item("9", "odd?", "x", SEGMENTATION), about())
    broken = Said(200, WHOLE[:-7])
    with serving(lambda told, schema: broken if "odd?" in told else YES) as server:
        first, second = asker(server, mode).answer([odd, QUESTION])
    assert first.startswith("the scorer failed: The connection “lab” should answer with JSON")
    assert second.value == "yes"


@pytest.mark.parametrize("mode", MODES)
def test_a_slow_answer_is_given_up_and_asked_for_again(mode):
    states = iter([Said(text=json.dumps(YES), seconds=2.5), YES])
    with serving(lambda told, schema: next(states)) as server:
        assert asker(server, mode, timeout=1).answer([QUESTION])[0].value == "yes"
        assert len(server.calls) == 2


def test_a_refusal_of_something_else_is_about_the_question_alone():
    def answer(told, schema):
        return Said(400, {"error": {"message": "too long: k3y"}}) if "s9" in told else YES

    long = ItemAsked(Item("9", "s9?", "x", SEGMENTATION), about())
    with serving(answer) as server:
        bad, good = asker(server).answer([long, QUESTION])
    assert bad.startswith("the scorer failed: The connection “lab” refused the request")
    assert "too long" not in bad
    assert "k3y" not in bad
    assert good.value == "yes"


@pytest.mark.parametrize(("mode", "status"), [*zip(MODES, [408, 409, 500, 503], strict=True)])
def test_what_may_succeed_later_is_tried_again(mode, status):
    waited: list[float] = []
    states = iter([Said(status, headers=(("Retry-After", "3"),)), YES])
    with serving(lambda told, schema: next(states)) as server:
        [found] = asker(server, mode, waited=waited).answer([QUESTION])
    assert found.value == "yes"
    assert waited == [3.0]
