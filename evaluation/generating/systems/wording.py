"""What the prompts of all systems share. Every word that is changed here makes another `VERSION`.

The papers fix what a prompt holds and in which order; the words are Attest's own.
"""

import re
from collections.abc import Callable, Sequence

from evaluation.generating.systems.demonstrations import Demonstration
from evaluation.generating.systems.room import FittedPassage
from evaluation.language_models.asking.prompts import Prompt

VERSION = 1

NEXT = "\nQuestion:"
"""Where a model goes on to a question of its own, its answer is over."""

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
    """A passage as prompts show it."""
    return f"Document [{number}](Title: {one.found.title}): {' '.join(one.text.split())}"


def documents(shown: Sequence[FittedPassage]) -> str:
    """Several, numbered from 1 on."""
    return "\n".join(document(number, one) for number, one in enumerate(shown, 1))


def demonstrated(one: Demonstration, shorten: str) -> list[FittedPassage]:
    """The passages of a demonstration, as those of the question are shown."""
    return [FittedPassage(each.found, each.shown(shorten)) for each in one.documents]


def block(question: str, shown: Sequence[FittedPassage], answer: str) -> str:
    """A question with its passages and what was answered, or is to be."""
    parts = [f"Question: {question}", documents(shown), f"Answer: {answer}".rstrip()]
    return "\n\n".join(filter(None, parts))


def with_documents(
    task: str, demonstrations: Sequence[Demonstration], question: str, shorten: str = ""
) -> Callable[[Sequence[FittedPassage]], Prompt]:
    """The prompt that shows some passages, after the demonstrations."""
    before = [block(one.question, demonstrated(one, shorten), one.answer) for one in demonstrations]

    def make(shown: Sequence[FittedPassage]) -> Prompt:
        return Prompt(task, BETWEEN.join([*before, block(question, shown, "")]))

    return make


def answered(text: str) -> str:
    """What a model wrote, without the heading that it repeated."""
    return HEADING.sub("", text.strip(), count=1).strip()
