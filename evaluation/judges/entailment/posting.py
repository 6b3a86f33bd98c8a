"""Posting JSON to a server until it answers, without letting a key or an answer out.

What a server says may be the inside of somebody's network, so no error shows it: people are told
what kind of answer it was, and the log has the rest.
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
"""Statuses that may be about what was asked: perhaps about one pair alone."""

DENIED = 403
"""Not with this key; or not from this model, as what it does not tell."""

GONE = (404, 410)

LONGEST_WAIT = 60.0

GIVES_UP = 300.0
"""Seconds after which a question is given up, with all its tries, unless one call may take longer:
a worker has other work, too."""

MOST_BYTES, FOR_EACH = 256_000, 256
"""The most bytes of an answer, and of each number in it: memory holds those of all that are asked
at a time."""

LOGGED = 300
"""So much of an answer stands in the log."""

HIDDEN = "[the key]"
ESCAPED = re.compile(r"u00([0-9a-f]{2})|%([0-9a-f]{2})", re.IGNORECASE)
"""A sign as JSON and addresses may write it, backslashes left out."""


BUSY = (429, 529)
"""Statuses by which a server says that it is asked too much."""


class SilentError(ScorerError):
    """There was no answer, however often it was asked; perhaps there is one later."""


class UnheardError(ScorerError):
    """What was said once may have been heard, or not: there was no answer."""


class GoneError(ScorerError):
    """What was asked for is not there."""


class ServerRefusedError(PairError):
    """What was asked was refused; `said`, which people are not shown, is what the server wrote."""

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.said = said


class NotJSONError(ScorerError):
    """What was answered is no JSON, or half of one."""


class DeniedError(ScorerError):
    """Whoever asks may not ask for that; `said` is what the server wrote."""

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.said = said


def bearer(key: str) -> dict[str, str]:
    """The key as most servers take it."""
    return {"Authorization": f"Bearer {key}"} if key else {}


class Server:
    """A door through which questions are posted, no faster than the server allows."""

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
        """Post until there is an answer, waiting longer every time, or say why there is none.
        `answers` says how many numbers are asked for."""
        body = json.dumps(asked).encode()
        most = most_bytes + answers * FOR_EACH
        asking = partial(self._once, partial(post, self.door.url, body, self._headers()), most)
        return self._as_json(self._patiently(asking))

    def fetch(self, url: str, *, most_bytes: int) -> bytes:
        """What is at an address of the same server."""
        asking = partial(get, url, self._headers())
        return self._patiently(partial(self._once, asking, most_bytes))

    def send(self, url: str, body: bytes, *, form: str = "", once: bool = False) -> Any:
        """Post to an address of the same server: JSON, or a form of that type. What is to be heard
        `once` at most is said again only where the server was too busy to hear it; where nobody
        knows, that is an `UnheardError`."""
        headers = self._headers() | ({"Content-Type": form} if form else {})
        asking = partial(post, url, body, headers)
        try:
            return self._as_json(
                self._patiently(partial(self._once, asking, MOST_BYTES), heard_once=once)
            )
        except NotJSONError as problem:
            raise (UnheardError(str(problem)) if once else problem) from None

    def _patiently(self, once: Callable[[float], bytes], *, heard_once: bool = False) -> bytes:
        """Ask again until there is an answer. That a server is busy counts as no try."""
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
        except (RecursionError, ValueError):  # nested too deeply, or no JSON
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
        """The error where an answer has another form; what it was stands in the log."""
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
        """For whoever runs the installation, in one line; some servers repeat the key."""
        if self.door.key:
            found = without(self.door.key, found)
        log.warning("%s at %s: %r", self.door.called, self.door.url, found[:LOGGED])


def without(key: str, found: str) -> str:
    """A text without a key that stands in it, as it is or escaped; the rest then, too, without
    escapes."""
    found = found.replace(key, HIDDEN)
    bare, plain = _plain(key), _plain(found)
    return plain.replace(bare, HIDDEN) if bare and bare in plain else found


def _plain(text: str) -> str:
    bare = text.replace("\\", "")
    return ESCAPED.sub(lambda sign: chr(int(sign[1] or sign[2], 16)), bare).replace("\\", "")


class RateLimit:
    """Lets at most so many requests begin in a minute, evenly; where others ask the same server, a
    share of them."""

    def __init__(
        self, per_minute: int, *, sleep: Callable[[float], None], clock: Callable[[], float]
    ) -> None:
        self._gap = 60.0 / per_minute if per_minute > 0 else 0.0
        self._sleep = sleep
        self._clock = clock
        self._next = 0.0
        self._turn = threading.Lock()
        self.sharing = 1
        """How many ask."""

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
    """The request may succeed later; `after` is how many seconds the server asks to wait, `found`
    what was found, for the log; `busy` whether it is asked too much."""

    def __init__(self, why: str, after: float = 0.0, *, found: str, busy: bool = False) -> None:
        super().__init__(why)
        self.after = after
        self.busy = busy
        self.found = found


def _seconds(headers: Message) -> float:
    """How long to wait: in seconds, or until a date."""
    said = headers.get("Retry-After", "0")
    with suppress(ValueError):
        seconds = float(said)
        return 0.0 if math.isnan(seconds) else seconds
    with suppress(ValueError, OverflowError):
        return parsedate_to_datetime(said).timestamp() - time()
    return 0.0
