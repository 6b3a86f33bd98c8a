"""What the prompts of all systems share. Raise `VERSION` when you change a word here.

The papers fix the content and the order of a prompt; the words are Attest's own.
"""

import re
from collections.abc import Callable, Sequence

from evaluation.generating.systems.context_window import FittedPassage
from evaluation.generating.systems.demonstrations import Demonstration
from evaluation.language_models.asking.prompts import Prompt

VERSION = 1

NEXT = "\nQuestion:"
"""An answer ends where the model continues with a question of its own."""

HEADING = re.compile(r"^\**Answer\**:\**")

BETWEEN = "\n\n\n"

CITED = (
    "Write an accurate, engaging and concise answer to the question, in one paragraph. Use nothing "
    "but the documents that are given with it; some of them may be irrelevant. Cite what supports "
    "each sentence at its end, as [1][2]: at least one document and at most three for each "
    "sentence. Where several documents support it, cite the smallest set that suffices. Keep a "
    "neutral tone."
)
BARE = (
    "Write an accurate, engaging and concise answer to the question, in one paragraph, from what "
    "you know. Keep a neutral tone."
)

LISTED = (
    "List accurate answers to the question, as many as there are; of more than five at least five. "
    "Use nothing but the documents that are given with it; some of them may be irrelevant. "
    "Separate the answers by commas, and write no sentence around them. After each answer cite the "
    "one document that supports it, as [1]."
)
BARE_LISTED = (
    "List accurate answers to the question from what you know, as many as there are; of more than "
    "five at least five. Separate the answers by commas, and write no sentence around them."
)


def document(number: int, one: FittedPassage) -> str:
    """Return a passage as prompts show it."""
    return f"Document [{number}](Title: {one.found.title}): {' '.join(one.text.split())}"


def documents(shown: Sequence[FittedPassage]) -> str:
    """Return several passages, numbered from 1."""
    return "\n".join(document(number, one) for number, one in enumerate(shown, 1))


def demonstrated(one: Demonstration, shorten: str) -> list[FittedPassage]:
    """Return the passages of a demonstration, shown like those of the question."""
    return [FittedPassage(each.found, each.shown(shorten)) for each in one.documents]


def block(question: str, shown: Sequence[FittedPassage], answer: str) -> str:
    """Return a question with its passages and its answer, which may be empty."""
    parts = [f"Question: {question}", documents(shown), f"Answer: {answer}".rstrip()]
    return "\n\n".join(filter(None, parts))


def with_documents(
    task: str, demonstrations: Sequence[Demonstration], question: str, shorten: str = ""
) -> Callable[[Sequence[FittedPassage]], Prompt]:
    """Return a function that makes the prompt with some passages after the demonstrations."""
    before = [block(one.question, demonstrated(one, shorten), one.answer) for one in demonstrations]

    def make(shown: Sequence[FittedPassage]) -> Prompt:
        return Prompt(task, BETWEEN.join([*before, block(question, shown, "")]))

    return make


def answered(text: str) -> str:
    """Return what a model wrote, without a repeated heading."""
    return HEADING.sub("", text.strip(), count=1).strip()
