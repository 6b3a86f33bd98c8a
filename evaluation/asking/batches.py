"""The batches of vendors: many calls at a time, answered within a day and for less.

OpenAI's servers take a file of calls, one a line, and give files of answers and of errors;
Anthropic's take the calls as they are and give lines; Gemini's take them as they are and give all
in one answer. Here is what is said and read; what is made of it, and when, says
`evaluation/running/model_batches.py`.

A batch has a name of ours, under which it is found again where nobody heard whether it came
through: nothing is sent twice that may have been.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any, Protocol
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

from evaluation.asking.speech import SPEECHES
from evaluation.entailment import ScorerError
from evaluation.entailment.posting import Server, UnheardError

MOST_BYTES = 256_000_000
"""Of a file of answers."""

LISTED = 100
"""Batches that are listed together."""

ODD_CLOCKS = timedelta(hours=1)
"""So far a server's clock may be from ours."""

NAME = "attest"
"""What a batch's name is called in what a vendor keeps with it."""

NO_BATCHES = (
    "In the mode {} a batch is sent where the address ends in {}; this one does not. Leave "
    "batches out."
)

NAMELESS = (
    "The server does not say which answer of a batch belongs to which call, so none of these was "
    "taken. They may have been paid for: try again, or delete this run and ask for one without "
    "batches."
)

ODD = "The server should say {}, but sent something else."


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How a batch stands at the vendor's."""

    over: bool
    answered: int
    """Calls, as the vendor counts; some count none before all are."""

    cancelling: bool = False
    refused: bool = False
    """Whether it was refused as a whole: no call was looked at."""

    files: tuple[str, ...] = ()
    """Where the answers lie, and the errors."""


class Batching(Protocol):
    """How one kind of server takes batches."""

    most_bytes: int
    """Of all calls of one that is sent."""

    def send(self, server: Server, name: str, calls: Mapping[str, Any]) -> str:
        """Send calls by the digests under which they are kept; the vendor's key of the batch.
        Where nobody knows whether it came through, that is an `UnheardError`; with any other
        error it did not."""
        ...

    def find(
        self, server: Server, name: str, *, since: datetime, calls: int, known: Collection[str]
    ) -> str | None:
        """The key of the batch with this name of so many calls, which was sent after a moment and
        is none of those that are known; empty where there is none, None where nobody can tell
        yet."""
        ...

    def look(self, server: Server, key: str) -> BatchProgress:
        """How it stands."""
        ...

    def cancel(self, server: Server, key: str) -> None:
        """Have no further call answered."""
        ...

    def answers(
        self, server: Server, key: str, standing: BatchProgress
    ) -> Iterator[tuple[str, object]]:
        """What was answered to each call, by its digest, as if it had been asked alone; None to
        those that have no answer, or an error. Calls may be missing."""
        ...


def batching(mode: str, url: str, model: str) -> Batching | None:
    """How a server of a mode takes batches; None where none does."""
    if mode in OpenAI.ends:
        return OpenAI(mode, url)
    if mode == "gemini":
        return GeminiBatches(SPEECHES[mode].address(url, model))
    return AnthropicBatches(url) if mode == "anthropic" else None


def batches_fault(mode: str, url: str, model: str) -> str:
    """Why no batches can be sent there; empty where they can, as far as anybody knows."""
    try:
        found = batching(mode, url, model)
    except ScorerError as error:
        return str(error)
    return "" if found else f"A server of the mode {mode} is sent no batches. Leave batches out."


def _custom(name: str, digest: str) -> str:
    """A call's own name in a batch: 64 characters at most, letters, digits and hyphens."""
    return f"{name[:16]}-{digest}"


def _digest(custom: object) -> str:
    return custom.rpartition("-")[2] if isinstance(custom, str) else ""


