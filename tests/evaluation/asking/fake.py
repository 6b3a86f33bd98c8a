"""A server that speaks as those of language models do, and answers by rule.

`answer(told, schema)` gives what the model writes, for all that it was told: an object, which is
sent as JSON, a text as it stands, or a `Said` with a status. `refuses` names parameters that are
refused in the words of the real servers. Where it is asked how likely what it writes is, it tells
of each word; at the place of a value, what `Said.likely` says.
"""

import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.background_server import in_background

MODES = ("chat", "responses", "anthropic", "gemini")


@dataclass
class Said:
    """An answer that is none of the model's: a status, perhaps a header; or how the model ended."""

    status: int = 200
    body: Any = None
    headers: tuple[tuple[str, str], ...] = ()
    ended: str = ""
    text: str = ""
    seconds: float = 0.0
    likely: Any = None
    """How likely each value is where one is written."""


@dataclass
class Call:
    mode: str
    told: str
    schema: Any
    body: Any
    headers: dict[str, str]
    path: str


class FakeModels(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer: Callable[[str, Any], Any], refuses: tuple[str, ...] = ()) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.refuses = refuses
        self.calls: list[Call] = []
        self.refused = 0
        self.at_once = self.most_at_once = 0
        self.counting = threading.Lock()

    def handle_error(self, *given):
        """A client that no longer waits is part of the tests."""

    def url(self, mode: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{mode}"


class _Handler(BaseHTTPRequestHandler):
    server: Any
    protocol_version = "HTTP/1.0"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        mode = self.path.split("/")[1]
        told, schema = _READ[mode](body)
        with self.server.counting:
            self.server.at_once += 1
            self.server.most_at_once = max(self.server.most_at_once, self.server.at_once)
        try:
            self._answer(mode, body, told, schema)
        finally:
            with self.server.counting:
                self.server.at_once -= 1

    def _answer(self, mode, body, told, schema):
        for name in self.server.refuses:
            if name in json.dumps(body):
                with self.server.counting:
                    self.server.refused += 1
                fault = f"Unsupported parameter: '{name}' is not supported with this model."
                self._send(400, {"error": {"message": fault, "type": "invalid_request_error"}})
                return
        with self.server.counting:
            self.server.calls.append(Call(mode, told, schema, body, dict(self.headers), self.path))
        found = self.server.answer(told, schema)
        said = found if isinstance(found, Said) else Said()
        time.sleep(said.seconds)
        if said.status != 200 or said.body is not None:
            self._send(said.status, said.body or {"error": {"message": "no"}}, said.headers)
            return
        text = said.text if isinstance(found, Said) else found
        sent = _WRITE[mode](text, said.ended, schema is not None)
        if said.likely is not None and _LIKELY[mode][0](body):
            _LIKELY[mode][1](sent, _words(text, said.likely))
        self._send(200, sent)

    def _send(self, status, body, headers=()):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if "Content-Length" not in dict(headers):
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *given):
        """Say nothing."""


def _read_chat(body):
    wanted = body.get("response_format", {}).get("json_schema", {}).get("schema")
    return "\n".join(one["content"] for one in body["messages"]), wanted


def _read_responses(body):
    assert body["store"] is False
    return f"{body['instructions']}\n{body['input']}", body.get("text", {}).get("format", {}).get(
        "schema"
    )


def _read_anthropic(body):
    assert isinstance(body["max_tokens"], int)
    tools = body.get("tools") or [{}]
    content = body["messages"][0]["content"]
    said = content if isinstance(content, str) else "".join(one["text"] for one in content)
    return body["system"][0]["text"] + "\n" + said, tools[0].get("input_schema")


def _read_gemini(body):
    told = body["systemInstruction"]["parts"][0]["text"], body["contents"][0]["parts"][0]["text"]
    return "\n".join(told), body["generationConfig"].get("responseJsonSchema")


_READ = {
    "chat": _read_chat,
    "responses": _read_responses,
    "anthropic": _read_anthropic,
    "gemini": _read_gemini,
}


def _text(said):
    return said if isinstance(said, str) else json.dumps(said)


def _write_chat(said, ended, _):
    reason = {"cut": "length", "declined": "content_filter"}.get(ended, "stop")
    message = {"role": "assistant", "content": _text(said)}
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 20},
    }
    return {"choices": [{"message": message, "finish_reason": reason}], "usage": usage}


