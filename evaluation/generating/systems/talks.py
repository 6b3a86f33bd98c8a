"""A talk with a language model about one question: what is asked next hangs on what it said.

A talk is a generator. It yields what is to be asked at the same time, is sent what was said to it,
and returns what was written. Whoever has it made decides when; many talks go on side by side.
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
from evaluation.language_models.asking.scores import Manner
from evaluation.language_models.asking.speech import CUT, Reply


@dataclass(frozen=True, slots=True)
class Ask:
    """One call: what is said, and what ends the answer. What is not `drawn` is said with no
    chance in it, and so is the same for every seed and sample."""

    prompt: Prompt
    stop: tuple[str, ...] = ()
    drawn: bool = True
    is_whole: Callable[[str], bool] = lambda text: False
    """Whether all that is wanted was said, whatever was cut off behind it."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a model said, or why it said nothing."""

    text: str
    why: str = ""
    is_cut: bool = False
    """Whether the limit of what one call writes ended it."""


@dataclass(frozen=True, slots=True)
class Written:
    """An answer with its passages, numbered from 1 on, and what is worth noting of the way to
    it."""

    output: str
    passages: tuple[Found, ...] = ()
    noted: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subject:
    """A question and the passages that were found for it, the best first."""

    question: QuestionRecord
    found: tuple[Found, ...] = ()


Talk = Generator[Sequence[Ask], Sequence[Heard], Written]
Part = Generator[Sequence[Ask], Sequence[Heard], Any]

Search = Callable[[str, int], Sequence[Found]]
"""The best passages for a query, wherever passages are searched."""

OfPage = Callable[[str, str], Sequence[Found]]


class UnansweredError(Exception):
    """The model gave no answer, or can be asked none; says why."""


def ask(one: Ask) -> Generator[Sequence[Ask], Sequence[Heard], str]:
    """What is said to one call."""
    (heard,) = yield [one]
    if heard.why:
        raise UnansweredError(heard.why)
    return heard.text.strip()


NO_ANSWER = "no_answer"
"""In what is noted of an answer: why there is none."""

CUT_OFF, SHORT_FORMS_CUT_OFF = "cut_off", "short_forms_cut_off"
"""The same: how many calls ended at the limit of what one writes, of the answer, and of those that
made passages shorter."""

UNREADABLE = "what the model said could not be read"


@dataclass(slots=True)
class _Turn:
    """What a talk waits for."""

    talk: Talk
    asked: Sequence[Ask] = ()
    heard: list[Heard | None] = field(default_factory=list)
    cut: Counter[str] = field(default_factory=Counter)


class _Talks:
    """The calls of talks, as an iterator that goes on after it has ended: what a talk says next
    comes before what another one begins with."""

    def __init__(
        self,
        talks: Iterable[tuple[int, Talk]],
        manner: Callable[[int, Ask], Manner],
        done: Callable[[int, Written], object],
    ) -> None:
        self._fresh = iter(talks)
        self._manner = manner
        self._done = done
        self._turns: dict[int, _Turn] = {}
        self._where: list[tuple[int, int]] = []
        """By the place of a call: which talk asked it, and as which of several."""

        self._next: deque[tuple[int, Call]] = deque()

    def __iter__(self) -> "_Talks":
        return self

    def __next__(self) -> tuple[int, Call]:
        while not self._next:
            key, talk = next(self._fresh)
            self._go_on(key, _Turn(talk), None)
        return self._next.popleft()

    def hear(self, place: int, reply: Reply | str) -> None:
        """What was answered to a call. An answer that was cut off is one; none at all is not."""
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

    def _go_on(self, key: int, turn: _Turn, heard: Sequence[Heard] | None) -> None:
        try:
            asked = next(turn.talk) if heard is None else turn.talk.send(heard)
            while not asked:
                asked = turn.talk.send([])
        except StopIteration as end:
            self._end(key, turn, end.value)
            return
        except UnansweredError as why:
            self._end(key, turn, Written("", noted={NO_ANSWER: str(why)}))
            return
        except ScorerError:  # what searches cannot: that is no matter of one question
            raise
        except ValueError as fault:
            self._end(key, turn, Written("", noted={NO_ANSWER: f"{UNREADABLE} ({fault})"}))
            return
        turn.asked, turn.heard = asked, [None] * len(asked)
        self._turns[key] = turn
        for at, one in enumerate(asked):
            self._where.append((key, at))
            self._next.append(
                (len(self._where) - 1, Call(one.prompt, None, self._manner(key, one)))
            )

    def _end(self, key: int, turn: _Turn, written: Written) -> None:
        self._done(key, replace(written, noted={**written.noted, **turn.cut}))


def _heard(reply: Reply | str) -> Heard:
    if isinstance(reply, str):
        return Heard("", reply)
    is_cut = reply.why == CUT
    return Heard(reply.text, "" if is_cut else reply.why, is_cut)


def converse(
    caller: Caller,
    wave: str,
    talks: Iterable[tuple[int, Talk]],
    manner: Callable[[int, Ask], Manner],
    done: Callable[[int, Written], object],
) -> None:
    """Have all talks, several calls at a time; `done` hears of each, by its key. `manner` says how
    a call of a talk is made."""
    having = _Talks(talks, manner, done)
    caller.make(wave, having, having.hear)
