"""Scores of choices: from token probabilities, or from the shares of several samples."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.protocol.dimensions import Dimension, UnitKind
from evaluation.language_models.asking.replies import Answered

MOST_SAMPLES = 20

SAMPLED_AT = 1
"""The temperature of samples."""

Outcome = Answered | str
"""An answer, or the reason why there is none."""

_VALUE = re.compile(r'(?<!\\)"value"\s*:\s*"')
"""The JSON before the value of an answer. Quotes in a reason are escaped."""


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """Settings of one call.

    `sample` counts samples from 1, `likely` requests token probabilities, `effort` is the reasoning
    effort. For free text, `heat` is the temperature, `nucleus` the share of likeliest words to draw
    from, and `stop` ends it.
    """

    sample: int = 0
    likely: bool = False
    effort: str = ""
    heat: float | None = None
    nucleus: float | None = None
    stop: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """Return the parts that distinguish the call from a plain one."""
        sampled = (f"sample:{self.sample}", f"temperature:{self.temperature:g}")
        return (
            *(sampled if self.sample or self.heat is not None else ()),
            *(["logprobs"] if self.likely else []),
            *([] if self.nucleus is None else [f"nucleus:{self.nucleus:g}"]),
            *(f"stop:{one}" for one in self.stop),
        )

    @property
    def temperature(self) -> float:
        """Return the temperature."""
        return self.heat if self.heat is not None else SAMPLED_AT if self.sample else 0

    def until_stop(self, text: str) -> str:
        """Cut a text at the first stop sequence, which not every server does. Leading white space
        is no stop sequence."""
        begun = len(text) - len(text.lstrip())
        ends = [place for one in self.stop if (place := text.find(one, begun)) >= 0]
        return text[: min(ends)] if ends else text


PLAIN = SamplingParams()


@dataclass(frozen=True, slots=True)
class Scoring:
    """The source of a choice's score if the prompt style gives none."""

    samples: int = 1
    likely: bool = False

    @property
    def signature(self) -> tuple[str, ...]:
        """Return the source as a judge's name has it."""
        if self.samples > 1:
            return (f"samples:{self.samples}", f"temperature:{SAMPLED_AT}")
        return ("logprobs",) if self.likely else ()

    def samplings(self, dimension: Dimension) -> list[SamplingParams]:
        """Return the calls for one question. Only questions with choices have scores."""
        if not dimension.is_choice:
            return [PLAIN]
        if self.samples > 1:
            return [SamplingParams(sample=number) for number in range(1, self.samples + 1)]
        return [SamplingParams(likely=self.likely)]


UNSCORED = Scoring()


@dataclass(frozen=True, slots=True)
class Token:
    """A generated token with the probabilities of the alternatives at its place."""

    text: str
    likely: Mapping[str, float]


def likely_values(tokens: Sequence[Token], values: Sequence[str]) -> dict[str, float]:
    """Return the probability of each value where the model wrote one; empty if unknown.

    Tokens that several values begin with decide nothing; the tokens after them do. Alternatives
    that do not decide between values are ignored.
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
    """Return the values that a text is, or is the beginning of."""
    whole = [(f'{value}"', value) for value in values]
    return [value for end, value in whole if end.startswith(written) or written.startswith(end)]


def positive_share(dimension: Dimension, shares: Mapping[str, float]) -> float | None:
    """Return the share of positive choices; None without choices, and for pairs."""
    if dimension.unit_kind is UnitKind.PAIR:
        return None
    known = {one.value: shares.get(one.value, 0.0) for one in dimension.choices}
    whole = sum(known.values())
    if not whole:
        return None
    return sum(share for value, share in known.items() if value in dimension.positive) / whole


def majority_answer(dimension: Dimension, samples: Sequence[Outcome]) -> Outcome:
    """Return the most frequent answer of samples, in the words of the first; of equals the
    lower. Its score is the positive share of the samples with a value."""
    answers = [one for one in samples if isinstance(one, Answered)]
    if len(samples) == 1 or not answers:
        return samples[0]
    votes = Counter(one.value for one in answers)
    best = max(dimension.low_to_high, key=lambda value: votes[value])
    value = best if votes[best] and votes[best] >= votes[""] else ""
    first = next(one for one in answers if one.value == value)
    return replace(first, score=positive_share(dimension, votes) if value else None)
