"""The units where people and a judge differ most, and how many there are of each direction."""

from typing import Annotated, TypedDict

from evaluation.reports.shape.rules import Count, ItemKey, JudgeId, Share, Some, Text, rule

MOST = 100


class DisagreementRow(TypedDict):
    system: Text
    question: Text
    run: str
    unit: Text
    item: ItemKey
    judge: JudgeId
    people: Text
    votes: dict[str, Some]
    judge_value: Text
    score: Share
    distance: Annotated[float, rule(minimum=0, maximum=1)]


class DisagreementCount(TypedDict):
    """Of one judge, on one item, of one system's answers."""

    judge: JudgeId
    item: ItemKey
    system: Text
    compared: Some
    people_yes: Annotated[Count, rule(description="People say yes, the judge says no.")]
    people_no: Annotated[Count, rule(description="People say no, the judge says yes.")]


Disagreements = Annotated[list[DisagreementRow], rule(maxItems=MOST)]
