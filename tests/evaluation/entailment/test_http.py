"""The scorer behind an address, against a server in a thread."""

import json
import math
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from evaluation.judges.entailment import ScorerError, load_scorer
from evaluation.judges.entailment.door import KEY
from evaluation.judges.entailment.http import Http
from evaluation.judges.entailment.posting import RateLimit
from tests.background_server import in_background

load: Any = load_scorer

PAIRS = [("premise " * n, "hypothesis") for n in range(7)]


class Server(ThreadingHTTPServer):
    """Answers each request with what `answer` makes of it: a status and a body."""

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.asked = []
        self.headers = []

    def handle_error(self, *given):
        """A client that no longer waits is part of the tests."""

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/score"


class Handler(BaseHTTPRequestHandler):
    server: Any

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.server.headers.append(dict(self.headers))
        status, body, *headers = self.server.answer(asked, len(self.server.asked))
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

    def do_GET(self):
        self.server.asked.append("GET")
        self.send_response(200)
        self.end_headers()

    def log_message(self, *given):
        pass


@pytest.fixture
def serve():
    with ExitStack() as servers:
        yield lambda answer: servers.enter_context(in_background(Server(answer)))


@pytest.fixture
def waited():
    return []


def scored(asked, _):
    """The premise's length, as a share of ten words."""
    return 200, {"probabilities": [len(p["premise"].split()) / 10 for p in asked["pairs"]]}


def chat(content, top=None):
    choice = {"message": {"content": content}}
    if top is not None:
        listed = [{"token": token, "logprob": math.log(share)} for token, share in top.items()]
        choice["logprobs"] = {"content": [{"top_logprobs": listed}]}
    return lambda asked, _: (200, {"choices": [choice]})


def test_pairs_are_posted_in_batches_and_answered_in_order(serve):
    server = serve(scored)
    scorer = load("http", url=server.url, model="nli", batch=3)
    assert scorer.probabilities(PAIRS) == [n / 10 for n in range(7)]
    assert sorted(len(asked["pairs"]) for asked in server.asked) == [1, 3, 3]
    assert all(asked["model"] == "nli" for asked in server.asked)
    assert server.asked[0]["pairs"][0].keys() == {"premise", "hypothesis"}


def test_a_busy_server_is_asked_again_later(serve, waited):
    def answer(asked, times):
        return scored(asked, times) if times > 3 else (503, b"busy")

    server = serve(answer)
    scorer = Http(server.url, sleep=waited.append)
    assert scorer.probabilities(PAIRS[:2]) == [0.0, 0.1]
    assert waited == [1.0, 2.0, 4.0]


def test_after_the_last_try_it_gives_up(serve, waited):
    server = serve(lambda asked, _: (500, b""))
    scorer = Http(server.url, tries=3, sleep=waited.append)
    with pytest.raises(ScorerError, match="no answer after 3 tries: it is busy, or has a fault"):
        scorer.probabilities(PAIRS[:1])
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("status", "said"),
    [(401, f"Set {KEY} to one"), (403, f"Set {KEY} to one"), (400, "refused the request")],
)
def test_a_refusal_is_not_tried_again_and_told_to_the_log(serve, waited, caplog, status, said):
    server = serve(lambda asked, _: (status, b"bad premise"))
    with pytest.raises(ScorerError, match=said) as refused:
        Http(server.url, sleep=waited.append).probabilities(PAIRS[:1])
    assert len(server.asked) == 1
    assert "bad premise" not in str(refused.value)
    assert f"'status {status}: bad premise'" in caplog.text


def test_the_key_is_not_sent_elsewhere(serve, monkeypatch):
    monkeypatch.setenv(KEY, "secret")
    elsewhere = serve(scored)
    for status in (302, 307):
        server = serve(lambda asked, _, s=status: (s, b"", ("Location", elsewhere.url)))
        with pytest.raises(ScorerError, match="give the final address"):
            load("http", url=server.url).probabilities(PAIRS[:1])
    assert elsewhere.asked == []


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        {},
        [],
        {"probabilities": [0.5]},
        {"probabilities": [0.5, 1.5]},
        {"probabilities": [0.5, "1"]},
        {"probabilities": [0.5, True]},
        {"probabilities": [0.5, math.nan]},
        {"probabilities": [0.5, None]},
        {"probabilities": [0.5, 10**400]},
        {"probabilities": None},
        None,
        7,
        "0.5",
        b"[" * 100_000,
        b'{"probabilities": ' + b"[" * 900 + b"]" * 900 + b"}",
        b"\xff\xfe",
    ],
)
def test_an_answer_of_another_form_is_told(serve, body):
    server = serve(lambda asked, _: (200, body))
    with pytest.raises(ScorerError, match="should answer with"):
        load("http", url=server.url).probabilities(PAIRS[:2])


def ask_chat(server, **options):
    scorer = load("http", url=server.url, mode="chat", model="judge", **options)
    return scorer.probabilities([("It {rains}.", "Rain?")])[0]


def test_a_chat_model_is_asked_for_yes_or_no(serve):
    server = serve(chat("Yes", {"Yes": 0.6, " yes": 0.1, "No": 0.1, "Maybe": 0.2}))
    assert ask_chat(server) == pytest.approx(0.7 / 0.8)
    (asked,) = server.asked
    assert (asked["model"], asked["temperature"], asked["max_tokens"]) == ("judge", 0, 1)
    assert "Premise:\nIt {rains}.\n\nHypothesis:\nRain?" in asked["messages"][0]["content"]


