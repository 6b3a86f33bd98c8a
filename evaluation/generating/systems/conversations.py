"""Conversations with a language model about one question, many at the same time.

A conversation is a generator. It yields the calls to make at the same time, is sent their answers,
and returns the written answer.
"""

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotate.formats.records import QuestionRecord
from annotate.text.search_result import Found
from evaluation.judges.entailment import ScorerError
from evaluation.language_models.asking.calling import Call, Caller
from evaluation.language_models.asking.prompts import Prompt
from evaluation.language_models.asking.scores import SamplingParams
from evaluation.language_models.asking.server_apis import CUT, Reply


@dataclass(frozen=True, slots=True)
class Ask:
    """One call: its prompt, and what ends the answer.

    A call that is not `drawn` has no randomness, and is therefore the same for every seed and
    sample.
    """

    prompt: Prompt
    stop: tuple[str, ...] = ()
    drawn: bool = True
    is_whole: Callable[[str], bool] = lambda text: False
    """Whether a text that was cut off has everything that is needed."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The answer of a model, or why there is none."""

    text: str
    why: str = ""
    is_cut: bool = False
    """Whether the limit of one call ended it."""


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """An answer with its passages, numbered from 1, and notes on its making."""

    output: str
    passages: tuple[Found, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subject:
    """A question and the passages found for it, the best first."""

    question: QuestionRecord
    found: tuple[Found, ...] = ()


Conversation = Generator[Sequence[Ask], Sequence[ModelAnswer], WrittenAnswer]
Exchange = Generator[Sequence[Ask], Sequence[ModelAnswer], Any]

Search = Callable[[str, int], Sequence[Found]]
"""Return the best passages for a query."""

PageLookup = Callable[[str, str], Sequence[Found]]


class UnansweredError(Exception):
    """The model gave no answer, or cannot be asked; the message says why."""


def ask(one: Ask) -> Generator[Sequence[Ask], Sequence[ModelAnswer], str]:
    """Make one call and return its answer."""
    (heard,) = yield [one]
    if heard.why:
        raise UnansweredError(heard.why)
    return heard.text.strip()


NO_ANSWER = "no_answer"
"""The note of why there is no answer."""

CUT_OFF, SHORT_FORMS_CUT_OFF = "cut_off", "short_forms_cut_off"
"""The notes of how many calls ended at their limit: of answers, and of short forms."""

UNREADABLE = "what the model said could not be read"


@dataclass(slots=True)
class _Turn:
    """The calls that a conversation waits for."""

    conversation: Conversation
    asked: Sequence[Ask] = ()
    heard: list[ModelAnswer | None] = field(default_factory=list)
    cut: Counter[str] = field(default_factory=Counter)


class _Conversations:
    """The calls of conversations, as an iterator that continues after it has ended.

    The next calls of a conversation come before the first ones of another.
    """

    def __init__(
        self,
        conversations: Iterable[tuple[int, Conversation]],
        sampling: Callable[[int, Ask], SamplingParams],
        done: Callable[[int, WrittenAnswer], object],
    ) -> None:
        self._fresh = iter(conversations)
        self._manner = sampling
        self._done = done
        self._turns: dict[int, _Turn] = {}
        self._where: list[tuple[int, int]] = []
        """By the place of a call: its conversation, and its place among several."""

        self._next: deque[tuple[int, Call]] = deque()

    def __iter__(self) -> "_Conversations":
        return self

    def __next__(self) -> tuple[int, Call]:
        while not self._next:
            key, conversation = next(self._fresh)
            self._go_on(key, _Turn(conversation), None)
        return self._next.popleft()

    def hear(self, place: int, reply: Reply | str) -> None:
        """Take the answer to a call. A reply that was cut off is an answer."""
        key, at = self._where[place]
        turn = self._turns[key]
        turn.heard[at] = said = _heard(reply)
        asked = turn.asked[at]
        if said.is_cut and not asked.is_whole(said.text):
            turn.cut[CUT_OFF if asked.drawn else SHORT_FORMS_CUT_OFF] += 1
        heard = [one for one in turn.heard if one is not None]
        if len(heard) == len(turn.heard):
            del self._turns[key]
            self._go_on(key, turn, heard)

    def _go_on(self, key: int, turn: _Turn, heard: Sequence[ModelAnswer] | None) -> None:
        try:
            asked = next(turn.conversation) if heard is None else turn.conversation.send(heard)
            while not asked:
                asked = turn.conversation.send([])
        except StopIteration as end:
            self._end(key, turn, end.value)
            return
        except UnansweredError as why:
            self._end(key, turn, WrittenAnswer("", notes={NO_ANSWER: str(why)}))
            return
        except ScorerError:  # a failed search is not the fault of one question
            raise
        except ValueError as fault:
            self._end(key, turn, WrittenAnswer("", notes={NO_ANSWER: f"{UNREADABLE} ({fault})"}))
            return
        turn.asked, turn.heard = asked, [None] * len(asked)
        self._turns[key] = turn
        for at, one in enumerate(asked):
            self._where.append((key, at))
            self._next.append(
                (len(self._where) - 1, Call(one.prompt, None, self._manner(key, one)))
            )

    def _end(self, key: int, turn: _Turn, written: WrittenAnswer) -> None:
        self._done(key, replace(written, notes={**written.notes, **turn.cut}))


def _heard(reply: Reply | str) -> ModelAnswer:
    if isinstance(reply, str):
        return ModelAnswer("", reply)
    is_cut = reply.why == CUT
    return ModelAnswer(reply.text, "" if is_cut else reply.why, is_cut)


def run_conversations(
    caller: Caller,
    wave: str,
    conversations: Iterable[tuple[int, Conversation]],
    sampling: Callable[[int, Ask], SamplingParams],
    done: Callable[[int, WrittenAnswer], object],
) -> None:
    """Have all conversations, several calls at a time.

    `done` is called with each result and its key. `sampling` says how a call is made.
    """
    having = _Conversations(conversations, sampling, done)
    caller.make(wave, having, having.hear)