class OpenAI:
    """Files and batches, as OpenAI has them."""

    ends: Mapping[str, str] = {"chat": "/chat/completions", "responses": "/responses"}
    most_bytes = 200_000_000

    def __init__(self, mode: str, url: str) -> None:
        end, parts = self.ends[mode], urlsplit(url)
        path = parts.path.rstrip("/")
        if not path.endswith(end):
            raise ScorerError(NO_BATCHES.format(mode, end))
        self._parts = parts._replace(path=path.removesuffix(end))
        self._endpoint = f"/v1{end}"

    def _url(self, *path: str, **asked: object) -> str:
        return _under(self._parts, path, asked)

    def send(self, server: Server, name: str, calls: Mapping[str, Any]) -> str:
        lines = (
            {"custom_id": _custom(name, digest), "method": "POST", "url": self._endpoint,
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
        file = _text(server.send(self._url("files"), form.encode(), form=kind), "id")
        if not file:
            raise server.unexpected("the id of a file", "no id")
        asked = {
            "input_file_id": file,
            "endpoint": self._endpoint,
            "completion_window": "24h",
            "metadata": {NAME: name},
        }
        return _key(server.send(self._url("batches"), json.dumps(asked).encode(), once=True))

    def find(
        self, server: Server, name: str, *, since: datetime, calls: int, known: Collection[str]
    ) -> str | None:
        oldest, last = (since - ODD_CLOCKS).timestamp(), ""
        while True:
            more = {"after": last} if last else {}
            page = _json(server, self._url("batches", limit=LISTED, **more))
            rows = _listed(page)
            for row in rows:
                if _text(_inside(row, "metadata"), NAME) == name:
                    return _text(row, "id")
            last = _text(rows[-1], "id") if rows else ""
            if not last or not _inside(page, "has_more") or _count(rows[-1], "created_at") < oldest:
                return ""

    def look(self, server: Server, key: str) -> BatchProgress:
        found = _json(server, self._url("batches", key))
        state, counts = _text(found, "status"), _inside(found, "request_counts")
        files = (_text(found, name) for name in ("output_file_id", "error_file_id"))
        if state == "failed":
            server.note(json.dumps(_inside(found, "errors")))
        return BatchProgress(
            over=state in ("completed", "failed", "expired", "cancelled"),
            answered=_count(counts, "completed"),
            cancelling=state == "cancelling",
            refused=state == "failed",
            files=tuple(filter(None, files)),
        )

    def cancel(self, server: Server, key: str) -> None:
        server.send(self._url("batches", key, "cancel"), b"{}")

    def answers(
        self, server: Server, key: str, standing: BatchProgress
    ) -> Iterator[tuple[str, object]]:
        for file in standing.files:
            content = server.fetch(self._url("files", file, "content"), most_bytes=MOST_BYTES)
            for line in _lines(content):
                response = _inside(line, "response")
                fine = _count(response, "status_code") == 200
                body = _inside(response, "body") if fine else None
                yield _digest(_inside(line, "custom_id")), body


class AnthropicBatches:
    """Batches of messages. Nothing of ours is kept with one but the names of its calls, which are
    read where it has ended."""

    most_bytes = 250_000_000

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        path = parts.path.rstrip("/")
        if not path.endswith("/messages"):
            raise ScorerError(NO_BATCHES.format("anthropic", "/messages"))
        self._parts = parts._replace(path=f"{path}/batches")

    def _url(self, *path: str, **asked: object) -> str:
        return _under(self._parts, path, asked)

    def send(self, server: Server, name: str, calls: Mapping[str, Any]) -> str:
        asked = [{"custom_id": _custom(name, one), "params": body} for one, body in calls.items()]
        return _key(server.send(self._url(), json.dumps({"requests": asked}).encode(), once=True))

    def find(
        self, server: Server, name: str, *, since: datetime, calls: int, known: Collection[str]
    ) -> str | None:
        open_ones, last = False, ""
        while True:
            more = {"after_id": last} if last else {}
            page = _json(server, self._url(limit=LISTED, **more))
            rows = _listed(page)
            for row in rows:
                key, of = _text(row, "id"), _inside(row, "request_counts")
                if key in known or _created(row) < since - ODD_CLOCKS or _in_all(of) != calls:
                    continue
                if _text(row, "processing_status") != "ended":
                    open_ones = True
                elif self._is_named(server, key, name):
                    return key
            last = _text(rows[-1], "id") if rows else ""
            if not last or not _inside(page, "has_more") or _created(rows[-1]) < since - ODD_CLOCKS:
                return None if open_ones else ""

    def _is_named(self, server: Server, key: str, name: str) -> bool:
        content = server.fetch(self._url(key, "results"), most_bytes=MOST_BYTES)
        first = next(_lines(content), None)
        custom = _inside(first, "custom_id")
        return isinstance(custom, str) and custom.startswith(f"{name[:16]}-")

    def look(self, server: Server, key: str) -> BatchProgress:
        found = _json(server, self._url(key))
        state = _text(found, "processing_status")
        return BatchProgress(
            over=state == "ended",
            answered=_count(_inside(found, "request_counts"), "succeeded"),
            cancelling=state == "canceling",
        )

    def cancel(self, server: Server, key: str) -> None:
        server.send(self._url(key, "cancel"), b"{}")

    def answers(
        self, server: Server, key: str, standing: BatchProgress
    ) -> Iterator[tuple[str, object]]:
        # Not from where the answer says that they lie: the key is sent to the connection's alone.
        content = server.fetch(self._url(key, "results"), most_bytes=MOST_BYTES)
        for line in _lines(content):
            result = _inside(line, "result")
            fine = _text(result, "type") == "succeeded"
            yield _digest(_inside(line, "custom_id")), _inside(result, "message") if fine else None


class GeminiBatches:
    """Batches of contents that are sent as they are. Answers are known by what was sent beside each
    call, never by their order, which is not always that of the calls."""

    most_bytes = 18_000_000
    """Of 20 MB that all may have: something is said around each call."""

    over = ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED")

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        base, models, asked = parts.path.rpartition("/models/")
        if not models or not asked.endswith(":generateContent"):
            raise ScorerError(NO_BATCHES.format("gemini", "/v1beta or /models/…:generateContent"))
        model = asked.removesuffix(":generateContent")
        self._parts = parts._replace(path=f"{base}/batches")
        self._made_at = parts._replace(path=f"{base}/models/{model}:batchGenerateContent")

    def _url(self, *path: str, **asked: object) -> str:
        return _under(self._parts, path, asked)

    def send(self, server: Server, name: str, calls: Mapping[str, Any]) -> str:
        requests = [
            {"request": _kept_in_order(body), "metadata": {"key": _custom(name, digest)}}
            for digest, body in calls.items()
        ]
        batch = {
            "displayName": f"{NAME}-{name}",
            "inputConfig": {"requests": {"requests": requests}},
        }
        asked = json.dumps({"batch": batch}).encode()
        made = server.send(urlunsplit(self._made_at), asked, once=True)
        return _key({"id": _text(made, "name").removeprefix("batches/")})

    def find(
        self, server: Server, name: str, *, since: datetime, calls: int, known: Collection[str]
    ) -> str | None:
        page = ""
        while True:  # they may come in any order
            more = {"pageToken": page} if page else {}
            listed = _json(server, self._url(pageSize=LISTED, **more), most_bytes=MOST_BYTES)
            none = isinstance(listed, dict) and "operations" not in listed
            for row in [] if none else _listed(listed, "operations"):
                if _text(_inside(row, "metadata"), "displayName") == f"{NAME}-{name}":
                    return _text(row, "name").removeprefix("batches/")
            page = _text(listed, "nextPageToken")
            if not page:
                return ""

    def look(self, server: Server, key: str) -> BatchProgress:
        found = _json(server, self._url(key), most_bytes=MOST_BYTES)
        told = _inside(found, "metadata")
        state = _text(told, "state").rpartition("_STATE_")[2]
        over = state in self.over or _inside(found, "done") is True
        refused = state == "FAILED"
        if refused:
            server.note(json.dumps(_inside(found, "error")))
        # One that did not succeed has none that could be had.
        counts = _inside(told, "batchStats") if state == "SUCCEEDED" or not over else None
        return BatchProgress(over, _count(counts, "successfulRequestCount"), refused=refused)

    def cancel(self, server: Server, key: str) -> None:
        server.send(self._url(f"{key}:cancel"), b"{}")

    def answers(
        self, server: Server, key: str, standing: BatchProgress
    ) -> Iterator[tuple[str, object]]:
        found = _json(server, self._url(key), most_bytes=MOST_BYTES)
        output = _inside(found, "response") or _inside(_inside(found, "metadata"), "output")
        several = _inside(_inside(output, "inlinedResponses"), "inlinedResponses")
        for one in several if isinstance(several, list) else []:
            digest = _digest(_text(_inside(one, "metadata"), "key"))
            answer = _inside(one, "response")
            if answer is not None and not digest:
                raise ScorerError(NAMELESS)
            yield digest, answer


def _kept_in_order(body: Mapping[str, Any]) -> dict[str, Any]:
    """A call whose form is said in Gemini's own words: of one in JSON's the order of the fields is
    lost in batches, and what is answered is of no form."""
    settings = {**body["generationConfig"]}
    if (form := settings.pop("responseJsonSchema", None)) is not None:
        settings["responseSchema"] = _as_openapi(form)
    return {**body, "generationConfig": settings}


def _as_openapi(form: Mapping[str, Any]) -> dict[str, Any]:
    said = {name: value for name, value in form.items() if name != "additionalProperties"}
    if "type" in form:
        said["type"] = form["type"].upper()
    if form.get("type") == "integer" and (known := said.pop("enum", None)):
        said |= {"minimum": min(known), "maximum": max(known)}  # only texts are named one by one
    if "properties" in form:
        said["properties"] = {name: _as_openapi(one) for name, one in form["properties"].items()}
        said["propertyOrdering"] = [*form["properties"]]
    if "items" in form:
        said["items"] = _as_openapi(form["items"])
    if "anyOf" in form:
        said["anyOf"] = [_as_openapi(one) for one in form["anyOf"]]
    return said


def _under(parts: SplitResult, path: tuple[str, ...], asked: Mapping[str, object]) -> str:
    """An address below another, whose own query stays."""
    whole = "/".join([parts.path, *(quote(one, safe=":") for one in path)])
    said = [f"{name}={quote(str(value), safe='')}" for name, value in asked.items()]
    query = "&".join(filter(None, [parts.query, *said]))
    return urlunsplit(parts._replace(path=whole, query=query))


def _json(server: Server, url: str, *, most_bytes: int = 4_000_000) -> object:
    content = server.fetch(url, most_bytes=most_bytes)
    try:
        found: object = json.loads(content)
    except (RecursionError, ValueError):
        raise server.unexpected("JSON", content.decode("utf-8", "replace")) from None
    return found


def _lines(content: bytes) -> Iterator[object]:
    """What stands in each line; what cannot be read is passed over, and has no answer."""
    for line in BytesIO(content):
        try:
            yield json.loads(line)
        except (RecursionError, ValueError):
            continue


def _inside(found: object, name: str) -> object:
    return found.get(name) if isinstance(found, dict) else None


def _text(found: object, name: str) -> str:
    text = _inside(found, name)
    return text if isinstance(text, str) else ""


def _count(found: object, name: str) -> int:
    count = _inside(found, name)
    if isinstance(count, str) and re.fullmatch("[0-9]{1,15}", count):
        return int(count)  # as Google writes large numbers
    return count if isinstance(count, int) and 0 <= count < 2**53 else 0


def _in_all(counts: object) -> int:
    each = counts.values() if isinstance(counts, dict) else ()
    return sum(one for one in each if isinstance(one, int))


def _listed(page: object, name: str = "data") -> list[object]:
    rows = _inside(page, name)
    if not isinstance(rows, list):
        raise ScorerError(ODD.format("a list of batches"))
    return rows


def _created(row: object) -> datetime:
    try:
        made = datetime.fromisoformat(_text(row, "created_at"))
    except ValueError:
        made = None
    if made is None or made.tzinfo is None:
        raise ScorerError(ODD.format("when a batch was made"))
    return made


def _key(answer: object) -> str:
    """What was made has a key, or nobody knows whether it was made."""
    key = _text(answer, "id")
    if not key.isprintable() or not 0 < len(key) <= 200:
        raise UnheardError("The server did not say how its batch is called.")
    return key
