"""Store which responses have a label by people or by one judge.

A label's responses are the bits of whole numbers, `BLOCK` responses in each: each response adds its
own power of two. The numbers are stored in pieces, so a change writes one piece in studies of any
size.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256

import numpy as np

from annotate.content.counts import Add, CountedJudgment, KeptSums, ResponseData, counted
from annotate.models import Judge
from annotate.protocol.formulas import tested_answers
from annotate.protocol.protocol import Protocol
from evaluation.labels.agreement_counts import columns
from evaluation.labels.answer_kinds import matches_answer, open_item
from evaluation.reports.items import ReportItem, items_of
from evaluation.statistics.derived import derive
from evaluation.statistics.labels import label_values
from evaluation.statistics.votes import Keys

BLOCK = 64

PIECE = 128 * BLOCK
PIECES = 0
"""The key of the sum that counts the responses in each piece."""

PEOPLE = 0
"""The key of people's majority, in place of a judge."""

EVERYBODY = -1
"""The key of all responses that count, labelled or not."""

Said = dict[int, str]
"""Values by unit."""

Label = tuple[str, str]
"""Item and value; an empty value is any."""


@lru_cache(maxsize=10_000)
def _key_of_piece(judge: int, label: Label, piece: int) -> int:
    """Return the key of one piece of a label."""
    digest = sha256(":".join((str(judge), *label, str(piece))).encode()).digest()
    return int.from_bytes(digest[:8]) >> 1


