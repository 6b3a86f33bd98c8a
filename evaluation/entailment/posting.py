"""Posting JSON to a server until it answers, without letting a key out.

The key comes from the environment only, so that it is in no setting, no database and no log.
"""

import http.client
import json
import math
import os
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from email.message import Message
from typing import IO, Any
from urllib.parse import parse_qsl, urlsplit

from evaluation.entailment.loading import PairError, ScorerError

KEY = "ATTEST_SCORER_KEY"

AGAIN = (408, 425, 429, 500, 502, 503, 504)
"""Statuses after which the same request may succeed later."""

CONTENT = (400, 413, 422)
"""Statuses that may be about what was asked: perhaps about one pair alone."""

SECRET = re.compile(r"(key|token|secret|password|credentials?|sig|signature)$", re.IGNORECASE)
"""Names under which a key would stand in an address, and then in every signature."""

LONGEST_WAIT = 60.0
MOST_BYTES = 50_000_000


class Server:
    """An address to which questions are posted, no faster than it allows."""

    def __init__(
        self,
        url: str,
        *,
        timeout: float,
        tries: int,
        per_minute: int,
        sleep: Callable[[float], None],
        clock: Callable[[], float],
    ) -> None:
        _check_address(url)
        self.url = url
        self.timeout = timeout
        self.tries = max(1, tries)
        self._sleep = sleep
        self._pace = RateLimit(per_minute, sleep=sleep, clock=clock)

    def post(self, asked: object) -> Any:
        """Post until there is an answer, waiting longer every time, or say why there is none."""
        body = json.dumps(asked).encode()
        for attempt in range(self.tries):
            self._pace.wait()
            try:
                return self._once(body)
            except _LaterError as problem:
                last = problem
            if attempt + 1 < self.tries:
                self._sleep(min(LONGEST_WAIT, max(last.after, 2.0**attempt)))
        tries = "one try" if self.tries == 1 else f"{self.tries} tries"
        raise ScorerError(
            f"{self.url} gave no answer after {tries}: {last}. "
            "What was answered before is kept; start again when the server can be reached."
        )

    def _once(self, body: bytes) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key := os.environ.get(KEY, "").strip():
            if not (key.isascii() and key.isprintable()):
                raise ScorerError(
                    f"The environment variable {KEY} holds signs that no key can have: expected "
                    "letters, digits and other printable ASCII signs."
                )
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self.url, body, headers)  # noqa: S310 checked above
        try:
            with _OPENER.open(request, timeout=self.timeout) as response:
                text = response.read(MOST_BYTES + 1)
        except urllib.error.HTTPError as problem:
            said = _beginning(problem)
            if problem.code in AGAIN:
                raise _LaterError(f"status {problem.code}", _seconds(problem.headers)) from None
            kind = PairError if problem.code in CONTENT else ScorerError
            raise kind(self._refusal(problem.code, said)) from None
        except (OSError, http.client.HTTPException) as problem:
            reason = getattr(problem, "reason", problem)
            raise _LaterError(str(reason) or type(problem).__name__) from None
        if len(text) > MOST_BYTES:
            raise ScorerError(f"{self.url} answered with more than {MOST_BYTES:,} bytes.")
        try:
            return json.loads(text)
        except RecursionError:
            raise self.unexpected("JSON", "values nested too deeply to be read") from None
        except ValueError:
            raise self.unexpected("JSON", text[:200].decode("utf-8", "replace")) from None

    def _refusal(self, status: int, said: str) -> str:
        if status in (401, 403):
            return (
                f"{self.url} refused the key (status {status}). "
                f"Set the environment variable {KEY} to a key that it accepts."
            )
        if 300 <= status < 400:
            return f"{self.url} sends elsewhere (status {status}); give the final address."
        return f"{self.url} refused the request (status {status}): {said}"

    def unexpected(self, expected: str, found: object) -> ScorerError:
        try:
            shown = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        except RecursionError:
            shown = "values nested too deeply to be shown"
        return ScorerError(f"{self.url} should answer with {expected}, but sent: {shown[:200]}")


class RateLimit:
    """Lets at most so many requests begin in a minute, evenly."""

    def __init__(
        self, per_minute: int, *, sleep: Callable[[float], None], clock: Callable[[], float]
    ) -> None:
        self._gap = 60.0 / per_minute if per_minute > 0 else 0.0
        self._sleep = sleep
        self._clock = clock
        self._next = 0.0
        self._turn = threading.Lock()

    def wait(self) -> None:
        """Return when it is this request's turn."""
        if not self._gap:
            return
        with self._turn:
            now = self._clock()
            mine = max(now, self._next)
            self._next = mine + self._gap
        if mine > now:
            self._sleep(mine - now)


class _LaterError(Exception):
    """The request may succeed later; `after` is how many seconds the server asks to wait."""

    def __init__(self, why: str, after: float = 0.0) -> None:
        super().__init__(why)
        self.after = after


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A key must not travel to an address that nobody gave."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 a port that is no number shows here
        whole = bool(parts.hostname) and parts.scheme in ("http", "https")
    except ValueError:
        whole = False
    if not whole or not url.isascii() or not url.isprintable() or " " in url:
        raise ScorerError(
            f"“{url}” is no address; it must begin with http:// or https://, and whatever is "
            "no ASCII sign must be written as %…."
        )
    if parts.username or parts.password:
        raise ScorerError(f"Leave the name and password out of the address and set {KEY} instead.")
    for name, _ in parse_qsl(parts.query, keep_blank_values=True):
        if SECRET.search(name):
            raise ScorerError(
                f"Leave “{name}” out of the address, which is written into every signature, and "
                f"set {KEY} instead: it is sent in the header Authorization."
            )


def _beginning(problem: urllib.error.HTTPError) -> str:
    """What a server says with an error, where it gets as far as saying it."""
    with problem, suppress(OSError, http.client.HTTPException):
        return problem.read(300).decode("utf-8", "replace").strip()
    return ""


def _seconds(headers: Message) -> float:
    try:
        seconds = float(headers.get("Retry-After", "0"))
    except ValueError:
        return 0.0
    return 0.0 if math.isnan(seconds) else seconds
