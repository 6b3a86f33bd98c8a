"""ALCE against ALiiCE on the same responses."""

from typing import TypedDict

from evaluation.reports.shape.number import Number
from evaluation.reports.shape.rules import Count, JudgeId, Text


class AlceNumbers(TypedDict):
    citation_recall: Number
    citation_precision: Number


class AliiceNumbers(TypedDict):
    claim_recall: Number
    claim_precision: Number
    f1: Number
    cvcp: Number


class BothJudges(TypedDict):
    alce: JudgeId
    aliice: JudgeId


class BothRow(TypedDict):
    system: Text
    responses: Count
    alce: AlceNumbers
    aliice: AliiceNumbers
    fine_grained: Number


class SideBySide(TypedDict):
    judges: BothJudges
    rows: list[BothRow]
