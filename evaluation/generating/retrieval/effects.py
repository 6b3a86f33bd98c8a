"""What retrieval did to answers: how right and how well cited they are, by how much was given and
by how good that was, as figures and tables of Gao et al. (2023, on retrieval) show it.

An *error* is an answer that the output lacks. Retrieval *explains* it where no passage that the
response was given holds it, either: whoever reads only these could not know.

    correctness = answers in the output / answers, the mean over responses
    explained   = errors that no passage holds / errors, over all responses
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from evaluation.judges.figures import mean, mean_of
from evaluation.statistics.ratings import Figure, undefined

NO_RESPONSES = "no response whose question has answers"
NO_ERRORS = "no error"
NONE, SOME, ALL = "none", "some", "all"
QUALITIES = (NONE, SOME, ALL)
"""How many of the answers the passages of a response hold."""


@dataclass(frozen=True, slots=True)
class GivenPassages:
    """A response: how many passages it was given, which answers these hold, and which it gives, of
    so many; how well it is cited."""

    system: str
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
    answer_recall: Figure
    correctness: Figure
    recall_of_citations: Figure
    precision_of_citations: Figure
    errors: int
    explained: Figure


def effect(of: str, some: Sequence[GivenPassages]) -> Effect:
    """The numbers of some responses."""
    lacking = [set(range(one.answers)) - one.told for one in some]
    errors = sum(map(len, lacking))
    unheld = sum(len(lacks - one.held) for lacks, one in zip(lacking, some, strict=True))
    return {
        "of": of,
        "responses": len(some),
        "answer_recall": mean([len(one.held) / one.answers for one in some], NO_RESPONSES),
        "correctness": mean([len(one.told) / one.answers for one in some], NO_RESPONSES),
        "recall_of_citations": mean_of(one.recall_of_citations for one in some),
        "precision_of_citations": mean_of(one.precision_of_citations for one in some),
        "errors": errors,
        "explained": Figure(unheld / errors) if errors else undefined(NO_ERRORS),
    }


def effects(
    given: Iterable[GivenPassages], by: Callable[[GivenPassages], str], order: Sequence[str]
) -> list[Effect]:
    """A row for each of the values that `by` takes, in this order."""
    groups: dict[str, list[GivenPassages]] = {}
    for one in given:
        groups.setdefault(by(one), []).append(one)
    return [effect(key, groups[key]) for key in order if key in groups]
