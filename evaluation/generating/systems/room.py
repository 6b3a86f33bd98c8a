"""How much a model reads: what is longer is cut, passage by passage from the last one on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotate.text.search_result import Found
from evaluation.generating.systems.talks import UnansweredError
from evaluation.language_models.asking.prompts import CHARS_OF_TOKEN, Prompt

TOO_LONG = "instructions, examples and question leave too little room in what the model reads"
"""With fewer examples (`shots`, `pairs`) they may leave enough."""

LEFT_OUT, SHORTENED = "left_out_for_length", "shortened_for_length"


@dataclass(frozen=True, slots=True)
class FittedPassage:
    """A passage, and what of it stands in a prompt."""

    found: Found
    text: str


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prompt that the model can read, what it shows, and what had to be cut for that."""

    prompt: Prompt
    shown: tuple[FittedPassage, ...]
    noted: dict[str, Any]


def about(prompt: Prompt) -> int:
    """About how many tokens a prompt has, where nobody knows the model's own: by bytes, since most
    take fewer characters to a token of writings that are not Latin."""
    told = prompt.system + prompt.user
    return -(-len(told.encode("utf-8", "surrogatepass")) // CHARS_OF_TOKEN)


@dataclass(frozen=True, slots=True)
class Room:
    """So many tokens a model reads, counted in its own way; 0: nobody knows how many."""

    tokens: int = 0
    count: Callable[[Prompt], int] = about

    def holds(self, prompt: Prompt) -> bool:
        """Whether the model reads it whole."""
        return not self.tokens or self.count(prompt) <= self.tokens

    def fit(
        self, make: Callable[[Sequence[FittedPassage]], Prompt], shown: Sequence[FittedPassage]
    ) -> Fitted:
        """The prompt with as many passages as the model reads; the first is shortened where even
        that is too much."""
        kept = list(shown)
        while len(kept) > 1 and not self.holds(make(kept)):
            kept.pop()
        noted: dict[str, Any] = {}
        if len(kept) < len(shown):
            noted[LEFT_OUT] = len(shown) - len(kept)
        if not self.holds(make(kept)):
            kept = self._shortened(make, kept)
            noted[SHORTENED] = True
        return Fitted(make(kept), tuple(kept), noted)

    def _shortened(
        self, make: Callable[[Sequence[FittedPassage]], Prompt], kept: Sequence[FittedPassage]
    ) -> list[FittedPassage]:
        """The one passage with the longest beginning that fits."""

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
