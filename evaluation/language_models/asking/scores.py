"""How sure a model is of a choice: by how likely it found each one where it wrote its answer, or by
how often it says which when it is asked several times."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.protocol.dimensions import Dimension, UnitKind
from evaluation.language_models.asking.replies import Answered

MOST_SAMPLES = 20

SAMPLED_AT = 1
"""The temperature at which a question is asked several times."""

Outcome = Answered | str
"""An answer, or the reason why there is none."""

_VALUE = re.compile(r'(?<!\\)"value"\s*:\s*"')
"""What stands before the value of an answer. In a reason, quotes are escaped."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How one call is made: as which of several samples, from 1 on; with the probabilities of what
    might have been written asked for; and how hard the model is to think, where that is said. Of a
    text that is written freely: how freely (`heat`, and what share of the likeliest words is drawn
    from), and what ends it."""

    sample: int = 0
    likely: bool = False
    effort: str = ""
    heat: float | None = None
    nucleus: float | None = None
    stop: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """What tells it from the plain call."""
        sampled = (f"sample:{self.sample}", f"temperature:{self.temperature:g}")
        return (
            *(sampled if self.sample or self.heat is not None else ()),
            *(["logprobs"] if self.likely else []),
            *([] if self.nucleus is None else [f"nucleus:{self.nucleus:g}"]),
            *(f"stop:{one}" for one in self.stop),
        )

    @property
    def temperature(self) -> float:
        """How freely the model is to answer."""
        return self.heat if self.heat is not None else SAMPLED_AT if self.sample else 0

    def until_stop(self, text: str) -> str:
        """A text without what follows a sign that ends it, which not every server heeds. White
        space before the text ends nothing."""
        begun = len(text) - len(text.lstrip())
        ends = [place for one in self.stop if (place := text.find(one, begun)) >= 0]
        return text[: min(ends)] if ends else text


PLAIN = Manner()


@dataclass(frozen=True, slots=True)
class Scoring:
    """Where the score of a choice comes from, where the style of asking gives none."""

    samples: int = 1
    likely: bool = False

    @property
    def signature(self) -> tuple[str, ...]:
        """As a judge's name says it."""
        if self.samples > 1:
            return (f"samples:{self.samples}", f"temperature:{SAMPLED_AT}")
        return ("logprobs",) if self.likely else ()

    def manners(self, dimension: Dimension) -> list[Manner]:
        """The calls about one question. Only questions with choices have a score."""
        if not dimension.is_choice:
            return [PLAIN]
        if self.samples > 1:
            return [Manner(sample=number) for number in range(1, self.samples + 1)]
        return [Manner(likely=self.likely)]


UNSCORED = Scoring()


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of what was written, and how probable it was there, with what stood to choose."""

    text: str
    likely: Mapping[str, float]


def likely_values(tokens: Sequence[Token], values: Sequence[str]) -> dict[str, float]:
    """How probable each value was where a model wrote one of them; empty where that does not show.

    Pieces that several values begin with decide nothing: what was written after them does, as far
    as it was reached. What might have been written instead, and has not decided, is left out.
    """
    begins = [found.end() for found in _VALUE.finditer("".join(token.text for token in tokens))]
    shares = dict.fromkeys(values, 0.0)
    written, reached, place = "", 1.0, 0
    for token in tokens if begins else ():
        place += len(token.text)
        if place <= begins[-1]:
            continue
        own = token.text[-(place - begins[-1]) :] if not written else token.text
        before = token.text[: len(token.text) - len(own)]
        for text, probability in token.likely.items():
            meant = _meant(written + text[len(before) :], values) if text.startswith(before) else []
            if len(meant) == 1:
                shares[meant[0]] += reached * probability
        written += own
        if len(_meant(written, values)) < 2:
            break
        reached *= token.likely.get(token.text, 0.0)
    return shares if any(shares.values()) else {}


def _meant(written: str, values: Sequence[str]) -> list[str]:
    """The values that what is written may be, or begin with."""
    whole = [(f'{value}"', value) for value in values]
    return [value for end, value in whole if end.startswith(written) or written.startswith(end)]


def positive_share(dimension: Dimension, shares: Mapping[str, float]) -> float | None:
    """How much of what the choices have speaks for the response; None where they have nothing, and
    where two responses are compared."""
    if dimension.unit_kind is UnitKind.PAIR:
        return None
    known = {one.value: shares.get(one.value, 0.0) for one in dimension.choices}
    whole = sum(known.values())
    if not whole:
        return None
    return sum(share for value, share in known.items() if value in dimension.positive) / whole


def most_said(dimension: Dimension, samples: Sequence[Outcome]) -> Outcome:
    """What most samples of a question say, of two alike the lower, in the words of the first that
    says so; its score is the share of those with a value that speak for the response."""
    answers = [one for one in samples if isinstance(one, Answered)]
    if len(samples) == 1 or not answers:
        return samples[0]
    votes = Counter(one.value for one in answers)
    best = max(dimension.low_to_high, key=lambda value: votes[value])
    value = best if votes[best] and votes[best] >= votes[""] else ""
    first = next(one for one in answers if one.value == value)
    return replace(first, score=positive_share(dimension, votes) if value else None)
