"""Answers that are free: no form is asked for, and signs end them."""

from dataclasses import replace

import pytest

from evaluation.asking.prompts import Prompt
from evaluation.asking.scores import PLAIN, Manner
from evaluation.asking.speaker import Speaker
from evaluation.asking.speech import CUT
from evaluation.entailment import Door
from evaluation.entailment.loading import PairError
from tests.evaluation.asking.fake import MODES, Said, serving
from tests.evaluation.entailment.tiny_models import gpt

PROMPT = Prompt("Answer.", "Why?")
DRAWN = Manner(sample=101, heat=0.5, nucleus=0.95, stop=("\nQuestion:", "\n"))


def speaker(server, mode):
    door = Door(url=server.url(mode), key="k3y", mode=mode, model="m-1", connection="lab")
    return Speaker(door, most_tokens=300)


SENT = {
    "chat": (lambda body: body, "temperature", "top_p", "stop"),
    "responses": (lambda body: body, "temperature", "top_p", ""),
    "anthropic": (lambda body: body, "temperature", "top_p", "stop_sequences"),
    "gemini": (lambda body: body["generationConfig"], "temperature", "topP", "stopSequences"),
}


@pytest.mark.parametrize("mode", MODES)
def test_every_server_is_told_how_freely_to_write_and_what_ends_it(mode):
    with serving(lambda told, schema: "\nBecause.\nQuestion: What?") as server:
        reply = speaker(server, mode).ask(PROMPT, None, manner=DRAWN)
        plain = speaker(server, mode).ask(PROMPT, None)
    drawn, bare = server.calls
    assert drawn.schema is None
    of, heat, nucleus, stop = SENT[mode]
    sent = of(drawn.body)
    assert (sent[heat], sent[nucleus]) == (0.5, 0.95)
    # White space alone ends nothing at Anthropic's servers, and Responses know no such sign.
    ends = {"anthropic": ["\nQuestion:"]}.get(mode, ["\nQuestion:", "\n"])
    assert not stop or sent[stop] == ends
    assert reply.text == "\nBecause."
    assert plain.text == "\nBecause.\nQuestion: What?"
    assert of(bare.body)[heat] == 0
    assert nucleus not in of(bare.body)


@pytest.mark.parametrize("mode", MODES)
def test_what_a_server_does_not_take_is_left_out_and_its_answer_still_ends_there(mode):
    _, heat, nucleus, stop = SENT[mode]
    refuses = tuple(filter(None, (heat, nucleus, stop)))
    with serving(lambda told, schema: "So\nno", refuses=refuses) as server:
        asking = speaker(server, mode)
        assert asking.ask(PROMPT, None, manner=DRAWN).text == "So"
        asking.ask(PROMPT, None, manner=DRAWN)
    assert len(server.calls) == 2


@pytest.mark.parametrize("mode", MODES)
def test_an_answer_that_was_cut_off_is_kept_as_far_as_it_goes(mode):
    with serving(lambda told, schema: Said(ended="cut", text="Half an")) as server:
        reply = speaker(server, mode).ask(PROMPT, None)
    assert (reply.text, reply.why) == ("Half an", CUT)


def test_what_was_asked_before_is_called_as_before():
    assert PLAIN.named == ()
    assert Manner(sample=3).named == ("sample:3", "temperature:1")
    assert Manner(likely=True).named == ("logprobs",)
    assert DRAWN.named == (
        "sample:101", "temperature:0.5", "nucleus:0.95", "stop:\nQuestion:", "stop:\n",
    )  # fmt: skip


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    from evaluation.asking.local import LocalSpeaker

    folder = gpt(tmp_path_factory.mktemp("gpt"))
    return LocalSpeaker(Door(url=str(folder), mode="local", connection="lab"), most_tokens=12)


def test_a_model_of_this_machine_writes_freely(local):
    plain = local.ask(PROMPT, None)
    assert plain.written <= 12
    assert plain.text == local.ask(PROMPT, None).text
    assert plain.asked == local.tokens_of(PROMPT)


def test_what_it_draws_is_told_by_the_sample(local):
    hot = Manner(sample=1, heat=1.0, nucleus=0.95)
    texts = [local.ask(PROMPT, None, manner=replace(hot, sample=n)).text for n in (1, 1, 2, 3, 4)]
    assert texts[0] == texts[1]
    assert len({*texts}) > 1
    # Of the likeliest words alone that are the least share together, there is no choice.
    narrow = local.ask(PROMPT, None, manner=Manner(sample=5, heat=1.0, nucleus=1e-9))
    assert narrow.text == local.ask(PROMPT, None).text


def test_it_ends_where_it_is_told_to(local):
    whole = local.ask(PROMPT, None).text
    sign = whole.strip()[2]
    ended = local.ask(PROMPT, None, manner=Manner(heat=0.0, stop=(sign,)))
    assert ended.text == Manner(stop=(sign,)).until_stop(whole)
    assert ended.why == ""


def test_it_says_how_much_it_can_be_told(local):
    assert local.reads == local._positions - 12
    with pytest.raises(PairError, match="this prompt has"):
        local.ask(Prompt("x " * local._positions, "?"), None)
