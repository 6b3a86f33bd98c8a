"""A server that takes batches, too, as OpenAI's, Anthropic's and Gemini's do.

What was answered is paid for: `paid` counts it by what was told, whichever way it came. A batch
stays under way while `holds`; `ends(told)` says how a line of it ends where it has no answer. What
is posted to make a batch is answered by what stands in `faults`, one after the other: a `Said`, or
`LOST`, where it is done and nobody hears of it.

As people found Gemini's: answers come in any order, perhaps without what was sent beside each call
(`Batch.forgotten`), and to a form in JSON's own words there is an answer of no form.
"""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.beside import beside
from tests.evaluation.asking.fake import _READ, _WRITE, FakeModels, Said, _Handler

ENDS = {
    "chat": "chat/completions", "responses": "responses", "anthropic": "messages",
    "gemini": "models/m-1:generateContent",
}  # fmt: skip
MODES = tuple(ENDS)
OPENAI = ("chat", "responses")
MOST_INLINE = 20_000_000
LOST = "lost"


@dataclass
class Batch:
    key: str
    requests: dict[str, Any]
    metadata: Any = None
    over: str = ""
    cancelling: bool = False
    made: datetime = field(default_factory=lambda: datetime.now(UTC))
    answers: list[Any] = field(default_factory=list)
    errors: list[Any] = field(default_factory=list)
    forgotten: bool = False
    """Whether what was sent beside its calls is not told."""


class FakeVendor(FakeModels):
    def __init__(self, answer: Callable[[str, Any], Any], refuses: tuple[str, ...] = ()) -> None:
        super().__init__(answer, refuses)
        self.RequestHandlerClass = _Vendor
        self.holds = False
        self.slow = 0.0
        """Seconds between what is done and that it is told."""

        self.refuses_batches = False
        self.lists = True
        """Whether it can say which batches it has."""

        self.ends: Callable[[str], str] = lambda told: ""
        self.faults: list[Any] = []
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Batch] = {}
        self.paid: Counter[str] = Counter()
        self.asked: list[str] = []
        self.working = threading.Lock()

    def url(self, mode: str) -> str:
        return f"{super().url(mode)}/v1" + ("" if mode == "gemini" else f"/{ENDS[mode]}")

    @property
    def plainly(self) -> int:
        """How many calls were made one by one."""
        return len(self.calls)


