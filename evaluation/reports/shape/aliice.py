"""What people and ALiiCE say of responses with positional fine-grained citations."""

from typing import Annotated, TypedDict

from evaluation.reports.shape.number import Number
from evaluation.reports.shape.rules import Count, JudgeId, Text, rule


class AliiceAgreement(TypedDict):
    fleiss: Number
    kappa_with_raters: Annotated[
        Number, rule(description="The mean over raters, as the paper defines it.")
    ]
    kappa_pooled: Number
    unmatched: Annotated[
        Count, rule(description="Of what people judged, where the parser has no claim.")
    ]


class AliiceRow(TypedDict):
    system: Text
    responses: Count
    utility: Number
    pf_utility: Number
    claim_recall: Number
    claim_precision: Number
    claim_f1: Number
    recall_agreement: AliiceAgreement
    precision_agreement: AliiceAgreement


class Aliice(TypedDict):
    judge: JudgeId | None
    rows: list[AliiceRow]