def test_the_answer_can_be_held_to_two_words(serve):
    server = serve(chat("No"))
    ask_chat(server, choices_field="guided_choice")
    assert server.asked[0]["guided_choice"] == ["Yes", "No"]


def listing(*listed):
    """A chat's answer whose likeliest tokens are these."""
    return weighed({"content": [{"top_logprobs": list(listed)}]})


def weighed(logprobs):
    return {"choices": [{"message": {"content": "Yes"}, "logprobs": logprobs}]}


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": {"content": "Perhaps"}}]},
        {"choices": [{"message": {"content": None}}]},
        {"choices": [{"message": {"content": ["Yes"]}}]},
        {"choices": [{"message": {}}]},
        {"choices": [{"message": None}]},
        {"choices": [{}]},
        {"choices": ["Yes"]},
        {"choices": [None]},
        {"choices": []},
        {"choices": {"0": 1}},
        {"choices": None},
        {},
        [],
        None,
        "Yes",
        3,
        listing({"token": "Yes", "logprob": None}),
        listing({"token": "Yes", "logprob": math.nan}),
        listing({"token": "Yes", "logprob": math.inf}),
        listing({"token": "Yes", "logprob": -math.inf}),
        listing({"token": "Yes", "logprob": 1e308}),
        listing({"token": "Yes", "logprob": 10**400}),
        listing({"token": "Yes", "logprob": -(10**400)}),
        listing({"token": "Yes", "logprob": "-0.1"}),
        listing({"token": "Yes", "logprob": True}),
        listing({"token": None, "logprob": -0.1}),
        listing({"token": "Yes"}),
        listing({"logprob": -0.1}),
        listing("Yes"),
        listing(None),
        {"choices": [{"message": {"content": "Yes"}, "logprobs": 5}]},
        {"choices": [{"message": {"content": "Yes"}, "logprobs": {"content": 5}}]},
        {"choices": [{"message": {"content": "Yes"}, "logprobs": {"content": ["Yes"]}}]},
        {
            "choices": [
                {"message": {"content": "Yes"}, "logprobs": {"content": [{"top_logprobs": {}}]}}
            ]
        },
        b'{"choices": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"choices": [{"message": ' + b"[" * 900 + b"]" * 900 + b"}]}",
        b"<html>",
    ],
)
def test_a_chat_answer_of_another_form_is_told(serve, body):
    with pytest.raises(ScorerError, match="should answer with"):
        ask_chat(serve(lambda *_: (200, body)))


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        {},
        {"content": None},
        {"content": []},
        {"content": [{}]},
        {"content": [{"top_logprobs": None}]},
        {"content": [{"top_logprobs": []}]},
    ],
)
def test_a_server_may_leave_the_probabilities_out(serve, logprobs):
    assert ask_chat(serve(lambda *_: (200, weighed(logprobs)))) == 1.0


def test_requests_keep_a_pace():
    now, slept = [100.0], list[float]()
    pace = RateLimit(30, sleep=slept.append, clock=lambda: now[0])
    pace.wait()
    pace.wait()
    pace.wait()
    assert slept == [2.0, 4.0]
    now[0] = 200.0
    pace.wait()
    assert slept == [2.0, 4.0]


def test_what_cannot_be_is_said(subtests):
    for options, said in [
        ({"url": "file:///etc/passwd"}, "not an address"),
        ({"url": "nowhere"}, "not an address"),
        ({"url": "http://[half"}, "not an address"),
        ({"url": "http://host:port/"}, "not an address"),
        ({"url": "http://host/a b"}, "not an address"),
        ({"url": "http://host/ü"}, "not an address"),
        ({"url": "http://anna:pw@host/"}, f"set {KEY} instead"),
        ({"url": "http://host/", "mode": "chat"}, "needs the option model"),
        ({"url": "http://host/", "prompt": "Well?"}, r"must hold \{premise\}"),
    ]:
        with subtests.test(options=options, said=said), pytest.raises(ScorerError, match=said):
            load("http", **options)


def test_the_fingerprint_changes_with_address_model_and_prompt():
    made = {
        load("http", **({"url": "http://host/", "model": "m"} | options)).fingerprint
        for options in (
            {},
            {"url": "http://other/"},
            {"model": "n"},
            {"revision": "2"},
            {"mode": "chat"},
            {"mode": "chat", "prompt": "{premise} {hypothesis}"},
        )
    }
    assert len(made) == 6


@pytest.mark.parametrize("after", ["nan", "-5", "soon", "1 Oct 2015 07:28:00 GMT", "1 Oct 99999"])
def test_a_time_to_wait_that_is_none(serve, waited, after):
    def answer(asked, times):
        return scored(asked, times) if times > 1 else (503, b"", ("Retry-After", after))

    Http(serve(answer).url, sleep=waited.append).probabilities(PAIRS[:1])
    assert waited == [1.0]


def test_a_key_that_cannot_be_sent_is_not_shown(serve, monkeypatch):
    monkeypatch.setenv(KEY, "geheim\nnis")
    server = serve(scored)
    with pytest.raises(ScorerError, match=f"{KEY} holds signs") as refused:
        load("http", url=server.url).probabilities(PAIRS[:1])
    assert "geheim" not in str(refused.value)
    assert server.asked == []


def test_a_key_that_a_server_repeats_does_not_reach_the_log(serve, monkeypatch, caplog):
    monkeypatch.setenv(KEY, "geheimnis")
    server = serve(lambda *_: (400, b"x" * 290 + b"Bearer geheimnis is unknown"))
    with pytest.raises(ScorerError):
        load("http", url=server.url).probabilities(PAIRS[:1])
    assert "geheim" not in caplog.text
