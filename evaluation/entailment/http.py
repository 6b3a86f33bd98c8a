"""A model behind an address: Attest's own small JSON form, or one that speaks as OpenAI's does.

Both are described in docs/entailment.md. The key comes from the environment only, so that it is
in no setting, no database and no log.
"""

import hashlib
import http.client
import json
import math
import os
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from email.message import Message
from typing import IO, Any, Literal, TypeGuard
from urllib.parse import parse_qsl, urlsplit

from evaluation.entailment.loading import PairError, ScorerError
from evaluation.entailment.options import AtOnce, Number, Seconds, Share, Some, Tries
from evaluation.entailment.scorer import Pair, fingerprint_of

KEY = "ATTEST_SCORER_KEY"

Mode = Literal["pairs", "chat"]

PROMPT = (
    "Does the premise fully support the hypothesis? Everything that the hypothesis says must "
    "follow from the premise alone, without other knowledge. Answer with one word, Yes or No.\n\n"
    "Premise:\n{premise}\n\nHypothesis:\n{hypothesis}\n\nAnswer (Yes or No):"
)

AGAIN = (408, 425, 429, 500, 502, 503, 504)
"""Statuses after which the same request may succeed later."""

CONTENT = (400, 413, 422)
"""Statuses that may be about what was asked: perhaps about one pair alone."""

SECRET = re.compile(r"(key|token|secret|password|credentials?|sig|signature)$", re.IGNORECASE)
"""Names under which a key would stand in an address, and then in every signature."""

LONGEST_WAIT = 60.0
MOST_BYTES = 50_000_000


