"""Asking several questions of a server at a time, in threads that nobody waits for in vain."""

from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as until_done
from itertools import islice
from threading import Event
from typing import Generic, TypeVar

from annotate.outgoing import EVERY, look, looking, wait

Question = TypeVar("Question")
Answer = TypeVar("Answer")

LAST_WORDS = 20.0
"""Seconds in which what is under way may still be answered, where an answer is kept in any case."""


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
    ahead: bool = True,
) -> Generator[list[Answer], None, None]:
    """Answers as soon as they are there, all that are at a time. No more than `at_once` says now
    are asked at a time; `questions` are only looked at when it is their turn. While whoever waits
    does something with answers, further ones are asked already (`ahead`), or not.

    Where one fails, or somebody breaks it off, the threads are left to themselves: each ends as
    soon as it looks, and none holds up whoever asked. With `late`, those that are under way are
    waited for a little, and what they bring is handed over there.
    """
    threads = _Threads(ask)
    open_ones = iter(questions)
    answered: list[Answer] = []

    def fill() -> int:
        room = at_once() - len(threads.waiting)
        for one in islice(open_ones, max(0, room)):
            threads.begin(one)
        return room

    try:
        while True:
            room = fill()
            if not threads.waiting:
                if room > 0:
                    return
                wait(EVERY)
                continue
            done = threads.done_within(EVERY)
            if not done:
                look()
            answered = _answers(done)
            if ahead and len(answered) == len(done):
                fill()
            # What was answered first: where another one failed, nothing comes after it.
            if given := answered:
                answered = []
                yield given
            for one in done:
                if not isinstance(one.exception(), _Over):  # another one says why
                    one.result()
    finally:
        threads.closed.set()
        if late is not None and (given := answered + _answers(threads.done_within(LAST_WORDS))):
            late(given)
        threads.leave()


class _Threads(Generic[Question, Answer]):
    """Questions that are being asked, each in a thread of its own."""

    def __init__(self, ask: Callable[[Question], Answer]) -> None:
        self._ask = ask
        self._pool = ThreadPoolExecutor(MOST_THREADS)
        self._over = Event()
        self.closed = Event()
        """Nothing further begins."""

        self.waiting: set[Future[Answer]] = set()

    def begin(self, question: Question) -> None:
        self.waiting.add(self._pool.submit(self._asked, question))

    def done_within(self, seconds: float) -> set[Future[Answer]]:
        """Those that are done as soon as one is, or all that are after so many seconds."""
        until = ALL_COMPLETED if self.closed.is_set() else FIRST_COMPLETED
        done = until_done(self.waiting, seconds, until).done
        self.waiting -= done
        return done

    def leave(self) -> None:
        """Leave the rest to themselves."""
        self._over.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _asked(self, question: Question) -> Answer:
        if self.closed.is_set():
            raise _Over
        try:
            with looking(self._unless_over):
                return self._ask(question)
        except BaseException:
            self.closed.set()  # before this thread begins with another
            raise

    def _unless_over(self) -> None:
        if self._over.is_set():
            raise _Over


def _answers(done: Iterable[Future[Answer]]) -> list[Answer]:
    return [one.result() for one in done if one.exception() is None]


MOST_THREADS = 64
"""As many as anybody may ask at a time."""