def with_label(kept: KeptSums, judge: int, label: Label = ("", "")) -> Keys:
    """Return the keys of the responses that have a label, in rising order."""
    pieces = [_key_of_piece(judge, label, int(piece)) for piece in kept.of("labels", PIECES)]
    found = kept.some("labels", pieces)
    blocks = sorted((int(block), bits) for piece in found for block, bits in piece.items())
    given = b"".join(bits.to_bytes(BLOCK // 8, "little") for _, bits in blocks)
    places = np.flatnonzero(np.unpackbits(np.frombuffer(given, np.uint8), bitorder="little"))
    starts = np.array([block * BLOCK for block, _ in blocks], dtype=np.int64)
    return starts[places // BLOCK] + places % BLOCK


@counted("labels", version=3)
def count_labels(data: ResponseData, add: Add) -> None:
    """Record which responses count, and which have each label."""
    for one in data.responses.values():
        if one.counts:
            add(one.key, "labels", PIECES, str(one.key // PIECE))
            _add_response(add, one.key, EVERYBODY, ("", ""))
    answers = [
        one
        for one in data.current
        if one.value and not one.unfinished and not data.judges[one.judge].is_excluded
    ]
    found = {
        (data.units[unit].response, judge, label)
        for judge, labels in (*_labels_of_judges(data, answers), *_labels_of_people(data, answers))
        for unit, label in labels
    }
    for response, judge, label in found:
        _add_response(add, response, judge, label)


def _add_response(add: Add, response: int, judge: int, label: Label) -> None:
    of = _key_of_piece(judge, label, response // PIECE)
    add(response, "labels", of, str(response // BLOCK), 1 << response % BLOCK)


Labels = Iterator[tuple[int, Label]]
"""Units and their labels."""


def _labels_of_judges(
    data: ResponseData, answers: Sequence[CountedJudgment]
) -> Iterator[tuple[int, Labels]]:
    """Yield the labels of each judge or rater."""
    given = defaultdict[int, list[CountedJudgment]](list)
    for one in answers:
        if data.judges[one.judge].kind != Judge.Kind.TRAINEE:
            given[one.judge].append(one)
    for judge, own in given.items():
        yield judge, _any(one.unit for one in own)
        yield judge, _open(data.protocol, own)
        said = values_by_dimension(own)
        for item in labelled_items(data.protocol):
            parts = [said.get(key, {}) for key in dimensions_of(item)]
            if not any(parts):
                continue
            yield judge, _any((unit for part in parts for unit in part), item.key)
            yield judge, _values(data, item, parts)


def _labels_of_people(
    data: ResponseData, answers: Sequence[CountedJudgment]
) -> Iterator[tuple[int, Labels]]:
    """Yield people's labels: their majority, or a published one if no rater voted."""
    protocol = data.protocol
    own = [one for one in answers if data.judges[one.judge].is_person]
    published = [one for one in answers if data.judges[one.judge].kind == Judge.Kind.MAJORITY]
    yield PEOPLE, _any(one.unit for one in (*own, *published))
    yield PEOPLE, _open(protocol, own)
    published.sort(key=lambda one: data.judges[one.judge].name, reverse=True)
    labels, votes, items = (
        values_by_dimension(published),
        columns(data, own),
        labelled_items(protocol),
    )
    for key in {key for item in items for key in dimensions_of(item)} if len(votes) else ():
        made = label_values(protocol[key], votes.votes(key, data.study.dimensions))
        labels[key] = labels.get(key, {}) | made
    for item in items:
        parts = [labels.get(key, {}) for key in dimensions_of(item)]
        values = [*_values(data, item, parts)] if any(parts) else []
        yield PEOPLE, iter(values)
        yield PEOPLE, _any((unit for unit, _ in values), item.key)


def values_by_dimension(answers: Iterable[CountedJudgment]) -> dict[str, Said]:
    """Return values by dimension and unit; of several the last."""
    found: dict[str, Said] = {}
    for one in answers:
        found.setdefault(one.dimension, {})[one.unit] = one.value
    return found


def _any(units: Iterable[int], item: str = "") -> Labels:
    return ((unit, (item, "")) for unit in units)


def _values(data: ResponseData, item: ReportItem, parts: Sequence[Said]) -> Labels:
    """Return each unit with its value, given or derived."""
    protocol, units = data.protocol, data.units
    made = parts[0]
    if item.is_derived:
        made = derive_item(
            protocol, item, parts, lambda some: {unit: units[unit].parent or 0 for unit in some}
        )
    return ((unit, (item.key, value)) for unit, value in made.items())


def _open(protocol: Protocol, answers: Iterable[CountedJudgment]) -> Labels:
    """Yield the labels of answers that are not choices."""
    for one in answers:
        asked = protocol[one.dimension]
        if not asked.is_choice:
            yield one.unit, (asked.key, "")
            for value, _ in open_item(asked).choices:
                if matches_answer(asked, one.value, value):
                    yield one.unit, (asked.key, value)


# What is labelled --------------------------------------------------------------------------------


@lru_cache
def labelled_items(protocol: Protocol) -> Sequence[ReportItem]:
    """Return the choices, and the items derived from them for judges."""
    return tuple(
        item
        for item in items_of(protocol).values()
        if (item.of_judges if item.is_derived else protocol[item.key].is_choice)
    )


def dimensions_of(item: ReportItem) -> Sequence[str]:
    """Return the dimensions that an item is derived from, or its own."""
    return item.derived_from or (item.key,)


def derive_item(
    protocol: Protocol,
    item: ReportItem,
    parts: Sequence[Said],
    parents: Callable[[set[int]], Mapping[int, int]],
) -> Said:
    """Derive an item's values from the values of its dimensions, as if one rater had given them.

    `parents` returns the unit that each unit is a part of, or 0.
    """
    assert item.derived is not None
    answers = {
        key: {unit: {0: value} for unit, value in said.items()}
        for key, said in zip(item.derived_from, parts, strict=True)
    }
    higher = any(answer.place == "response" for answer in tested_answers(item.derived))
    above: dict[int, int] = {}
    about = {unit for said in answers.values() for unit in said}
    while about:
        above |= parents(about)
        about = {*above.values()} - above.keys() - {0} if higher else set()
    found = derive(item.derived, answers, above, protocol)
    return {unit: given[0] for unit, given in found.items()}