class _Vendor(_Handler):
    def do_POST(self):
        mode, path = self._place()
        if path == ENDS[mode]:
            super().do_POST()
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.working:
            self._posted(mode, path, body)

    def do_GET(self):
        mode, path = self._place()
        with self.server.working:
            found = self._got(mode, path)
        if found is None:
            self._send(404, {"error": {"message": "not there"}})
        elif isinstance(found, Said):
            self._send(found.status, found.body)
        else:
            self._send(200, found)

    def _answer(self, mode, body, told, schema):
        if not any(name in json.dumps(body) for name in self.server.refuses):
            with self.server.counting:
                self.server.paid[told] += 1
        super()._answer(mode, body, told, schema)

    def _place(self):
        path, _, self.asked = self.path.partition("?")
        mode, _, rest = path[1:].partition("/v1/")
        self.server.asked.append(f"{self.command} {rest}")
        key = {"anthropic": "x-api-key", "gemini": "x-goog-api-key"}.get(mode, "Authorization")
        assert (self.headers[key] or "k3y").endswith("k3y")
        return mode, rest

    def _posted(self, mode, path, body):
        if path.endswith(("/cancel", ":cancel")):
            batch = self.server.batches[re.split("[/:]", path)[-2]]
            batch.cancelling = True
            self._send(200, {} if mode == "gemini" else _told(mode, batch))
            return
        fault = self.server.faults.pop(0) if self.server.faults else None
        if isinstance(fault, Said):
            self._send(fault.status, fault.body or {"error": {"message": "no"}}, fault.headers)
            return
        if path == "files":
            key = f"file-{len(self.server.files)}"
            [content] = re.findall(rb"application/jsonl\r\n\r\n(.*)\r\n--\w+--\r\n$", body, re.S)
            self.server.files[key] = content
            self._send(200, {"id": key})
            return
        said = json.loads(body)
        if mode == "anthropic":
            batch = Batch("", {one["custom_id"]: one["params"] for one in said["requests"]})
        elif mode == "gemini":
            assert path == "models/m-1:batchGenerateContent"
            assert len(body) < MOST_INLINE
            asked = said["batch"]["inputConfig"]["requests"]["requests"]
            requests = {one["metadata"]["key"]: one["request"] for one in asked}
            batch = Batch("", requests, said["batch"]["displayName"])
        else:
            assert said["completion_window"] == "24h"
            lines = map(json.loads, self.server.files[said["input_file_id"]].splitlines())
            requests = {}
            for line in lines:
                assert line["url"] == said["endpoint"] == f"/v1/{ENDS[mode]}"
                requests[line["custom_id"]] = line["body"]
            batch = Batch("", requests, said["metadata"])
        for custom in batch.requests:
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", custom)
        batch.key = f"batch/{len(self.server.batches)}".replace("/", "_")
        self.server.batches[batch.key] = batch
        if fault == LOST:
            self.close_connection = True
            return
        time.sleep(self.server.slow)
        self._send(200, _told(mode, batch))

    def _got(self, mode, path):
        under = "messages/batches" if mode == "anthropic" else "batches"
        if mode == "gemini" and path == under:
            return self._listed()
        if path == under:
            rows = [_told(mode, one) for one in reversed(self.server.batches.values())]
            page = re.findall(r"(?:after|after_id)=(\w+)", self.asked)
            if page:
                rows = rows[[row["id"] for row in rows].index(page[0]) + 1 :]
            return {"data": rows[:2], "has_more": len(rows) > 2}
        *_, last, more = f"x/{path}".split("/")
        if more in ("results", "content"):
            time.sleep(self.server.slow)
            if last.startswith("file"):
                return self.server.files.get(last)
            batch = self.server.batches.get(last)
            return None if batch is None else _lines(batch.answers)
        batch = self.server.batches.get(more)
        if batch is None:
            return None
        self._work(mode, batch)
        if mode == "gemini" and batch.over:
            self.server.asked.append(f"GET content of {more}")
            time.sleep(self.server.slow)
        return _told(mode, batch)

    def _listed(self):
        """Some at a time, and none to those who do not say how many; or nothing at all."""
        if not self.server.lists:
            return Said(501, {"error": {"code": 501, "status": "UNIMPLEMENTED"}})
        rows = [_told("gemini", one) for one in self.server.batches.values()]
        begin = int(*re.findall(r"pageToken=at(\d+)", self.asked) or [0])
        if "pageSize=" not in self.asked or not rows:
            return {}
        more = {"nextPageToken": f"at{begin + 2}"} if len(rows) > begin + 2 else {}
        return {"operations": rows[begin : begin + 2], **more}

    def _work(self, mode, batch):
        """Answer all of it, unless it is held or was cancelled."""
        if batch.over or (self.server.holds and not batch.cancelling):
            return
        batch.over = "cancelled" if batch.cancelling else "completed"
        if mode != "anthropic" and self.server.refuses_batches:
            batch.over = "failed"
            return
        if mode == "gemini":  # of one that was cancelled or given up there is nothing
            each = [self.server.ends(_read_batched(one)[0]) for one in batch.requests.values()]
            batch.over = "expired" if "expired" in each else batch.over
            if batch.over == "expired" or (batch.cancelling and self.server.holds):
                return
        for custom, body in batch.requests.items():
            told, schema = _read_batched(body) if mode == "gemini" else _READ[mode](body)
            refused = [one for one in self.server.refuses if one in json.dumps(body)]
            end = self.server.ends(told) or ("error" if refused else "")
            if batch.cancelling and self.server.holds:
                end = "canceled"
            if end == "expired" and not batch.cancelling:
                batch.over = "expired"
            if not end:
                found = self.server.answer(told, schema)
                said = found if isinstance(found, Said) else Said()
                text = said.text if isinstance(found, Said) else found
                found = _WRITE[mode](text, said.ended, schema is not None)
                self.server.paid[told] += 1
            if mode == "gemini":
                output = {"error": {"code": 4, "message": end}} if end else {"response": found}
                batch.answers.append(output | {"metadata": {"key": custom}})
            elif mode == "anthropic":
                kind = {"error": "errored"}.get(end, end or "succeeded")
                result = {"type": kind} | ({} if end else {"message": found})
                batch.answers.append({"custom_id": custom, "result": result})
            elif end == "error":
                response = {"status_code": 400, "body": {"error": {"message": "no"}}}
                batch.errors.append({"custom_id": custom, "response": response, "error": None})
            elif end:
                error = {"code": f"batch_{end}"}
                batch.errors.append({"custom_id": custom, "response": None, "error": error})
            else:
                response = {"status_code": 200, "body": found}
                batch.answers.append({"custom_id": custom, "response": response, "error": None})
        batch.answers.reverse()  # in no order
        if mode in OPENAI:
            self.server.files[f"file-of-{batch.key}"] = _lines(batch.answers)
            self.server.files[f"file-e-{batch.key}"] = _lines(batch.errors)


