"""Count how people agree: in each batch, and each rater with the others.

The rules of `evaluation/statistics` are applied to the votes on one response at a time.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from zlib import crc32

from annotate.content.counts import Add, CountedJudgment, ResponseData, counted
from annotate.content.study_counts import asked_in, given_in, microseconds
from annotate.models import Assignment
from annotate.protocol.protocol import Protocol
from annotate.protocol.steps import OPEN_AGAIN
from annotate.rating import gold
from evaluation.labels.answer_kinds import kinds_of
from evaluation.statistics.leave_one_out import compared, likeness
from evaluation.statistics.votes import AnswerColumns, answer_columns

ON = "rater on"

SHARE = 2**20
"""Shares are stored as whole numbers of these parts, because sums of floats drift."""


def columns(data: ResponseData, rows: Iterable[CountedJudgment]) -> AnswerColumns:
    """Turn people's judgments into the columns that votes are made from."""
    found = [
        (one.dimension, one.unit, data.units[one.unit].response, one.judge, one.value)
        for one in rows
        if one.value and data.judges[one.judge].is_person
    ]
    return answer_columns([tuple(zip(*found, strict=True))] if found else [], data.protocol)


# Batches -----------------------------------------------------------------------------------------


@counted("agreement", version=1)
def count_agreement(data: ResponseData, add: Add) -> None:
    """Count units by pattern of votes, and each rater's units that others voted on.

    A sum of digests shows a change that leaves these equal.
    """
    for batch in data.batches.values():
        given, _ = given_in(data, batch)
        answers = columns(
            data,
            (
                one
                for one, about in asked_in(data, batch)
                if (about, one.judge) in given and data.counts(one.judge) and not one.unfinished
            ),
        )
        for *said, response in _said(answers):
            add(response, "agreement", batch.pk, ANSWERS)
            add(response, "agreement", batch.pk, DIGEST, _digest(*said))
        for dimension in batch.dimension_list:
            if not dimension.is_choice or not len(answers):
                continue
            ratings = answers.votes(dimension.key, batch.dimensions).coded()
            for unit, votes in zip(ratings.units, ratings.counts.astype(int).tolist(), strict=True):
                pattern = ",".join(map(str, votes))
                add(_response(data, unit), "agreement", batch.pk, f"{dimension.key}:{pattern}")
            several = (ratings.per_unit > 1)[ratings.unit]
            for unit, judge in zip(ratings.unit[several], ratings.judge[several], strict=True):
                response = _response(data, ratings.units[unit])
                name = f"{dimension.key}@{ratings.judges[judge]}"
                add(response, "agreement", batch.pk, name)


ANSWERS, DIGEST = "answers", "#"


def _digest(*said: object) -> int:
    return crc32(repr(said).encode())


def _said(answers: AnswerColumns) -> Iterator[tuple[str, int, int, str, int]]:
    """Yield dimension, unit, judge, value and response of each answer."""
    keys = list(answers.protocol)
    columns = (answers.dimension, answers.unit, answers.judge, answers.value, answers.response)
    for place, unit, judge, value, response in zip(*(x.tolist() for x in columns), strict=True):
        said = answers.values[keys[place]][value] if value >= 0 else ""
        yield keys[place], unit, judge, said, response


def _response(data: ResponseData, unit: object) -> int:
    assert isinstance(unit, int)
    return data.units[unit].response


# Raters ------------------------------------------------------------------------------------------


EVERYBODY = 0
"""The key of all raters who count together."""


@counted("rater", version=2)
def count_raters(data: ResponseData, add: Add) -> None:
    """Count the finished work of each rater, also of excluded ones.

    The list of raters reads `rater` and `times`; the page of one rater also reads `rater on` and
    `times on`, which are by dimension.
    """
    finished = [
        one for one in data.current if data.judges[one.judge].is_person and not one.unfinished
    ]
    for one in finished:
        response = data.units[one.unit].response
        add(response, "rater", one.judge, "^last", microseconds(one.at))
        if one.value:
            add(response, "rater", one.judge, "answers")
            add(response, ON, one.judge, f"answers:{one.dimension}")
            add(
                response,
                ON,
                one.judge,
                DIGEST,
                _digest(one.unit, one.value, one.seconds, microseconds(one.at)),
            )
            if one.seconds is not None:
                add(response, "times", one.judge, repr(one.seconds))
                add(response, "times on", one.judge, f"{one.dimension}:{one.seconds!r}")
            _kinds(data, one, add)
        elif one.skipped_reason not in OPEN_AGAIN:
            add(response, "rater", one.judge, "skips")
            add(response, ON, one.judge, f"skips:{one.dimension}:{one.skipped_reason}")
    _likeness(data, finished, add)
    _tasks(data, add)
    _contradictions(data, data.protocol, finished, add)
    _gold(data, add)


