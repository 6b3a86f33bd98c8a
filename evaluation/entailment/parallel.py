"""Asking several questions of a server at a time, in threads that nobody waits for in vain."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice
from threading import Event
from typing import TypeVar

from annotate.outgoing import EVERY, look, looking

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class _Over(Exception):  # noqa: N818
    """Nobody waits for the answers any more."""


def each(
    ask: Callable[[Question], Answer], questions: Sequence[Question], *, at_once: int
) -> list[Answer]:
    """An answer to each question, in their order; so many are asked at a time."""
    found = dict(as_answered(ask, questions, at_once=at_once))
    return [found[place] for place in range(len(questions))]


def as_answered(
    ask: Callable[[Question], Answer], questions: Sequence[Question], *, at_once: int
) -> Iterator[tuple[int, Answer]]:
    """The place of each question and its answer, as soon as it is there. So many are asked at a
    time, and another one only when whoever waits has done with an answer.

    Where one fails, or somebody breaks it off, the threads are left to themselves: each ends as
    soon as it looks, and none holds up whoever asked.
    """
    over = Event()

    def unless_over() -> None:
        if over.is_set():
            raise _Over

    def asked(question: Question) -> Answer:
        unless_over()
        try:
            with looking(unless_over):
                return ask(question)
        except BaseException:
            over.set()  # before this thread begins with another
            raise

    threads = ThreadPoolExecutor(at_once)
    try:
        open_ones = enumerate(questions)
        waiting = {
            threads.submit(asked, question): place for place, question in islice(open_ones, at_once)
        }
        while waiting:
            done = wait(waiting, EVERY, FIRST_COMPLETED).done
            if not done:
                look()
            # What was answered first: where another one failed, nothing comes after it.
            for future in sorted(done, key=lambda one: one.exception() is not None):
                place = waiting.pop(future)
                if isinstance(future.exception(), _Over):
                    continue  # another one says why
                yield place, future.result()
                for following, question in islice(open_ones, 1):
                    waiting[threads.submit(asked, question)] = following
    finally:
        over.set()
        threads.shutdown(wait=False, cancel_futures=True)
