"""Coverage of reliability, of the raters' share of the noise and of shares of the variance.

A rating is the sum of what its system, question, unit and rater add, and of chance; or, where that
is above 0, a yes. Raters and systems are the same in each study of a design, since the report is
about these. The truth is that of their own variances; of answers that are yes or no, of a study of
4,000 questions.
"""

from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from bench.coverage import Said, Simulation
from evaluation.statistics.variance_components import PARTS, VariancePart, Variances, variances

Floats = NDArray[np.float64]
Design = tuple[int, int, int, int, bool]
"""Questions, systems, raters, ratings of a unit, and whether ratings are yes or no."""

SYSTEMS, QUESTIONS, UNITS, RATERS, REST = 0.3, 0.5, 0.6, 0.4, 0.8
"""Standard deviations of what each adds."""

MANY = 4_000


def _spread(deviation: float, wide: int) -> Floats:
    """Effects of these raters or systems, with just this deviation."""
    effects = np.random.default_rng(wide).normal(size=wide)
    if wide == 1:
        return np.zeros(1)
    found: Floats = (effects - effects.mean()) / effects.std(ddof=1) * deviation
    return found


def found(design: Design, draw: np.random.Generator) -> Variances:
    """What is estimated from one study."""
    questions, systems, raters, each, is_binary = design
    shape = questions, systems, raters
    said = _spread(SYSTEMS, systems)[:, None] + _spread(RATERS, raters)
    said = said + draw.normal(0, QUESTIONS, (questions, 1, 1))
    said = said + draw.normal(0, UNITS, (questions, systems, 1)) + draw.normal(0, REST, shape)
    chosen = draw.permuted(np.broadcast_to(np.arange(raters), shape), axis=2) < each
    if each == 3:  # a tenth of the units has two ratings
        order = np.where(chosen, draw.random(shape), -1)
        fewer = (draw.random((questions, systems, 1)) < 0.1) & (
            order == order.max(2, keepdims=True)
        )
        chosen &= ~fewer
    question, system, rater = np.nonzero(chosen)
    return variances(
        (said > 0).astype(float)[chosen] if is_binary else said[chosen],
        question * systems + system,
        rater,
        np.repeat(np.arange(questions), systems),
        np.tile(np.arange(systems), questions),
    )


def _number(one: Variances, name: str) -> VariancePart:
    every = {"reliability of one rater": one.one_rater, "noise due to raters": one.of_noise}
    return {**every, **one.shares}[name]


@lru_cache
def _true(design: Design, name: str) -> float:
    if design[-1]:
        value = _number(found((MANY, *design[1:]), np.random.default_rng(1)), name).figure.value
        return value or 0.0
    spread = (SYSTEMS if design[1] > 1 else 0, QUESTIONS, UNITS, RATERS, REST)
    parts = {name: deviation**2 for name, deviation in zip(PARTS, spread, strict=True)}
    if name == "noise due to raters":
        return parts["raters"] / (parts["raters"] + parts["rest"])
    known = parts.get(name, parts["systems"] + parts["questions"] + parts["units"])
    return known / sum(parts.values())


def _said(design: Design, name: str, draw: np.random.Generator) -> Said:
    part = _number(found(design, draw), name)
    return Said(_true(design, name), part.figure.value, part.interval.low, part.interval.high)


DESIGNS: tuple[Design, ...] = (
    (40, 4, 3, 3, False),
    (100, 4, 3, 3, False),
    (100, 1, 5, 2, False),
    (100, 4, 30, 3, False),
    (200, 8, 60, 3, False),
    (40, 4, 5, 3, True),
    (100, 4, 30, 3, True),
)

SHARES: tuple[Design, ...] = ((100, 4, 3, 3, False), (200, 8, 60, 3, False), (100, 4, 30, 3, True))

SIMULATIONS = tuple(
    Simulation(
        name.capitalize(),
        f"{q} q., {s} systems, {k} of {r} raters{', yes or no' if is_binary else ''}",
        partial(_said, (q, s, r, k, is_binary), name),
    )
    for names, designs in (
        (("reliability of one rater", "noise due to raters"), DESIGNS),
        (PARTS, SHARES),
    )
    for name in names
    for q, s, r, k, is_binary in designs
)
