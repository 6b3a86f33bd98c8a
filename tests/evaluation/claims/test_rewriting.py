"""Claims rewritten by a model behind an address, against a server in a thread."""

import threading
from contextlib import contextmanager

import pytest

from evaluation.claims.rewriting import CutClaim, Rewriter, Rewriting
from evaluation.entailment import ScorerError
from evaluation.entailment.door import KEY
from evaluation.entailment.http import Http
from tests.evaluation.claims.trees import PACKS
from tests.evaluation.entailment.test_http import Server

CUT = CutClaim(PACKS, "in packs of 25")
FULL = "Some brands come in packs of 25."


@contextmanager
def writing(answer):
    """A server that answers each claim with `answer(claim)`, or with a status."""

    def reply(asked, _):
        (message,) = asked["messages"]
        claim = message["content"].rpartition("Part:\n")[2].partition("\n\n")[0]
        found = answer(claim)
        if isinstance(found, int):
            return found, b"no"
        return 200, {"choices": [{"message": {"content": found}}]}

    server = Server(reply)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def rewriter(server, **options):
    return Rewriter(Http(server.url, mode="chat", model="tiny", **options))


def test_the_model_is_given_the_claim_and_its_sentence_without_marks():
    with writing(lambda claim: f"  {FULL}\n") as server:
        assert rewriter(server).rewrite([CUT]) == [Rewriting(FULL)]
    (asked,) = server.asked
    content = asked["messages"][0]["content"]
    assert "Some brands, such as Export As, come in packs of 25, while" in content
    assert "Part:\nin packs of 25\n" in content
    assert "[2]" not in content
    assert (asked["model"], asked["temperature"]) == ("tiny", 0)


@pytest.mark.parametrize(
    ("answer", "refused"),
    [("", "empty"), (" \n…", "empty"), (None, "empty"), (f"{FULL[:-1]} [2].", "marked")],
)
def test_an_answer_that_is_none_leaves_the_claim_as_it_was(answer, refused):
    with writing(lambda claim: answer) as server:
        assert rewriter(server).rewrite([CUT]) == [Rewriting("in packs of 25", refused)]


def test_each_different_claim_is_asked_once_and_the_order_is_kept():
    other = CutClaim("Cups hold tea.", "tea")
    with writing(lambda claim: f"It is {claim}.") as server:
        found = rewriter(server).rewrite([CUT, other, CUT])
    assert [one.text for one in found] == ["It is in packs of 25.", "It is tea.", found[0].text]
    assert len(server.asked) == 2


def test_braces_in_a_text_are_only_text():
    odd = CutClaim("Write {claim} or {0}.", "{sentence}")
    with writing(lambda claim: claim) as server:
        assert rewriter(server).rewrite([odd])[0].text == "{sentence}"
    assert "Sentence:\nWrite {claim} or {0}.\n" in server.asked[0]["messages"][0]["content"]


def test_a_busy_server_is_asked_again_and_the_key_is_sent(monkeypatch):
    monkeypatch.setenv(KEY, "secret")
    waited: list[float] = []
    answers = iter([503, FULL])
    with writing(lambda claim: next(answers)) as server:
        made = rewriter(server, sleep=waited.append)
        assert made.rewrite([CUT]) == [Rewriting(FULL)]
    assert waited == [1.0]
    assert [headers["Authorization"] for headers in server.headers] == ["Bearer secret"] * 2
    assert "secret" not in made.signature


def test_a_server_that_refuses_stops_the_work():
    with writing(lambda claim: 401) as server, pytest.raises(ScorerError, match=KEY):
        rewriter(server).rewrite([CUT])


def test_the_signature_names_prompt_and_model():
    first = Rewriter(Http("http://127.0.0.1:9/", mode="chat", model="tiny")).signature
    other = Rewriter(Http("http://127.0.0.1:9/", mode="chat", model="large")).signature
    assert first.startswith("rewriting:1|ask:")
    assert first.replace("model:tiny", "model:large") == other != first


def test_a_changed_prompt_is_another_signature(monkeypatch):
    made = Rewriter(Http("http://127.0.0.1:9/", mode="chat", model="tiny"))
    before = made.signature
    monkeypatch.setattr("evaluation.claims.rewriting.PROMPT", "{sentence} {claim}?")
    assert made.signature != before
