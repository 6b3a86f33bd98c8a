"""Post JSON to a server until it answers, without revealing keys or answers.

Answers may show the inside of a network, so no error contains them. Messages name only the kind of
answer; the log has the rest.
"""

import json
import logging
import math
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import partial
from itertools import count
from time import time
from typing import Any

from annotate.work.outgoing import NotAllowedError, ServerAnswer, UnreachableError, get, post
from evaluation.judges.entailment.door import KEY, Door, address_fault, key_fault
from evaluation.judges.entailment.loading import PairError, ScorerError

log = logging.getLogger(__name__)

AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 529)
"""Statuses after which the same request may succeed later."""

CONTENT = (400, 413, 422)
"""Statuses that may concern the content, perhaps of one pair only."""

DENIED = 403
"""Refused for this key, or by a model that does not return the requested values."""

GONE = (404, 410)

LONGEST_WAIT = 60.0

GIVES_UP = 300.0
"""Seconds before a question with all its tries is abandoned, unless one call may take
longer: a worker has other work."""

MOST_BYTES, FOR_EACH = 256_000, 256
"""Bytes of an answer, and in addition of each number in it: all open answers are in
memory."""

LOGGED = 300
"""Characters of an answer in the log."""

HIDDEN = "[the key]"
ESCAPED = re.compile(r"u00([0-9a-f]{2})|%([0-9a-f]{2})", re.IGNORECASE)
"""An escaped character in JSON or addresses, without backslashes."""


BUSY = (429, 529)
"""Statuses of an overloaded server."""


class SilentError(ScorerError):
    """No try was answered; a later one may be."""


class UnheardError(ScorerError):
    """A request that must be sent once only got no answer; it may have arrived."""


class GoneError(ScorerError):
    """The requested object does not exist."""


class ServerRefusedError(PairError):
    """The server refused the content; `said` is its reply, which is not shown to people."""

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.said = said


class NotJSONError(ScorerError):
    """The answer is not JSON, or incomplete."""


class DeniedError(ScorerError):
    """The key does not permit the request; `said` is the server's reply."""

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.said = said


def bearer(key: str) -> dict[str, str]:
    """Return the header with the key that most servers take."""
    return {"Authorization": f"Bearer {key}"} if key else {}


