"""Rows of the database as columns, some thousands at a time: never all of them as objects."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from annotate.models.judging import JudgmentQuerySet
from annotate.protocol.protocol import Protocol
from evaluation.statistics.votes import AnswerColumns, answer_columns

CHUNK = 20_000


def as_columns(rows: Any) -> Iterator[tuple[tuple[Any, ...], ...]]:
    """The rows of `values_list` as columns, some at a time."""
    stream = rows.iterator(chunk_size=CHUNK)
    while chunk := list(islice(stream, CHUNK)):
        yield tuple(zip(*chunk, strict=True))


def read_answers(judgments: JudgmentQuerySet, protocol: Protocol) -> AnswerColumns:
    """Answers by the keys of their units, responses and judges."""
    rows = judgments.order_by().values_list(
        "dimension", "unit_id", "unit__response_id", "judge_id", "value"
    )
    return answer_columns(as_columns(rows), protocol)
