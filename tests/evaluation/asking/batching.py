"""A server with OpenAI's Batch API, and runs that send it batches.

`paid` counts each call that was answered, one by one or in a batch. A batch stays under way while
`holds`; `ends(told)` says how a line ends without an answer. The next request that makes a batch is
answered by the first of `faults`: a `Said`, or `LOST` if the server does it and the answer is lost.
"""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from evaluation.models import ModelBatch, ModelCall, Run
from evaluation.runs import model_batches
from tests.background_server import in_background
from tests.evaluation.asking.fake import _READ, _WRITE, FakeModels, Said, _Handler
from tests.evaluation.asking.test_model_runs import ASKED
from tests.evaluation.runs.doing import started, work_off

ENDS = {"chat": "chat/completions", "responses": "responses"}
LOST = "lost"

BATCHED = {"options": {"batches": "yes"}, **ASKED}
AT_ONCE = {"dimensions": ["sure", "worst"], **BATCHED}
"""Dimensions that do not depend on others: one batch."""

State = ModelBatch.State


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


class BatchServer(FakeModels):
    def __init__(self, answer: Callable[[str, Any], Any], refuses: tuple[str, ...] = ()) -> None:
        super().__init__(answer, refuses)
        self.RequestHandlerClass = _BatchHandler
        self.holds = False
        self.slow = 0.0
        """Seconds from the work to the answer."""

        self.refuses_batches = False
        self.lists = True
        self.ends: Callable[[str], str] = lambda told: ""
        self.faults: list[Any] = []
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Batch] = {}
        self.paid: Counter[str] = Counter()
        self.asked: list[str] = []
        self.working = threading.Lock()

    def url(self, mode: str) -> str:
        return f"{super().url(mode)}/v1/{ENDS[mode]}"

    @property
    def plainly(self) -> int:
        """How many calls were made one by one."""
        return len(self.calls)


class _BatchHandler(_Handler):
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
        path, _, self.query = self.path.partition("?")
        mode, _, rest = path[1:].partition("/v1/")
        self.server.asked.append(f"{self.command} {rest}")
        assert (self.headers["Authorization"] or "k3y").endswith("k3y")
        return mode, rest

    def _posted(self, mode, path, body):
        if path.endswith("/cancel"):
            batch = self.server.batches[path.split("/")[-2]]
            batch.cancelling = True
            self._send(200, _told(batch))
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
        assert said["completion_window"] == "24h"
        requests = {}
        for line in map(json.loads, self.server.files[said["input_file_id"]].splitlines()):
            assert line["url"] == said["endpoint"] == f"/v1/{ENDS[mode]}"
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", line["custom_id"])
            requests[line["custom_id"]] = line["body"]
        batch = Batch(f"batch_{len(self.server.batches)}", requests, said["metadata"])
        self.server.batches[batch.key] = batch
        if fault == LOST:
            self.close_connection = True
            return
        time.sleep(self.server.slow)
        self._send(200, _told(batch))

    def _got(self, mode, path):
        if path == "batches":
            return self._listed()
        *_, key, last = path.split("/")
        if last == "content":
            time.sleep(self.server.slow)
            return self.server.files.get(key)
        batch = self.server.batches.get(last)
        if batch is None:
            return None
        self._work(mode, batch)
        return _told(batch)

    def _listed(self):
        """Two batches a page, the newest first."""
        if not self.server.lists:
            return Said(501, {"error": {"message": "not implemented"}})
        rows = [_told(one) for one in reversed(self.server.batches.values())]
        if after := re.findall(r"after=(\w+)", self.query):
            rows = rows[[row["id"] for row in rows].index(after[0]) + 1 :]
        return {"data": rows[:2], "has_more": len(rows) > 2}

    def _work(self, mode, batch):
        """Answer the whole batch, unless it is held or was cancelled."""
        if batch.over or (self.server.holds and not batch.cancelling):
            return
        batch.over = "cancelled" if batch.cancelling else "completed"
        if self.server.refuses_batches:
            batch.over = "failed"
            return
        for custom, body in batch.requests.items():
            told, schema = _READ[mode](body)
            refused = [one for one in self.server.refuses if one in json.dumps(body)]
            end = self.server.ends(told) or ("error" if refused else "")
            if batch.cancelling and self.server.holds:
                end = "canceled"
            if end == "expired" and not batch.cancelling:
                batch.over = "expired"
            line = {"custom_id": custom, "response": None, "error": None}
            if end == "error":
                response = {"status_code": 400, "body": {"error": {"message": "no"}}}
                batch.errors.append(line | {"response": response})
            elif end:
                batch.errors.append(line | {"error": {"code": f"batch_{end}"}})
            else:
                found = self.server.answer(told, schema)
                said = found if isinstance(found, Said) else Said()
                text = said.text if isinstance(found, Said) else found
                body = _WRITE[mode](text, said.ended, schema is not None)
                batch.answers.append(line | {"response": {"status_code": 200, "body": body}})
                self.server.paid[told] += 1
        batch.answers.reverse()  # in no order
        self.server.files[f"file-of-{batch.key}"] = _lines(batch.answers)
        self.server.files[f"file-e-{batch.key}"] = _lines(batch.errors)


def _lines(rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _told(batch):
    state = batch.over or ("cancelling" if batch.cancelling else "in_progress")
    files = {}
    if batch.over and batch.over != "failed":
        files = {"output_file_id": f"file-of-{batch.key}"} if batch.answers else {}
        files |= {"error_file_id": f"file-e-{batch.key}"} if batch.errors else {}
    counts = {"total": len(batch.requests), "completed": len(batch.answers),
              "failed": len(batch.errors)}  # fmt: skip
    return {
        "id": batch.key, "status": state, "metadata": batch.metadata,
        "created_at": int(batch.made.timestamp()), "request_counts": counts, **files,
    }  # fmt: skip


@contextmanager
def batch_serving(
    answer: Callable[[str, Any], Any], *, refuses: tuple[str, ...] = ()
) -> Iterator[BatchServer]:
    """A server while a test runs."""
    with in_background(BatchServer(answer, refuses)) as server:
        yield server


def later(**ago):
    """Let every batch have been made this long ago."""
    ModelBatch.objects.update(created_at=timezone.now() - timedelta(**ago))


def look():
    """Poll every batch that is out once."""
    ModelBatch.objects.filter(state=State.WAITING).update(due_at=timezone.now())
    for key in ModelBatch.objects.filter(state=State.WAITING).values_list("pk", flat=True):
        model_batches.work(key)


def to_the_end(run, most=20):
    for _ in range(most):
        work_off(run)
        if run.is_over or run.state == Run.State.PAUSED:
            return run
        look()
    raise AssertionError("it does not end")


def sent(study, **asked):
    """A run whose calls are out."""
    run = started(study, **asked)
    work_off(run)
    return run


def done_once(server, run):
    assert run.state == Run.State.DONE, run.error
    nothing_twice(server, run)


def nothing_twice(server, run):
    """Each call was paid for once and is kept; nothing is under way any more."""
    assert {*server.paid.values()} == {1}
    assert ModelCall.objects.count() == len(server.paid) == run.calls
    assert not ModelCall.objects.exclude(lease_token="").exists()
    assert not ModelBatch.objects.exclude(state=State.DONE).exists()
