"""Puts questions to a language model: each call once, kept before anything is made of it."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Protocol

from evaluation.asking.prompts import Prompt, Style, prompt_for
from evaluation.asking.replies import CANNOT, Answered, UnreadableError, read_reply, schema_of
from evaluation.asking.speaker import Speaker
from evaluation.asking.speech import Reply
from evaluation.entailment.asker import FAILED, REASON_CHARS, TOO_MANY, Count
from evaluation.entailment.loading import PairError, ScorerError
from evaluation.entailment.parallel import as_answered
from evaluation.judges.items import Asked, Item

UNREADABLE = "the model's answer cannot be read"
ASKED, REPAIRED = "questions", "repairs"
"""The waves of calls."""

CHARS_OF_TOKEN = 4
"""About so many in most languages with spaces; for estimates."""

SHOWN = 2_000
"""So much of an unreadable answer is shown to the model that is to repair it."""


class Calls(Protocol):
    """Keeps what models answered."""

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> Mapping[str, Reply]:
        """Those that are known."""
        ...

    def put(self, fingerprint: str, digest: str, reply: Reply) -> None:
        """Keep one for good, at once."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a unit of an item."""

    item: Item
    asked: Asked


@dataclass(frozen=True, slots=True)
class _Call:
    prompt: Prompt
    schema: dict[str, Any]

    @property
    def digest(self) -> str:
        said = json.dumps([self.prompt.system, self.prompt.user, self.schema])
        return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


Outcome = Answered | str
"""An answer, or the reason why there is none."""


class ModelAsker:
    """Asks a model about units, several at a time, and counts calls and tokens, wave by wave."""

    lengths = None

    def __init__(
        self,
        speaker: Speaker,
        calls: Calls,
        style: Style,
        *,
        guidelines: str = "",
        at_once: int = 4,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        self.scorer = speaker
        self.style = style
        self.guidelines = guidelines
        self.counts: dict[str, Count] = {}
        self.tokens = [0, 0]
        """Those asked and written in calls that were made here."""

        self.seconds = 0.0
        self._calls = calls
        self._at_once = max(1, at_once)
        self._progress = progress
        self._worked = False

    def answer(self, questions: Sequence[Question]) -> list[Outcome]:
        """What the model says to each question, in their order."""
        calls = [self._call(question) for question in questions]
        replies = self._replies(calls, ASKED)
        found = [self._read(q, reply) for q, reply in zip(questions, replies, strict=True)]
        wrong = [place for place, one in enumerate(found) if isinstance(one, UnreadableError)]
        repairs = [
            _repair(calls[place], _text_of(replies[place]), str(found[place])) for place in wrong
        ]
        for place, reply in zip(wrong, self._replies(repairs, REPAIRED), strict=True):
            found[place] = self._read(questions[place], reply)
        return [f"{UNREADABLE}: {one}" if isinstance(one, Exception) else one for one in found]

    def count(self, questions: Sequence[Question]) -> int:
        """Count calls, where nothing is asked yet; about how many tokens the new ones ask."""
        by_digest = {call.digest: call for call in map(self._call, questions)}
        known = self._calls.get_many(self.scorer.fingerprint, list(by_digest))
        count = self.counts.setdefault(ASKED, Count())
        count.asked += len(questions)
        count.unique += len(by_digest)
        count.cached += len(known)
        new = (call for digest, call in by_digest.items() if digest not in known)
        return sum(len(c.prompt.system) + len(c.prompt.user) for c in new) // CHARS_OF_TOKEN

    def _call(self, question: Question) -> _Call:
        asked, style = question.asked, self.style
        prompt = prompt_for(style, question.item, asked, self.guidelines)
        numbers = [passage.number for passage in asked.passages]
        shares = self._asks_shares(asked)
        schema = schema_of(asked.dimension, numbers, reason_first=style.reason_first, shares=shares)
        return _Call(prompt, schema)

    def _asks_shares(self, asked: Asked) -> bool:
        return self.style.shares and asked.dimension.is_choice

    def _read(self, question: Question, reply: Reply | str) -> Outcome | UnreadableError:
        if isinstance(reply, str):
            return reply
        if reply.why:
            return reply.why
        asked = question.asked
        passages = {passage.number: passage.text for passage in asked.passages}
        try:
            shares = self._asks_shares(asked)
            return read_reply(asked.dimension, reply.text, asked.text, passages, shares=shares)
        except UnreadableError as error:
            return error

    def _replies(self, calls: Sequence[_Call], wave: str) -> list[Reply | str]:
        """What was answered to each call, now or before; or why it has no answer."""
        by_digest = {call.digest: call for call in calls}
        known: dict[str, Reply | str] = {
            **self._calls.get_many(self.scorer.fingerprint, list(by_digest))
        }
        missing = [call for digest, call in by_digest.items() if digest not in known]
        self._worked = self._worked or bool(known)
        count = self.counts.setdefault(wave, Count())
        count.asked += len(calls)
        count.unique += len(by_digest)
        count.cached += len(by_digest) - len(missing)
        done = len(by_digest) - len(missing)
        self._tell(wave, done, len(by_digest))
        for call, reply in self._made(missing):
            known[call.digest] = reply
            if isinstance(reply, str):
                count.failed += 1
            else:
                count.computed += 1
            done += 1
            self._tell(wave, done, len(by_digest))
        return [known[call.digest] for call in calls]

    def _made(self, calls: Sequence[_Call]) -> Iterator[tuple[_Call, Reply | str]]:
        """Calls as they are answered, each kept first."""
        began, failed = time.perf_counter(), 0
        for place, reply in as_answered(self._ask, calls, at_once=self._at_once):
            call = calls[place]
            if isinstance(reply, Reply):
                self._calls.put(self.scorer.fingerprint, call.digest, reply)
                self.tokens = [self.tokens[0] + reply.asked, self.tokens[1] + reply.written]
                self._worked = True
            else:
                failed += 1
                if failed >= TOO_MANY and not self._worked:
                    raise ScorerError(f"{reply} So it was with the first {failed} questions.")
            self.seconds += time.perf_counter() - began
            began = time.perf_counter()
            yield call, reply

    def _ask(self, call: _Call) -> Reply | str:
        try:
            return self.scorer.ask(call.prompt, call.schema)
        except PairError as problem:
            return f"{FAILED}: {problem}"[:REASON_CHARS]

    def _tell(self, wave: str, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress(wave, done, total)


def _text_of(reply: Reply | str) -> str:
    return reply if isinstance(reply, str) else reply.text


def _repair(call: _Call, written: str, fault: str) -> _Call:
    """The same question, with what was written and what is wrong with it."""
    more = (
        f"\n\nYour answer before was:\n\n{written[:SHOWN]}\n\nIt could not be read: {fault} "
        "Answer again, in the form that is asked for."
    )
    return replace(call, prompt=replace(call.prompt, user=call.prompt.user + more))


def why_not(outcome: Outcome) -> str:
    """Why a question has no value; empty where it has one."""
    if isinstance(outcome, str):
        return outcome[:REASON_CHARS]
    return "" if outcome.value else CANNOT
