"""The units where people and a judge differ most."""

from typing import Annotated, TypedDict

from evaluation.reports.shape.rules import ItemKey, JudgeId, Share, Some, Text, rule

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


Disagreements = Annotated[list[DisagreementRow], rule(maxItems=MOST)]