def _kinds(data: ResponseData, one: CountedJudgment, add: Add) -> None:
    """Count the kinds of answers of the rater and of everybody."""
    kinds = kinds_of(data.protocol[one.dimension])
    own = [place for place, (_, is_so) in enumerate(kinds) if is_so(one.value)]
    response = data.units[one.unit].response
    for of in (one.judge, EVERYBODY) if data.counts(one.judge) else (one.judge,):
        add(response, ON, of, f"kinds:{one.dimension}", int(bool(own)))
        for place in own:
            add(response, ON, of, f"kind:{one.dimension}:{place}")


def _likeness(data: ResponseData, finished: Sequence[CountedJudgment], add: Add) -> None:
    answers = columns(data, finished)
    if not len(answers):
        return
    for dimension in data.protocol.values():
        if dimension.scale == "none":
            continue  # texts are not compared
        votes = answers.votes(dimension.key, data.study.dimensions)
        if not len(votes):
            continue
        ratings = votes.coded()
        voters = [not data.judges[_judge(judge)].is_excluded for judge in ratings.judges]
        same, others = compared(ratings, voters, likeness(dimension, votes.values))
        some = others > 0
        rows = zip(
            ratings.unit[some].tolist(), ratings.judge[some].tolist(),
            (same[some] / others[some]).tolist(), others[some].tolist(), strict=True,
        )  # fmt: skip
        for unit, judge, share, of in rows:
            response, of_rater = (
                _response(data, ratings.units[unit]),
                _judge(ratings.judges[judge]),
            )
            for part, on in (("rater", ""), (ON, f":{dimension.key}")):
                add(response, part, of_rater, f"units{on}")
                add(response, part, of_rater, f"comparisons{on}", int(of))
                add(response, part, of_rater, f"shares{on}", round(share * SHARE))
            alike = ratings.units[unit], dimension.key, share, of
            add(response, ON, of_rater, DIGEST, _digest(*alike))


def _judge(key: object) -> int:
    assert isinstance(key, int)
    return key


def _tasks(data: ResponseData, add: Add) -> None:
    for item in data.items:
        for task in data.tasks[item.pk]:
            if not data.judges[task.judge].is_person:
                continue
            place = item.response_id, "rater", task.judge
            add(item.response_id, ON, task.judge, f"tasks:{item.batch_id}:{task.state}")
            if task.state == Assignment.State.DONE:
                add(*place, "tasks")
            if task.state != Assignment.State.ACTIVE:
                add(*place, "^seen", microseconds(task.seen_at))


def _contradictions(
    data: ResponseData, protocol: Protocol, finished: Sequence[CountedJudgment], add: Add
) -> None:
    """Count texts that one passage supports and all together do not, by the same rater."""
    said = {(one.unit, one.dimension, one.judge): one.value for one in data.given
            if not one.unfinished}  # fmt: skip
    for part in protocol.values():
        if not part.part_of:
            continue
        whole, found = protocol[part.part_of], set[tuple[int, int]]()
        for one in finished:
            if one.dimension != part.key or one.value != part.low_to_high[-1]:
                continue
            above = data.units[one.unit].parent
            if above and said.get((above, whole.key, one.judge)) == whole.low_to_high[0]:
                found.add((above, one.judge))
        for text, judge in found:
            add(data.units[text].response, "rater", judge, "contradictions")


def _gold(data: ResponseData, add: Add) -> None:
    """Count answers to gold items in the work (`rating/gold.scores`)."""
    answers = defaultdict[int, dict[tuple[int, str], Any]](dict)
    for one in data.current:
        answers[one.judge][one.unit, one.dimension] = one
    for batch in data.batches.values():
        if batch.is_practice or batch.gold_id is None or not batch.gold_percent:
            continue
        items = [item for item in data.items_of[batch.pk] if item.is_gold and data.still(item)]
        done = {
            item.pk: [
                task.judge
                for task in data.tasks[item.pk]
                if task.state == Assignment.State.DONE and data.judges[task.judge].is_person
            ]
            for item in items
        }
        for item, judge, key, is_right in gold.gold_verdicts(batch, items, done, answers):
            for part, on in (("rater", ""), (ON, f":{key}")):
                add(item.response_id, part, judge, f"gold_asked{on}")
                add(item.response_id, part, judge, f"gold_right{on}", int(is_right))
