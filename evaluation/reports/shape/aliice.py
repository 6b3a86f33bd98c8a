"""What people and ALiiCE say of responses with positional fine-grained citations."""

from typing import TypedDict

from evaluation.reports.shape.number import Number
from evaluation.reports.shape.rules import Count, JudgeId, Text


class AliiceRow(TypedDict):
    system: Text
    responses: Count
    utility: Number
    pf_utility: Number
    claim_recall: Number
    claim_precision: Number
    fleiss: Number
    kappa_with_raters: Number


class Aliice(TypedDict):
    judge: JudgeId | None
    rows: list[AliiceRow]
