"""The effect of retrieval on answers, as in figures and tables of Gao et al. (2023).

An *error* is an answer that the output lacks. Retrieval *explains* it if no passage of the response
holds it: a reader of only these passages could not know it.

    correctness = answers in the output / answers, the mean over responses
    explained   = errors that no passage holds / errors, over all responses

Intervals are over questions: responses to one question depend on each other.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from evaluation.judges.figures import QuestionMean, share_of_parts
from evaluation.statistics.ratings import Figure

NO_RESPONSES = "no response whose question has answers"
NO_ERRORS = "no error"
NONE, SOME, ALL = "none", "some", "all"
QUALITIES = (NONE, SOME, ALL)
"""How many of the answers the passages of a response hold."""


@dataclass(frozen=True, slots=True)
class MeasuredResponse:
    """A response: its passages, the answers that these hold and that it gives, its citations."""

    system: str
    question: str
    passages: int
    answers: int
    held: frozenset[int]
    told: frozenset[int]
    recall_of_citations: Figure
    precision_of_citations: Figure

    @property
    def quality(self) -> str:
        return NONE if not self.held else ALL if len(self.held) == self.answers else SOME


class Effect(TypedDict):
    """One row of a table."""

    of: str
    responses: int
    answer_recall: QuestionMean
    correctness: QuestionMean
    recall_of_citations: QuestionMean
    precision_of_citations: QuestionMean
    errors: int
    explained: QuestionMean


def effect(of: str, some: Sequence[MeasuredResponse]) -> Effect:
    """Return the numbers of some responses."""

    def share(value: Callable[[MeasuredResponse], Figure]) -> QuestionMean:
        figures = [(one.question, value(one)) for one in some]
        parts = [(asked, found.value, 1.0) for asked, found in figures if found.value is not None]
        return share_of_parts(parts, next((found.reason for _, found in figures), NO_RESPONSES))

    lacking = [(one, set(range(one.answers)) - one.told) for one in some]
    return {
        "of": of,
        "responses": len(some),
        "answer_recall": share(lambda one: Figure(len(one.held) / one.answers)),
        "correctness": share(lambda one: Figure(len(one.told) / one.answers)),
        "recall_of_citations": share(lambda one: one.recall_of_citations),
        "precision_of_citations": share(lambda one: one.precision_of_citations),
        "errors": sum(len(lacks) for _, lacks in lacking),
        "explained": share_of_parts(
            [(one.question, len(lacks - one.held), len(lacks)) for one, lacks in lacking], NO_ERRORS
        ),
    }


def effects(
    given: Iterable[MeasuredResponse], by: Callable[[MeasuredResponse], str], order: Sequence[str]
) -> list[Effect]:
    """Return a row for each of the values that `by` takes, in this order."""
    groups: dict[str, list[MeasuredResponse]] = {}
    for one in given:
        groups.setdefault(by(one), []).append(one)
    return [effect(key, groups[key]) for key in order if key in groups]