class Http:
    """Asks a server. `mode="pairs"` posts batches of pairs, `mode="chat"` one question a pair."""

    def __init__(
        self,
        url: str,
        *,
        model: str = "",
        revision: str = "",
        mode: Mode = "pairs",
        prompt: str = PROMPT,
        choices_field: str = "",
        batch: Some = 32,
        parallel: AtOnce = 4,
        per_minute: Number = 0,
        timeout: Seconds = 120.0,
        tries: Tries = 5,
        threshold: Share = 0.5,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        _check_address(url)
        if mode not in ("pairs", "chat"):
            raise ScorerError(f"There is no mode “{mode}”; expected pairs or chat.")
        if mode == "chat" and not model:
            raise ScorerError("The mode chat needs the option model: which model is to answer.")
        if "{premise}" not in prompt or "{hypothesis}" not in prompt:
            raise ScorerError("The prompt must hold {premise} and {hypothesis}.")
        self.threshold = threshold
        self._url = url
        self._model = model
        self._revision = revision
        self._mode = mode
        self._prompt = prompt
        self._choices_field = choices_field
        self._batch = max(1, batch)
        self._parallel = max(1, parallel)
        self._timeout = timeout
        self._tries = max(1, tries)
        self._sleep = sleep
        self._pace = Pace(per_minute, sleep=sleep, clock=clock)

    @property
    def fingerprint(self) -> str:
        """The address, the model that it was asked for, and the prompt."""
        parts: list[tuple[str, object]] = [
            ("http", 1),
            ("mode", self._mode),
            ("url", self._url),
            _named("model", self._model, "default"),
            _named("rev", self._revision, "unknown"),
        ]
        if self._mode == "chat":
            made = hashlib.sha256(self._prompt.encode("utf-8", "surrogatepass")).hexdigest()[:12]
            parts += [("prompt", made), _named("choices", self._choices_field, "none")]
        return fingerprint_of(parts)

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        """A probability for each pair, in their order."""
        size = self._batch if self._mode == "pairs" else 1
        batches = [list(pairs[first : first + size]) for first in range(0, len(pairs), size)]
        ask = self._ask_pairs if self._mode == "pairs" else self._ask_chat
        with ThreadPoolExecutor(self._parallel) as threads:
            futures = [threads.submit(ask, batch) for batch in batches]
            try:
                return [score for future in futures for score in future.result()]
            except BaseException:
                for future in futures:
                    future.cancel()
                raise

    def complete(self, prompt: str, *, most_tokens: int = 256) -> str:
        """What the model writes after a prompt; in the mode chat only."""
        if self._mode != "chat":
            raise ScorerError("Only a scorer in the mode chat can write.")
        choice = self._choice(self._post(self._question(prompt, most_tokens)))
        return self._written(choice).strip()

    def _ask_pairs(self, pairs: Sequence[Pair]) -> list[float]:
        asked: dict[str, Any] = {
            "pairs": [{"premise": premise, "hypothesis": other} for premise, other in pairs]
        }
        if self._model:
            asked["model"] = self._model
        answer = self._post(asked)
        found = answer.get("probabilities") if isinstance(answer, dict) else None
        if (
            not isinstance(found, list)
            or len(found) != len(pairs)
            or not all(_is_probability(one) for one in found)
        ):
            raise self._unexpected(
                f'{{"probabilities": [{len(pairs)} numbers from 0 to 1]}}', answer
            )
        return [float(one) for one in found]

    def _ask_chat(self, pairs: Sequence[Pair]) -> list[float]:
        ((premise, hypothesis),) = pairs
        before, _, rest = self._prompt.partition("{premise}")
        between, _, after = rest.partition("{hypothesis}")
        asked = self._question(f"{before}{premise}{between}{hypothesis}{after}", 1)
        asked |= {"logprobs": True, "top_logprobs": 20}
        if self._choices_field:
            asked[self._choices_field] = ["Yes", "No"]
        choice = self._choice(self._post(asked))
        return [self._yes(self._written(choice), self._likeliest(choice), choice)]

    def _choice(self, answer: object) -> dict[str, Any]:
        """What a chat server answered first."""
        choices = answer.get("choices") if isinstance(answer, dict) else None
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise self._unexpected("an object as choices[0]", answer)
        return choices[0]

    def _written(self, choice: dict[str, Any]) -> str:
        message = choice.get("message")
        content = message.get("content", 0) if isinstance(message, dict) else 0
        if content is not None and not isinstance(content, str):
            raise self._unexpected("a text as choices[0].message.content", choice)
        return content or ""

    def _likeliest(self, choice: dict[str, Any]) -> list[tuple[str, float]]:
        """The likeliest first tokens with their probabilities; none where the server names none.

        A server that knows nothing of them leaves them out or sends null at any level.
        """
        logprobs = choice.get("logprobs")
        if logprobs is None:
            return []
        places = logprobs.get("content", []) if isinstance(logprobs, dict) else 0
        if places is None or places == []:
            return []
        first = places[0] if isinstance(places, list) else 0
        listed = first.get("top_logprobs") if isinstance(first, dict) else 0
        if listed is None:
            return []
        if not isinstance(listed, list):
            raise self._unexpected("a list as choices[0].logprobs.content[0].top_logprobs", choice)
        return [self._weighed(one) for one in listed]

    def _weighed(self, one: object) -> tuple[str, float]:
        """A token and its probability."""
        token, logprob = (one.get("token"), one.get("logprob")) if isinstance(one, dict) else (0, 0)
        if not isinstance(token, str) or not _is_logprob(logprob):
            raise self._unexpected(
                "a text as token and a number up to 0 as logprob in each of top_logprobs", one
            )
        return token, math.exp(min(0.0, logprob))

    def _yes(self, written: str, listed: Sequence[tuple[str, float]], answer: object) -> float:
        """Yes against No among the likeliest first words; without those, what was written."""
        share = {"yes": 0.0, "no": 0.0}
        for token, probability in listed:
            if _word(token) in share:
                share[_word(token)] += probability
        if sum(share.values()):
            return share["yes"] / sum(share.values())
        if _word(written) not in share:
            raise self._unexpected("Yes or No", answer)
        return float(_word(written) == "yes")

    def _question(self, prompt: str, most_tokens: int) -> dict[str, Any]:
        return {
            "model": self._model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": most_tokens,
        }

    def _post(self, asked: object) -> Any:
        """Post until there is an answer, waiting longer every time, or say why there is none."""
        body = json.dumps(asked).encode()
        for attempt in range(self._tries):
            self._pace.wait()
            try:
                return self._post_once(body)
            except _LaterError as problem:
                last = problem
            if attempt + 1 < self._tries:
                self._sleep(min(LONGEST_WAIT, max(last.after, 2.0**attempt)))
        tries = "one try" if self._tries == 1 else f"{self._tries} tries"
        raise ScorerError(
            f"{self._url} gave no answer after {tries}: {last}. "
            "What was answered before is kept; start again when the server can be reached."
        )

    def _post_once(self, body: bytes) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key := os.environ.get(KEY, "").strip():
            if not (key.isascii() and key.isprintable()):
                raise ScorerError(
                    f"The environment variable {KEY} holds signs that no key can have: expected "
                    "letters, digits and other printable ASCII signs."
                )
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self._url, body, headers)  # noqa: S310 checked above
        try:
            with _OPENER.open(request, timeout=self._timeout) as response:
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
            raise ScorerError(f"{self._url} answered with more than {MOST_BYTES:,} bytes.")
        try:
            return json.loads(text)
        except RecursionError:
            raise self._unexpected("JSON", "values nested too deeply to be read") from None
        except ValueError:
            raise self._unexpected("JSON", text[:200].decode("utf-8", "replace")) from None

    def _refusal(self, status: int, said: str) -> str:
        if status in (401, 403):
            return (
                f"{self._url} refused the key (status {status}). "
                f"Set the environment variable {KEY} to a key that it accepts."
            )
        if 300 <= status < 400:
            return f"{self._url} sends elsewhere (status {status}); give the final address."
        return f"{self._url} refused the request (status {status}): {said}"

    def _unexpected(self, expected: str, found: object) -> ScorerError:
        try:
            shown = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        except RecursionError:
            shown = "values nested too deeply to be shown"
        return ScorerError(f"{self._url} should answer with {expected}, but sent: {shown[:200]}")


class Pace:
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


def _named(name: str, value: str, otherwise: str) -> tuple[str, str]:
    """A part of the fingerprint. A value that reads like none being given has another name."""
    return (f"given {name}" if value == otherwise else name, value or otherwise)


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


def _word(text: str) -> str:
    return text.strip().strip(".,!\"'*").casefold()


def _is_probability(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_logprob(value: object) -> TypeGuard[float]:
    """A finite number up to 0; some servers round to a little more."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -1e9 < value < 0.01
