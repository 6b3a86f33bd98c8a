"""Asking several questions of a server at a time, in threads that nobody waits for in vain."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Event, Lock
from time import monotonic
from typing import Generic, TypeVar

from annotate.outgoing import EVERY, look, looking, wait

Question = TypeVar("Question")
Answer = TypeVar("Answer")

LAST_WORDS = 20.0
"""Seconds in which what is under way may still be answered, where an answer is kept in any case."""


MOMENT = 0.05
"""Seconds in which answers that come one after the other are taken together."""


class Enough(Exception):  # noqa: N818
    """Nothing further is to begin; what is under way is to be answered, however long it takes."""


class _Over(Exception):  # noqa: N818
    """Nobody waits for the answers any more."""


def each(
    ask: Callable[[Question], Answer], questions: Sequence[Question], *, at_once: int
) -> list[Answer]:
    """An answer to each question, in their order; so many are asked at a time."""
    found: dict[int, Answer] = {}
    numbered = enumerate(questions)
    for some in together(lambda one: (one[0], ask(one[1])), numbered, at_once=lambda: at_once):
        found.update(some)
    return [found[place] for place in range(len(questions))]


def together(
    ask: Callable[[Question], Answer],
    questions: Iterable[Question],
    *,
    at_once: Callable[[], int],
    late: Callable[[list[Answer]], object] | None = None,
    ahead: Callable[[Answer], bool] = lambda answer: True,
) -> Generator[list[Answer], None, None]:
    """Answers as soon as they are there, those of a moment together. No more than `at_once` says
    now are asked at a time. As many more of `questions` are looked at beforehand, so that whoever
    has an answer asks the next one at once, unless that answer says otherwise (`ahead`): then
    nothing further begins before it was given out. Twice as many as `at_once` says are begun and
    not done with, at most, whatever becomes of answers and however long that takes: so many are
    lost where a process is killed. Where `at_once` says that it is `Enough`, that is raised once
    all that is under way was given out.

    Where one fails, or somebody breaks it off, the threads are left to themselves: each ends as
    soon as it looks, and none holds up whoever asked. With `late`, those that are under way are
    waited for a little, and what they bring is handed over there.
    """
    threads = _Threads(ask, ahead)
    open_ones = iter(questions)
    answered: list[Answer] = []
    enough: Enough | None = None
    try:
        while True:
            try:
                most = 0 if enough else at_once()
            except Enough as end:
                enough, most = end, 0
            threads.allow(most)
            while threads.ready < most and (some := list(islice(open_ones, 1))):
                threads.add(*some)
            if not threads.busy:
                if enough is not None:
                    raise enough
                if most > 0:
                    return
                wait(EVERY)
                continue
            done = threads.done_within(EVERY)
            if not done:
                look()
            # What was answered first: where another one failed, nothing comes after it.
            if given := (answered := _answers(done)):
                answered = []
                yield given
            for _, problem in done:
                if problem is not None and not isinstance(problem, _Over):  # another one says why
                    raise problem
    finally:
        threads.close()
        if late is not None and (given := answered + _answers(threads.last_words())):
            late(given)
        threads.leave()


class _Threads(Generic[Question, Answer]):
    """Questions that are being asked, each in a thread of its own, and those that are ready."""

    def __init__(self, ask: Callable[[Question], Answer], ahead: Callable[[Answer], bool]) -> None:
        self._ask = ask
        self._ahead = ahead
        self._pool = ThreadPoolExecutor(MOST_THREADS)
        self._over = Event()
        self._changing = Lock()
        self._ready: deque[Question] = deque()
        self._most = self._under_way = 0
        self._answered = self._given = 0
        """Of what is not done with: what was answered, and what of it was given out."""

        self._closed = self._held = False
        self._done: SimpleQueue[Done[Answer]] = SimpleQueue()

    @property
    def ready(self) -> int:
        """How many could begin."""
        return len(self._ready)

    @property
    def busy(self) -> bool:
        """Whether anything is under way, ready or not given out yet."""
        with self._changing:
            return bool(self._under_way or (self._most and self._ready) or not self._done.empty())

    def allow(self, most: int) -> None:
        """What was given out is done with, and so many may be under way from now on; none where an
        answer has come meanwhile that must be given out first."""
        with self._changing:
            self._answered -= self._given
            self._given = 0
            self._most = 0 if self._held else most
            self._begin()

    def add(self, question: Question) -> None:
        """One more to ask, at once where there is room."""
        with self._changing:
            self._ready.append(question)
            self._begin()

    def done_within(self, seconds: float) -> list["Done[Answer]"]:
        """What is done as soon as one is, and in a moment after it, as long as others are ready to
        be asked meanwhile and no more are done than are asked at a time; nothing after so many
        seconds."""
        found = self._taken(seconds, 1)
        ends = monotonic() + MOMENT
        while 0 < len(found) < self._most and self._ready and (left := ends - monotonic()) > 0:
            found += self._taken(left, 1)
        with self._changing:
            self._held = False
            found += self._taken(0, self._done.qsize())
            self._given = len(found)
            return found

    def last_words(self) -> list["Done[Answer]"]:
        """What was under way, as far as it is done soon."""
        found: list[Done[Answer]] = []
        ends = monotonic() + LAST_WORDS
        while (self._under_way or not self._done.empty()) and (left := ends - monotonic()) > 0:
            found += self._taken(min(left, EVERY), 1)
        return found

    def _taken(self, seconds: float, most: int) -> list["Done[Answer]"]:
        found: list[Done[Answer]] = []
        with suppress(Empty):
            while len(found) < most:
                found.append(self._done.get(timeout=seconds))
        return found

    def close(self) -> None:
        """Nothing further begins."""
        with self._changing:
            self._closed = True

    def leave(self) -> None:
        """Leave the rest to themselves."""
        self._over.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _begin(self) -> None:
        while (question := self._next()) is not None:
            self._under_way += 1
            self._pool.submit(self._ask_on, *question)

    def _next(self) -> tuple[Question] | None:
        is_full = self._under_way + self._answered >= 2 * self._most
        if self._closed or not self._ready or self._under_way >= self._most or is_full:
            return None
        return (self._ready.popleft(),)

    def _ask_on(self, question: Question) -> None:
        """Ask this one, then what is ready."""
        found: tuple[Question] | None = (question,)
        while found is not None:
            answer, problem = self._asked(*found)
            with self._changing:
                self._under_way -= 1
                self._answered += 1
                self._done.put((answer, problem))
                if problem is not None:
                    self._closed = True
                elif not self._ahead(*answer):
                    self._most, self._held = 0, True
                found = self._next()
                self._under_way += found is not None

    def _asked(self, question: Question) -> "Done[Answer]":
        try:
            if self._closed:
                raise _Over
            with looking(self._unless_over):
                return (self._ask(question),), None
        except BaseException as problem:  # noqa: BLE001 whoever waits hears of it
            return (), problem

    def _unless_over(self) -> None:
        if self._over.is_set():
            raise _Over


Done = tuple[tuple[Answer, ...], BaseException | None]
"""An answer, or why there is none."""


def _answers(done: Iterable[Done[Answer]]) -> list[Answer]:
    return [one for answer, _ in done for one in answer]


MOST_THREADS = 64
"""As many as anybody may ask at a time."""
