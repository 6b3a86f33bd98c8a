"""Coverage of agreement on answers that are not one choice: numbers, several choices, marked words.

Three raters answer about three units of each question. The units of a question are alike: they
share the mean of their numbers, how often each choice holds, how long marked words are. What raters
add are errors of their own. The true value is that of one study of very many questions.
"""

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from annotate.protocol.answers import AnswerType, Choice, MarkedSpan, format_number, format_spans
from annotate.protocol.dimensions import SCALES, Dimension, UnitKind
from bench.coverage import Said, Simulation
from evaluation.statistics.coefficients import Coefficient
from evaluation.statistics.open_coefficients import open_coefficients
from evaluation.statistics.votes import in_order, values_of

RESAMPLES = 1_000
MANY = 4_000
"""Questions of the study that tells the truth."""

UNITS, RATERS = 3, 3
NAMES = ("a", "b", "c", "d")
LABELS = NAMES[:2]
SEVERITIES = ("minor", "major", "critical")
LENGTH = 200


def dimension(answer: AnswerType) -> Dimension:
    names = {"several": NAMES, "spans": LABELS}.get(answer, ())
    return Dimension(
        key="asked",
        unit_kind=UnitKind.STATEMENT,
        title="Asked",
        question="What of it?",
        choices=tuple(Choice(name, name) for name in names),
        low_to_high=(),
        positive=frozenset(),
        scale=SCALES[answer][0],
        sight="nothing",
        asked_of=("people",),
        answer=answer,
        high=100.0 if answer == "number" else 0.0,
        severities=tuple(Choice(name, name) for name in SEVERITIES) if answer == "spans" else (),
        label_by="mean" if answer == "number" else "majority",
    )


def numbers(draw: np.random.Generator) -> list[list[str]]:
    """The answers about the units of one question."""
    of_question = draw.normal(50, 15)
    own = draw.normal(of_question, 10, UNITS)
    said = draw.normal(own[:, None], 8, (UNITS, RATERS)).round().clip(0, 100)
    return [[format_number(one) for one in unit] for unit in said.tolist()]


def sets(draw: np.random.Generator) -> list[list[str]]:
    often = draw.beta(1, 2, len(NAMES))
    holds = draw.random((UNITS, 1, len(NAMES))) < often
    said = holds ^ (draw.random((UNITS, RATERS, len(NAMES))) < 0.1)
    return [
        ["|".join(n for n, is_so in zip(NAMES, one, strict=True) if is_so) or "-" for one in unit]
        for unit in said.tolist()
    ]


def spans(draw: np.random.Generator) -> list[list[str]]:
    wide = int(draw.integers(4, 30))
    # Of its own, so that what was measured before severities were is what it was.
    [of_severities] = draw.spawn(1)
    bad = float(of_severities.random())
    return [_marked(draw, wide, of_severities, bad) for _ in range(UNITS)]


def _marked(
    draw: np.random.Generator, wide: int, of_severities: np.random.Generator, bad: float
) -> list[str]:
    """How bad a mark is hangs on the question; a rater is a step off in three of ten."""
    true = [(int(draw.integers(0, LENGTH - wide)), str(draw.choice(LABELS))) for _ in range(2)]
    levels = {one: int(of_severities.binomial(2, bad)) for one in true}
    found = []
    for _ in range(RATERS):
        some = [one for one in true if draw.random() < 0.8]
        if draw.random() < 0.2:
            some.append((int(draw.integers(0, LENGTH - wide)), str(draw.choice(LABELS))))
        marked = []
        for some_start, label in some:
            first, last = draw.integers(-1, 2, 2)
            start = max(0, some_start + int(first))
            end = min(LENGTH, some_start + wide + int(last))
            level = levels.get((some_start, label), 0)
            if of_severities.random() < 0.3:
                level += int(of_severities.choice([-1, 1]))
            severity = SEVERITIES[min(max(level, 0), 2)]
            marked.append(MarkedSpan(0, start, max(start + 1, end), label, severity))
        found.append(format_spans(marked))
    return found


ASKED: dict[AnswerType, Callable[[np.random.Generator], list[list[str]]]] = {
    "number": numbers,
    "several": sets,
    "spans": spans,
}


def agreement(
    answer: AnswerType, draw: np.random.Generator, questions: int, clusters: int, of: int = RATERS
) -> dict[str, Coefficient]:
    said = [unit for _ in range(questions) for unit in ASKED[answer](draw)]
    asked = dimension(answer)
    values = values_of(asked, {value for unit in said for value in unit})
    place = {value: number for number, value in enumerate(values)}
    unit, judge = np.divmod(np.arange(len(said) * RATERS), RATERS)
    if of > RATERS:  # each unit has others of these
        judge = np.argsort(draw.random((len(said), of)), axis=1)[:, :RATERS].ravel()
    value = np.array([place[value] for unit in said for value in unit])
    return open_coefficients(
        asked,
        in_order(unit, judge, value, values),
        np.arange(len(said)) // UNITS % clusters,
        clusters,
        lengths={n: {0: LENGTH} for n in range(len(said))},
        resamples=RESAMPLES,
    )


@lru_cache
def truth(answer: AnswerType) -> dict[str, float]:
    found = agreement(answer, np.random.default_rng(11), MANY, 1)
    return {name: one.figure.value or 0.0 for name, one in found.items()}


def study(
    answer: AnswerType, name: str, questions: int, of: int, draw: np.random.Generator
) -> Said:
    one = agreement(answer, draw, questions, questions, of)[name]
    shown = one.interval
    return Said(truth(answer)[name], one.figure.value, shown.low, shown.high)


PRINTED: tuple[tuple[AnswerType, str], ...] = (
    ("number", "alpha"),
    ("number", "difference"),
    ("number", "pearson"),
    ("several", "alpha_masi"),
    ("several", "alpha_jaccard"),
    ("spans", "f1_characters"),
    ("spans", "f1_exact"),
    ("spans", "alpha_unitised"),
    ("spans", "alpha_severity"),
)

CROWD = 60
"""Raters with so few answers each that intervals are wider than they need be."""

DESIGNS = [
    *((answer, name, RATERS, questions) for answer, name in PRINTED for questions in (40, 100)),
    *(
        ("number", "pearson", raters, questions)
        for raters in (10, 30, CROWD)
        for questions in (40, 100)
    ),
]

SIMULATIONS = tuple(
    Simulation(
        f"{answer}: {name}",
        f"{raters} raters, {questions} questions",
        partial(study, answer, name, questions, raters),
        held=raters < CROWD,
    )
    for answer, name, raters, questions in DESIGNS
)
