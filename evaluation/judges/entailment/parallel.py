"""Ask a server several questions at a time, in threads that can be abandoned."""

from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from itertools import islice
from threading import Event
from typing import TypeVar

from annotate.work.outgoing import EVERY, look, looking

Question = TypeVar("Question")
Answer = TypeVar("Answer")

GRACE_SECONDS = 20.0
"""Seconds to wait for open answers if answers are stored in any case."""

MOST_THREADS = 64
"""Largest number of parallel questions."""


class StopAsking(Exception):  # noqa: N818
    """Nothing further may begin; open questions are to be answered, however long it takes."""


class _Over(Exception):  # noqa: N818
    """Nobody waits for the answers any more."""


def each(
    ask: Callable[[Question], Answer], questions: Sequence[Question], *, at_once: int
) -> list[Answer]:
    """Return the answer to each question, in order; `at_once` are asked at a time."""
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
) -> Generator[list[Answer], None, None]:
    """Yield answers as they arrive, in groups if several arrive together.

    At most `at_once` questions are open; the next begins after an answer was yielded. If `at_once`
    raises `StopAsking`, that is raised after all open answers.

    If a question fails or the caller stops, the threads are abandoned and end when they next check.
    With `late`, open answers are awaited briefly and passed to it.
    """
    pool, over = ThreadPoolExecutor(MOST_THREADS), Event()
    open_ones = iter(questions)
    under_way: set[Future[Answer]] = set()
    enough: StopAsking | None = None

    def unless_over() -> None:
        if over.is_set():
            raise _Over

    def asked(question: Question) -> Answer:
        with looking(unless_over):
            return ask(question)

    try:
        while True:
            most = 0
            if enough is None:
                try:
                    most = at_once()
                except StopAsking as end:
                    enough = end
            for question in islice(open_ones, max(0, most - len(under_way))):
                under_way.add(pool.submit(asked, question))
            if not under_way:
                if enough is not None:
                    raise enough
                return
            done, under_way = wait_for(under_way, timeout=EVERY, return_when=FIRST_COMPLETED)
            if not done:
                look()
            if answers := _answers(done):
                yield answers
            for one in done:
                one.result()
    finally:
        if late is not None and (answers := _answers(wait_for(under_way, GRACE_SECONDS).done)):
            late(answers)
        over.set()
        pool.shutdown(wait=False)


def _answers(done: Iterable[Future[Answer]]) -> list[Answer]:
    return [one.result() for one in done if one.exception() is None]
