"""A scorer behind an address: Attest's own JSON form, or OpenAI's chat form.

Both are described in docs/entailment.md.
"""

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from annotate.work.outgoing import wait
from evaluation.judges.entailment.door import OpenDoor, ScorerMode, own_door
from evaluation.judges.entailment.loading import (
    AtOnce,
    Number,
    ScorerError,
    Seconds,
    Share,
    Together,
    Tries,
)
from evaluation.judges.entailment.parallel import each
from evaluation.judges.entailment.posting import Server
from evaluation.judges.entailment.scorer import Pair, fingerprint_of

PROMPT = (
    "Does the premise fully support the hypothesis? Everything that the hypothesis says must "
    "follow from the premise alone, without other knowledge. Answer with one word, Yes or No.\n\n"
    "Premise:\n{premise}\n\nHypothesis:\n{hypothesis}\n\nAnswer (Yes or No):"
)

MOST_ASKED = 2_000_000
"""Characters asked about at a time, unless one pair has more."""


class Http:
    """Asks a server. `mode="pairs"` posts batches of pairs, `mode="chat"` one question a pair."""

    def __init__(
        self,
        url: str,
        *,
        model: str = "",
        revision: str = "",
        mode: ScorerMode = "pairs",
        prompt: str = PROMPT,
        choices_field: str = "",
        batch: Together = 32,
        parallel: AtOnce = 4,
        per_minute: Number = 0,
        timeout: Seconds = 120.0,
        tries: Tries = 5,
        threshold: Share = 0.5,
        door: OpenDoor = own_door,
        sleep: Callable[[float], None] = wait,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server = Server(
            door(url), timeout=timeout, tries=tries, per_minute=per_minute, sleep=sleep, clock=clock
        )
        if mode == "chat" and not model:
            raise ScorerError("The mode chat needs the option model: which model is to answer.")
        if "{premise}" not in prompt or "{hypothesis}" not in prompt:
            raise ScorerError("The prompt must hold {premise} and {hypothesis}.")
        self.threshold = threshold
        self._model = model
        self._revision = revision
        self._mode = mode
        self._prompt = prompt
        self._choices_field = choices_field
        self._batch = max(1, batch)
        self._parallel = max(1, parallel)

    @property
    def fingerprint(self) -> str:
        """Name the address or connection, the model, and the prompt."""
        parts: list[tuple[str, object]] = [
            ("http", 1),
            ("mode", self._mode),
            *self._server.door.identity,
            _named("model", self._model, "default"),
            _named("rev", self._revision, "unknown"),
        ]
        if self._mode == "chat":
            made = hashlib.sha256(self._prompt.encode("utf-8", "surrogatepass")).hexdigest()[:12]
            parts += [("prompt", made), _named("choices", self._choices_field, "none")]
        return fingerprint_of(parts)

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        ask = self._ask_pairs if self._mode == "pairs" else self._ask_chat
        answers = each(ask, self._batches(pairs), at_once=self._parallel)
        return [score for scores in answers for score in scores]

    def _batches(self, pairs: Sequence[Pair]) -> list[list[Pair]]:
        """Divide pairs into batches that fit into memory."""
        size = self._batch if self._mode == "pairs" else 1
        batches: list[list[Pair]] = []
        room = 0
        for pair in pairs:
            room -= len(pair[0]) + len(pair[1])
            if not batches or len(batches[-1]) == size or room < 0:
                batches.append([])
                room = MOST_ASKED - len(pair[0]) - len(pair[1])
            batches[-1].append(pair)
        return batches

    def _ask_pairs(self, pairs: Sequence[Pair]) -> list[float]:
        asked: dict[str, Any] = {
            "pairs": [{"premise": premise, "hypothesis": other} for premise, other in pairs]
        }
        if self._model:
            asked["model"] = self._model
        answer = self._server.post(asked, answers=len(pairs))
        found = answer.get("probabilities") if isinstance(answer, dict) else None
        if (
            not isinstance(found, list)
            or len(found) != len(pairs)
            or not all(_is_probability(one) for one in found)
        ):
            raise self._server.unexpected(
                f'{{"probabilities": [{len(pairs)} numbers from 0 to 1]}}', answer
            )
        return [float(one) for one in found]

    def _ask_chat(self, pairs: Sequence[Pair]) -> list[float]:
        ((premise, hypothesis),) = pairs
        before, _, rest = self._prompt.partition("{premise}")
        between, _, after = rest.partition("{hypothesis}")
        content = f"{before}{premise}{between}{hypothesis}{after}"
        asked: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "user", "content": content}],
            "temperature": 0,
            "max_tokens": 1,
            "logprobs": True,
            "top_logprobs": 20,
        }
        if self._choices_field:
            asked[self._choices_field] = ["Yes", "No"]
        return [self._answered(self._server.post(asked))]

    def _answered(self, answer: Any) -> float:
        """Return the probability of Yes in a chat server's reply."""
        try:
            choice = answer["choices"][0]
            written, listed = _written(choice), _likeliest(choice)
        except (AttributeError, IndexError, KeyError, TypeError):
            raise self._server.unexpected(
                "choices[0] with a message and, if it has them, logprobs as OpenAI's servers do",
                answer,
            ) from None
        return self._yes(written, listed, choice)

    def _yes(self, written: str, listed: Sequence[tuple[str, float]], answer: object) -> float:
        """Weigh Yes against No among the likeliest first tokens, or else read the text."""
        share = {"yes": 0.0, "no": 0.0}
        for token, probability in listed:
            if _word(token) in share:
                share[_word(token)] += probability
        if sum(share.values()):
            return share["yes"] / sum(share.values())
        if _word(written) not in share:
            raise self._server.unexpected("Yes or No", answer)
        return float(_word(written) == "yes")


def _named(name: str, value: str, otherwise: str) -> tuple[str, str]:
    """Return a part of the fingerprint. A value equal to the default's name gets another name."""
    return (f"given {name}" if value == otherwise else name, value or otherwise)


def _written(choice: dict[str, Any]) -> str:
    content = choice["message"]["content"]
    if content is not None and not isinstance(content, str):
        raise TypeError
    return content or ""


def _likeliest(choice: dict[str, Any]) -> list[tuple[str, float]]:
    """Return the likeliest first tokens with their probabilities. Servers without them omit
    them or send null at any level."""
    places = (choice.get("logprobs") or {}).get("content") or [{}]
    listed = places[0].get("top_logprobs")
    if listed is None:
        return []
    found = [(one["token"], one["logprob"]) for one in listed]
    if not isinstance(listed, list) or not all(_is_likely(*one) for one in found):
        raise TypeError
    return [(token, math.exp(min(0.0, logprob))) for token, logprob in found]


def _word(text: str) -> str:
    return text.strip().strip(".,!\"'*").casefold()


def _is_probability(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_likely(token: object, logprob: object) -> bool:
    """Return whether it is a text with a finite number up to 0, as rounded by servers."""
    if not isinstance(logprob, int | float) or isinstance(logprob, bool):
        return False
    return isinstance(token, str) and -1e9 < logprob < 0.01
