"""How far people agree with each other."""

from typing import Annotated, NotRequired, TypedDict

from evaluation.reports.shape.number import Number
from evaluation.reports.shape.rules import Count, ItemKey, Share, Text, rule


class RaterMatrix(TypedDict):
    """Cohen's kappa of every two raters: rows and columns in the order of their names."""

    raters: list[Text]
    kappas: list[list[float | None]]
    units: list[list[Count]]
    reasons: list[list[str]]
    note: str


class PairsOfRaters(TypedDict):
    kappa_pooled: Annotated[
        Number, rule(description="Over all pairs, each weighted by the units that it shares.")
    ]
    kappa_mean: Annotated[
        Number, rule(description="The unweighted mean of all pairs, where all rated all units.")
    ]
    kappa_note: str
    matrix: RaterMatrix


class EachRater(TypedDict):
    """One rater against each of the others."""

    rater: Text
    share: Share
    reason: str
    units: Count
    comparisons: Count
    excluded: bool


class AnswerCount(TypedDict):
    value: Text
    label: Text
    count: Count


class SystemAnswers(TypedDict):
    """What was answered about pairs with an answer of one system, as if that one were Answer 1."""

    system: Text
    distribution: list[AnswerCount]


class PeopleRow(PairsOfRaters):
    """The agreement of people on one item."""

    item: ItemKey
    units: Count
    ratings: Count
    raters: Count
    percent: Number
    alpha: Number
    alpha_interval: NotRequired[Number]
    fleiss: Number
    fleiss_note: str
    fleiss_all: Annotated[
        Number, rule(description="Generalised to units with different numbers of ratings.")
    ]
    ac1: Number
    each_rater: list[EachRater]
    distribution: Annotated[
        list[AnswerCount],
        rule(description="Of pairs: Answer 1 is that of the system whose name comes first."),
    ]
    by_system: NotRequired[Annotated[list[SystemAnswers], rule(description="Of pairs.")]]
    mean: NotRequired[Number]
