"""Asking several questions of a server at a time, in threads that nobody waits for in vain."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
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
    """An answer to each question, in their order; so many are asked at a time.

    Where one fails, or somebody breaks it off, the threads are left to themselves: each ends as
    soon as it looks, and none holds up whoever asked.
    """
    over = Event()

    def unless_over() -> None:
        if over.is_set():
            raise _Over

    def asked(question: Question) -> Answer:
        with looking(unless_over):
            return ask(question)

    threads = ThreadPoolExecutor(at_once)
    try:
        waiting = [threads.submit(asked, question) for question in questions]
        answers = []
        for future in waiting:
            while not wait([future], EVERY).done:
                look()
            answers.append(future.result())
        return answers
    finally:
        over.set()
        threads.shutdown(wait=False, cancel_futures=True)