def _write_responses(said, ended, _):
    content = [{"type": "output_text", "text": _text(said)}]
    if ended == "declined":
        content = [{"type": "refusal", "refusal": "No."}]
    return {
        "status": "incomplete" if ended == "cut" else "completed",
        "output": [{"type": "reasoning", "summary": []}, {"type": "message", "content": content}],
        "usage": {
            "input_tokens": 100,
            "output_tokens": 10,
            "input_tokens_details": {"cached_tokens": 20},
        },
    }


def _write_anthropic(said, ended, with_tool):
    content = [{"type": "text", "text": _text(said)}]
    if with_tool and not isinstance(said, str):
        content = [{"type": "tool_use", "id": "t", "name": "answer", "input": said}]
    reason = {"cut": "max_tokens", "declined": "refusal"}.get(ended, "tool_use")
    usage = {
        "input_tokens": 70,
        "cache_read_input_tokens": 20,
        "cache_creation_input_tokens": 10,
        "output_tokens": 10,
    }
    return {"type": "message", "content": content, "stop_reason": reason, "usage": usage}


def _write_gemini(said, ended, _):
    if ended == "declined":
        return {"promptFeedback": {"blockReason": "SAFETY"}}
    content = {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": _text(said)}]}
    reason = "MAX_TOKENS" if ended == "cut" else "STOP"
    usage = {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 20,
        "candidatesTokenCount": 6,
        "thoughtsTokenCount": 4,
    }
    return {"candidates": [{"content": content, "finishReason": reason}], "usageMetadata": usage}


def _words(text, likely):
    """Each word of what is written, with those that might have stood there."""
    words = re.findall(r"\s*\w+|\s*\W", _text(text))
    told, after = [], ""
    for word in words:
        here = likely if after.endswith('"value": "') else {word: 1.0}
        told.append((word, {one: math.log(share) for one, share in here.items() if share}))
        after += word
    return told


def _likely_openai(words):
    return [
        {
            "token": word,
            "logprob": likely[word],
            "top_logprobs": [{"token": one, "logprob": log} for one, log in likely.items()],
        }
        for word, likely in words
    ]


def _likely_chat(sent, words):
    sent["choices"][0]["logprobs"] = {"content": _likely_openai(words)}


def _likely_responses(sent, words):
    sent["output"][1]["content"][0]["logprobs"] = _likely_openai(words)


def _likely_gemini(sent, words):
    def told(one, log):
        return {"token": one, "logProbability": log}

    sent["candidates"][0]["logprobsResult"] = {
        "chosenCandidates": [told(word, likely[word]) for word, likely in words],
        "topCandidates": [
            {"candidates": [told(*one) for one in likely.items()]} for _, likely in words
        ],
    }


_LIKELY = {
    "chat": (lambda body: body.get("logprobs") and body["top_logprobs"] == 20, _likely_chat),
    "responses": (
        lambda body: "message.output_text.logprobs" in body.get("include", []),
        _likely_responses,
    ),
    "gemini": (lambda body: body["generationConfig"].get("responseLogprobs"), _likely_gemini),
    "anthropic": (lambda body: False, lambda sent, words: None),
}

_WRITE = {
    "chat": _write_chat,
    "responses": _write_responses,
    "anthropic": _write_anthropic,
    "gemini": _write_gemini,
}


@contextmanager
def serving(
    answer: Callable[[str, Any], Any], *, refuses: tuple[str, ...] = ()
) -> Iterator[FakeModels]:
    """A server while it is needed."""
    with in_background(FakeModels(answer, refuses)) as server:
        yield server


@dataclass
class Kept:
    """Calls in memory, as the database keeps them."""

    rows: dict[tuple[str, str], Any] = field(default_factory=dict)
    elsewhere: dict[tuple[str, str], Any] = field(default_factory=dict)
    """Calls that somebody else has under way."""

    counts = False
    released: list[str] = field(default_factory=list)

    def get_many(self, fingerprint, digests):
        return {d: self.rows[fingerprint, d] for d in digests if (fingerprint, d) in self.rows}

    def claim(self, fingerprint, digests):
        ours = [d for d in digests if (fingerprint, d) not in self.rows]
        return {d for d in ours if (fingerprint, d) not in self.elsewhere}

    def put(self, fingerprint, replies):
        for digest, reply in replies.items():
            assert (fingerprint, digest) not in self.rows, "a call was paid for twice"
            self.rows[fingerprint, digest] = reply
        return replies

    def let_go(self, fingerprint, digests):
        self.released += digests

    def refuse_more(self):
        """Nobody pays here."""

    def refuse_to_wait(self, fingerprint, digests):
        """Nothing is out."""
