"""Many talks at once: each goes on as soon as it has heard what it asked, and others begin."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from evaluation.asking.calling import Call, Caller
from evaluation.asking.scores import Manner
from evaluation.asking.speech import CUT, Reply
from evaluation.entailment import ScorerError
from evaluation.generating.talks import Ask, Heard, Talk, UnansweredError, Written

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
