"""OpenAI's Batch API: many calls in one file, answered within a day and for less.

This module makes requests and reads answers; `evaluation/runs/model_batches.py` decides when. Each
batch is sent under a name of ours. If the connection breaks while it is sent, it is looked up by
that name, so that no batch is sent twice.

https://platform.openai.com/docs/guides/batch
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from evaluation.judges.entailment import ScorerError
from evaluation.judges.entailment.posting import Server, UnheardError

ENDS: Mapping[str, str] = {"chat": "/chat/completions", "responses": "/responses"}
"""The end of a connection's address, by its mode."""

MOST_BYTES = 256_000_000
"""The most bytes of a file of answers."""

LISTED = 100
"""Batches on one page of the server's list."""

CLOCK_SKEW = timedelta(hours=1)

NAME = "attest"
"""The metadata field that holds a batch's name."""


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """The state of a batch at the server."""

    over: bool
    answered: int
    cancelling: bool = False
    refused: bool = False
    """Whether the server refused the whole batch before it answered any call."""

    files: tuple[str, ...] = ()
    """The files of answers and of errors."""


def batches_fault(mode: str, url: str) -> str:
    """Return why a connection takes no batches; empty if it does."""
    if mode not in ENDS:
        return (
            f"Only connections of the modes {' and '.join(ENDS)} send batches, not {mode}. "
            "Leave batches out."
        )
    if not urlsplit(url).path.rstrip("/").endswith(ENDS[mode]):
        return (
            f"In the mode {mode} a batch is sent where the address ends in {ENDS[mode]}; this one "
            "does not. Leave batches out."
        )
    return ""


class BatchAPI:
    """The files and batches of one server."""

    def __init__(self, server: Server) -> None:
        self._server = server
        end, parts = ENDS[server.door.mode], urlsplit(server.door.url)
        self._parts = parts._replace(path=parts.path.rstrip("/").removesuffix(end))
        self._endpoint = f"/v1{end}"

    def send(self, name: str, calls: Mapping[str, Any]) -> str:
        """Send calls by their stored digests; return the server's key of the batch. After an
        `UnheardError` the batch may have arrived; after any other error it did not."""
        lines = (
            {"custom_id": f"{name[:16]}-{digest}", "method": "POST", "url": self._endpoint,
             "body": body}
            for digest, body in calls.items()
        )  # fmt: skip
        content = "".join(json.dumps(line) + "\n" for line in lines)
        form = (
            f'--{name}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{name}\r\nContent-Disposition: form-data; name="file"; '
            f'filename="{name}.jsonl"\r\nContent-Type: application/jsonl\r\n\r\n'
            f"{content}\r\n--{name}--\r\n"
        )
        kind = f"multipart/form-data; boundary={name}"
        file = _text(self._server.send(self._url("files"), form.encode(), form=kind), "id")
        if not file:
            raise self._server.unexpected("the id of a file", "no id")
        asked = {
            "input_file_id": file,
            "endpoint": self._endpoint,
            "completion_window": "24h",
            "metadata": {NAME: name},
        }
        made = self._server.send(self._url("batches"), json.dumps(asked).encode(), once=True)
        key = _text(made, "id")
        if not key.isprintable() or not 0 < len(key) <= 200:
            raise UnheardError("The server did not say how its batch is called.")
        return key

    def find(self, name: str, *, since: datetime) -> str:
        """Return the key of the batch with this name, sent after a moment; empty without one."""
        oldest, last = (since - CLOCK_SKEW).timestamp(), ""
        while True:
            more = f"&after={quote(last, safe='')}" if last else ""
            page = self._json(self._url("batches", query=f"limit={LISTED}{more}"))
            rows = _field(page, "data")
            if not isinstance(rows, list):
                raise ScorerError("The server should list its batches, but sent something else.")
            for row in rows:
                if _text(_field(row, "metadata"), NAME) == name:
                    return _text(row, "id")
            last = _text(rows[-1], "id") if rows else ""
            if not last or not _field(page, "has_more") or _count(rows[-1], "created_at") < oldest:
                return ""

    def progress(self, key: str) -> BatchProgress:
        """Return the state of a batch."""
        found = self._json(self._url("batches", key))
        state = _text(found, "status")
        files = (_text(found, name) for name in ("output_file_id", "error_file_id"))
        if state == "failed":
            self._server.note(json.dumps(_field(found, "errors")))
        return BatchProgress(
            over=state in ("completed", "failed", "expired", "cancelled"),
            answered=_count(_field(found, "request_counts"), "completed"),
            cancelling=state == "cancelling",
            refused=state == "failed",
            files=tuple(filter(None, files)),
        )

    def cancel(self, key: str) -> None:
        """Ask the server to stop answering calls."""
        self._server.send(self._url("batches", key, "cancel"), b"{}")

    def answers(self, progress: BatchProgress) -> Iterator[tuple[str, object]]:
        """Yield each call's digest with its answer; None if it failed. Unreadable lines are
        skipped."""
        for file in progress.files:
            content = self._server.fetch(self._url("files", file, "content"), most_bytes=MOST_BYTES)
            for line in BytesIO(content):
                try:
                    found = json.loads(line)
                except (RecursionError, ValueError):
                    continue
                response = _field(found, "response")
                fine = _count(response, "status_code") == 200
                digest = _text(found, "custom_id").rpartition("-")[2]
                yield digest, _field(response, "body") if fine else None

    def _url(self, *path: str, query: str = "") -> str:
        """Return an address below the connection's, with the connection's query."""
        whole = "/".join([self._parts.path, *(quote(one, safe=":") for one in path)])
        both = "&".join(filter(None, [self._parts.query, query]))
        return urlunsplit(self._parts._replace(path=whole, query=both))

    def _json(self, url: str) -> object:
        content = self._server.fetch(url, most_bytes=4_000_000)
        try:
            found: object = json.loads(content)
        except (RecursionError, ValueError):
            raise self._server.unexpected("JSON", content.decode("utf-8", "replace")) from None
        return found


def _field(found: object, name: str) -> object:
    return found.get(name) if isinstance(found, dict) else None


def _text(found: object, name: str) -> str:
    text = _field(found, name)
    return text if isinstance(text, str) else ""


def _count(found: object, name: str) -> int:
    count = _field(found, name)
    return count if isinstance(count, int) and 0 <= count < 2**53 else 0