def _lines(rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _read_batched(body):
    """As Gemini's batches read a call."""
    settings = body["generationConfig"]
    assert "responseJsonSchema" not in settings, "there is an answer of no form"
    form = settings.get("responseSchema")
    plain = {**settings, "responseJsonSchema": form and _plain_form(form)}
    return _READ["gemini"]({**body, "generationConfig": plain})


def _plain_form(form):
    """A form in Gemini's words as one in JSON's; none of others is known."""
    known = {"type", "enum", "properties", "required", "propertyOrdering", "items", "anyOf",
             "minimum", "maximum"}  # fmt: skip
    assert {*form} <= known
    said = {name: form[name] for name in ("enum", "required") if name in form}
    assert all(isinstance(one, str) for one in form.get("enum", ()))
    if "type" in form:
        assert form["type"] in ("OBJECT", "ARRAY", "STRING", "NUMBER", "INTEGER")
        said["type"] = form["type"].lower()
    if "maximum" in form:
        said["enum"] = [*range(form["minimum"], form["maximum"] + 1)]
    if "properties" in form:
        assert sorted(form["propertyOrdering"]) == sorted(form["properties"])
        each = form["propertyOrdering"]
        said["properties"] = {name: _plain_form(form["properties"][name]) for name in each}
    if "items" in form:
        said["items"] = _plain_form(form["items"])
    if "anyOf" in form:
        said["anyOf"] = [_plain_form(one) for one in form["anyOf"]]
    return said


def _operation(batch):
    """As Gemini tells of one: numbers are texts, and what is 0 is left out."""
    fine = sum("response" in one for one in batch.answers)
    counts = {"requestCount": len(batch.requests), "successfulRequestCount": fine,
              "failedRequestCount": len(batch.answers) - fine,
              "pendingRequestCount": 0 if batch.over else len(batch.requests)}  # fmt: skip
    states = {"completed": "SUCCEEDED", "": "PENDING"}
    told = {
        "@type": "type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch",
        "model": "models/m-1", "displayName": batch.metadata, "name": f"batches/{batch.key}",
        "createTime": batch.made.isoformat().replace("+00:00", "Z"),
        "batchStats": {name: str(count) for name, count in counts.items() if count},
        "state": f"BATCH_STATE_{states.get(batch.over, batch.over.upper())}",
    }  # fmt: skip
    found = {"name": f"batches/{batch.key}", "metadata": told}
    if not batch.over:
        return found
    if batch.over != "completed":
        return found | {"done": True, "error": {"code": 1, "message": batch.over}}
    output = {"inlinedResponses": {"inlinedResponses": _inlined(batch)}}
    return found | {"metadata": told | {"output": output}, "done": True, "response": output}


def _inlined(batch):
    if not batch.forgotten:
        return batch.answers
    return [{n: v for n, v in one.items() if n != "metadata"} for one in batch.answers]


def _told(mode, batch):
    if mode == "gemini":
        return _operation(batch)
    size, done = len(batch.requests), len(batch.answers)
    if mode == "anthropic":
        state = "ended" if batch.over else "canceling" if batch.cancelling else "in_progress"
        counts = {"processing": 0 if batch.over else size, "succeeded": 0, "errored": 0}
        if batch.over:
            kinds = Counter(one["result"]["type"] for one in batch.answers)
            counts |= kinds
        return {
            "id": batch.key, "processing_status": state, "request_counts": counts,
            "created_at": batch.made.isoformat(), "results_url": "http://elsewhere.invalid/",
        }  # fmt: skip
    state = batch.over or ("cancelling" if batch.cancelling else "in_progress")
    files = {}
    if batch.over and batch.over != "failed":
        files = {"output_file_id": f"file-of-{batch.key}"} if batch.answers else {}
        files |= {"error_file_id": f"file-e-{batch.key}"} if batch.errors else {}
    return {
        "id": batch.key, "status": state, "metadata": batch.metadata,
        "created_at": int(batch.made.timestamp()),
        "request_counts": {"total": size, "completed": done, "failed": len(batch.errors)}, **files,
    }  # fmt: skip


@contextmanager
def selling(
    answer: Callable[[str, Any], Any], *, refuses: tuple[str, ...] = ()
) -> Iterator[FakeVendor]:
    """A vendor while he is needed."""
    with beside(FakeVendor(answer, refuses)) as server:
        yield server