class Server:
    """A server behind a door, asked within its rate limit."""

    def __init__(
        self,
        door: Door,
        *,
        timeout: float,
        tries: int,
        per_minute: int,
        sleep: Callable[[float], None],
        clock: Callable[[], float],
        headers: Callable[[str], dict[str, str]] = bearer,
    ) -> None:
        fault = address_fault(door.url)
        if fault:
            raise ScorerError(fault)
        self.door = door
        self.timeout = timeout
        self.tries = max(1, tries)
        self._sleep = sleep
        self._clock = clock
        self._own_headers = headers
        self.pace = RateLimit(per_minute, sleep=sleep, clock=clock)

    def post(self, asked: object, *, answers: int = 1, most_bytes: int = MOST_BYTES) -> Any:
        """Post until there is an answer, with growing pauses; say why if there is none. `answers`
        is the number of requested numbers."""
        body = json.dumps(asked).encode()
        most = most_bytes + answers * FOR_EACH
        asking = partial(self._once, partial(post, self.door.url, body, self._headers()), most)
        return self._as_json(self._patiently(asking))

    def fetch(self, url: str, *, most_bytes: int) -> bytes:
        """Return the content of an address of the same server."""
        asking = partial(get, url, self._headers())
        return self._patiently(partial(self._once, asking, most_bytes))

    def send(self, url: str, body: bytes, *, form: str = "", once: bool = False) -> Any:
        """Post to an address of the same server: JSON, or another content type `form`.

        With `once`, the request is repeated only if the server was too busy to accept it; an
        unknown outcome is an `UnheardError`.
        """
        headers = self._headers() | ({"Content-Type": form} if form else {})
        asking = partial(post, url, body, headers)
        try:
            return self._as_json(
                self._patiently(partial(self._once, asking, MOST_BYTES), heard_once=once)
            )
        except NotJSONError as problem:
            raise (UnheardError(str(problem)) if once else problem) from None

    def _patiently(self, once: Callable[[float], bytes], *, heard_once: bool = False) -> bytes:
        """Retry until there is an answer. Replies of a busy server do not count as tries."""
        gives_up, failed = None, 0
        for attempt in count():
            self.pace.wait()
            gives_up = gives_up or self._clock() + max(GIVES_UP, self.timeout)
            try:
                return once(gives_up - self._clock())
            except _LaterError as problem:
                last = problem
            if heard_once and not last.busy:
                self.note(last.found)
                raise UnheardError(f"{self.door.called} gave no answer: {last}.")
            pause = min(LONGEST_WAIT, max(last.after, 2.0**attempt))
            failed += not last.busy
            if failed == self.tries or self._clock() + pause >= gives_up:
                break
            self._sleep(pause)
        tries = "one try" if attempt == 0 else f"{attempt + 1} tries"
        self.note(last.found)
        raise SilentError(
            f"{self.door.called} gave no answer after {tries}: {last}. "
            "Earlier answers are kept. Start again when the server can be reached."
        )

    def _once(self, asking: Callable[..., ServerAnswer], most_bytes: int, left: float) -> bytes:
        try:
            answer = asking(
                timeout=min(self.timeout, left),
                most_bytes=most_bytes,
                allowed=self.door.allowed,
            )
        except NotAllowedError:
            raise ScorerError(
                f"{self.door.called} leads nowhere, or to an address that is not called from "
                "here. The log of this installation says which."
            ) from None
        except UnreachableError as problem:
            raise _LaterError("it could not be reached in time", found=str(problem)) from None
        if answer.status in AGAIN:
            raise _LaterError(
                "it is busy, or has a fault",
                _seconds(answer.headers),
                found=f"status {answer.status}: {_read(answer)}",
                busy=answer.status in BUSY,
            )
        if answer.status >= 300:
            said = _read(answer)
            self.note(f"status {answer.status}: {said}")
            if answer.status in CONTENT:
                raise ServerRefusedError(self._refusal(answer.status), said)
            if answer.status == DENIED:
                raise DeniedError(self._refusal(answer.status), said)
            kind = GoneError if answer.status in GONE else ScorerError
            raise kind(self._refusal(answer.status))
        if len(answer.body) > most_bytes:
            raise ScorerError(f"{self.door.called} answered with more than {most_bytes:,} bytes.")
        return answer.body

    def _as_json(self, said: bytes) -> Any:
        try:
            return json.loads(said)
        except (RecursionError, ValueError):  # nested too deeply, or not JSON
            shown = said.decode("utf-8", "replace")
            raise NotJSONError(str(self.unexpected("JSON", shown))) from None

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.door.key:
            whose = f"The key of “{self.door.connection}”"
            if not self.door.connection:
                whose = f"The environment variable {KEY}"
            if fault := key_fault(self.door.key, whose):
                raise ScorerError(fault)
        return headers | self._own_headers(self.door.key)

    def _refusal(self, status: int) -> str:
        called = self.door.called
        if status in (401, 403):
            how = "Give the connection" if self.door.connection else f"Set {KEY} to"
            return f"{called} refused the key. {how} one that it accepts."
        if status < 400:
            return f"{called} sends elsewhere, where nobody follows; give the final address."
        return f"{called} refused the request. The log of this installation says more."

    def unexpected(self, expected: str, found: object) -> ScorerError:
        """Return the error for an answer of another form; the log has the answer."""
        try:
            shown = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        except RecursionError:
            shown = "values nested too deeply to be shown"
        self.note(shown)
        return ScorerError(
            f"{self.door.called} should answer with {expected}, but sent something else. "
            "The log of this installation says what."
        )

    def note(self, found: str) -> None:
        """Log for the operator in one line, without the key, which some servers repeat."""
        if self.door.key:
            found = without(self.door.key, found)
        log.warning("%s at %s: %r", self.door.called, self.door.url, found[:LOGGED])


def without(key: str, found: str) -> str:
    """Remove a key from a text, plain or escaped; in the latter case the text is unescaped."""
    found = found.replace(key, HIDDEN)
    bare, plain = _plain(key), _plain(found)
    return plain.replace(bare, HIDDEN) if bare and bare in plain else found


def _plain(text: str) -> str:
    bare = text.replace("\\", "")
    return ESCAPED.sub(lambda sign: chr(int(sign[1] or sign[2], 16)), bare).replace("\\", "")


class RateLimit:
    """Starts at most `per_minute` requests a minute, evenly; a share of them if others ask the
    server."""

    def __init__(
        self, per_minute: int, *, sleep: Callable[[float], None], clock: Callable[[], float]
    ) -> None:
        self._gap = 60.0 / per_minute if per_minute > 0 else 0.0
        self._sleep = sleep
        self._clock = clock
        self._next = 0.0
        self._turn = threading.Lock()
        self.sharing = 1
        """The number of parts that ask."""

    def wait(self) -> None:
        """Return when it is this request's turn."""
        if not self._gap:
            return
        with self._turn:
            now = self._clock()
            mine = max(now, self._next)
            self._next = mine + self._gap * self.sharing
        if mine > now:
            self._sleep(mine - now)


def _read(answer: ServerAnswer) -> str:
    return answer.body.decode("utf-8", "replace")


class _LaterError(Exception):
    """The request may succeed later. `after` is the pause that the server asks for in seconds,
    `found` the reply for the log, `busy` whether the server is overloaded."""

    def __init__(self, why: str, after: float = 0.0, *, found: str, busy: bool = False) -> None:
        super().__init__(why)
        self.after = after
        self.busy = busy
        self.found = found


def _seconds(headers: Message) -> float:
    """Return the pause in seconds, from a number or a date."""
    said = headers.get("Retry-After", "0")
    with suppress(ValueError):
        seconds = float(said)
        return 0.0 if math.isnan(seconds) else seconds
    with suppress(ValueError, OverflowError):
        return parsedate_to_datetime(said).timestamp() - time()
    return 0.0
