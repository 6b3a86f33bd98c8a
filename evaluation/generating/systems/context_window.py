"""Fit prompts into the model's context: cut passages, from the last one on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotate.text.search_result import Found
from evaluation.generating.systems.conversations import UnansweredError
from evaluation.language_models.asking.prompts import CHARS_OF_TOKEN, Prompt

TOO_LONG = "instructions, examples and question leave too little room in what the model reads"
"""Fewer examples (`shots`, `pairs`) may leave enough."""

LEFT_OUT, SHORTENED = "left_out_for_length", "shortened_for_length"


@dataclass(frozen=True, slots=True)
class FittedPassage:
    """A passage, and the part of its text that is in a prompt."""

    found: Found
    text: str


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prompt that the model can read, its passages, and notes on the cuts."""

    prompt: Prompt
    shown: tuple[FittedPassage, ...]
    notes: dict[str, Any]


def estimated_tokens(prompt: Prompt) -> int:
    """Estimate the tokens of a prompt if the model's own count is unknown.

    It counts bytes, since most models take fewer characters to a token of scripts other than Latin.
    """
    told = prompt.system + prompt.user
    return -(-len(told.encode("utf-8", "surrogatepass")) // CHARS_OF_TOKEN)


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """How many tokens a model reads, with its way to count them; 0: unknown."""

    tokens: int = 0
    count: Callable[[Prompt], int] = estimated_tokens

    def holds(self, prompt: Prompt) -> bool:
        """Whether the model can read the whole prompt."""
        return not self.tokens or self.count(prompt) <= self.tokens

    def fit(
        self, make: Callable[[Sequence[FittedPassage]], Prompt], shown: Sequence[FittedPassage]
    ) -> Fitted:
        """Return the prompt with as many passages as fit, the first shortened if necessary."""
        kept = list(shown)
        while len(kept) > 1 and not self.holds(make(kept)):
            kept.pop()
        notes: dict[str, Any] = {}
        if len(kept) < len(shown):
            notes[LEFT_OUT] = len(shown) - len(kept)
        if not self.holds(make(kept)):
            kept = self._shortened(make, kept)
            notes[SHORTENED] = True
        return Fitted(make(kept), tuple(kept), notes)

    def _shortened(
        self, make: Callable[[Sequence[FittedPassage]], Prompt], kept: Sequence[FittedPassage]
    ) -> list[FittedPassage]:
        """Return the one passage with the longest beginning that fits."""

        def cut(length: int) -> list[FittedPassage]:
            return [replace(one, text=one.text[:length].rstrip()) for one in kept]

        if not kept or not self.holds(make(cut(0))):
            raise UnansweredError(TOO_LONG)
        fits, too_long = 0, len(kept[0].text)
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            if self.holds(make(cut(middle))):
                fits = middle
            else:
                too_long = middle
        return cut(fits)
