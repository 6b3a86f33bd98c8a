"""Numbers that are made of several answers of one judge, by a protocol's formula: citation
precision is one, made of “is the statement supported, and by this citation?”.

T. Gao, H. Yen, J. Yu and D. Chen (2023), Enabling large language models to generate text with
citations, sections 4 and 6, appendix E. The formulas stand in `annotate/protocols`; what they may
say, in `annotate/protocol/formulas.py`.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from annotate.protocol.dimensions import NO_TO_YES, Derived, Dimension
from annotate.protocol.formulas import MANY, Answer, looked_at, parse
from evaluation.agreement.ratings import Key, Ratings

Given = str | None | frozenset[str | None]
"""What one judge answered at one place."""

_parse = lru_cache(parse)


def named_in(derived: Derived, dimensions: Mapping[str, Dimension]) -> tuple[str, ...]:
    """The dimensions that it is made of, in the order of the protocol."""
    named = {answer.dimension for answer in looked_at(derived)}
    return tuple(key for key in dimensions if key in named)


def derive(
    derived: Derived,
    answers: Mapping[str, Ratings],
    above: Mapping[Key, Key],
    dimensions: Mapping[str, Dimension],
) -> dict[Key, dict[Key, str]]:
    """“yes” or “no” for each unit and judge, where the judge answered what the formula needs; with
    weights the answer itself.

    `answers` holds by dimension what is named, `above` what each unit is a part of: of the units
    that count, and of those above them where the formula looks further up.
    """
    if derived.weights:
        return _weighed(derived, answers[derived.of], above)
    named = _parse(derived.formula).answers()
    one = [answer for answer in named if answer.place not in MANY]
    many = [answer for answer in named if answer.place in MANY]
    looked, around = [*one, *many], _Around(answers, above)
    known: dict[tuple[Given, ...], str | None] = {}
    found: dict[Key, dict[Key, str]] = {}
    of_own = next((each.dimension for each in one if each.place == "unit"), "")
    for unit in above if of_own else around.children:
        if of_own:
            judges: Mapping[Key, object] = answers.get(of_own, {}).get(unit, _NOTHING)
        else:
            of_children = [each for each in many if each.place == "child"]
            judges = {j: 0 for each in of_children for by in around.of(each, unit) for j in by}
        if not judges:
            continue
        single = [around.of(answer, unit)[0] for answer in one]
        several = [around.of(answer, unit) for answer in many]
        values: dict[Key, str] = {}
        for judge in judges:
            given: tuple[Given, ...] = (
                *[by.get(judge) for by in single],
                *[frozenset([by.get(judge) for by in each]) for each in several],
            )
            if given not in known:
                known[given] = _value(derived, looked, given, dimensions)
            value = known[given]
            if value is not None:
                values[judge] = value
        if values:
            found[unit] = values
    return found


def _weighed(
    derived: Derived, given: Ratings, above: Mapping[Key, Key]
) -> dict[Key, dict[Key, str]]:
    known = dict(derived.weights)
    found = {
        unit: {judge: value for judge, value in by.items() if value in known}
        for unit, by in given.items()
        if unit in above
    }
    return {unit: by for unit, by in found.items() if by}


class _Around:
    """What was said of a unit and of what stands around it."""

    def __init__(self, answers: Mapping[str, Ratings], above: Mapping[Key, Key]) -> None:
        self._answers, self._above = answers, above
        self.children: dict[Key, list[Key]] = {}
        for unit, parent in above.items():
            self.children.setdefault(parent, []).append(unit)

    def of(self, answer: Answer, unit: Key) -> list[Mapping[Key, str]]:
        """The answers to a dimension at a place, by judge, of each unit there."""
        of = self._answers.get(answer.dimension, {})
        if answer.place == "unit":
            return [of.get(unit, _NOTHING)]
        if answer.place == "child":
            return [of[one] for one in self.children.get(unit, []) if one in of]
        parent = self._above.get(unit)
        if parent is None:
            return [_NOTHING]
        if answer.place == "sibling":
            return [of.get(one, _NOTHING) for one in self.children[parent] if one != unit]
        while answer.place == "response" and parent in self._above:
            parent = self._above[parent]
        return [of.get(parent, _NOTHING)]


_NOTHING: Mapping[Key, str] = {}


def _value(
    derived: Derived,
    looked: Sequence[Answer],
    given: Sequence[Given],
    dimensions: Mapping[str, Dimension],
) -> str | None:
    known: dict[tuple[str, str], list[str | None]] = {}
    for answer, values in zip(looked, given, strict=True):
        dimension = dimensions[answer.dimension]
        several = values if isinstance(values, frozenset) else {values}
        readable = [_readable(derived, dimension, value) for value in several]
        if answer.place == "unit" and None in readable:
            return None
        if None in readable and not derived.decides_early:
            return None
        known[answer.place, answer.dimension] = readable
    formula = _parse(derived.formula)
    value = formula.value(lambda place, key: known[place, key], dimensions)
    return None if value is None else NO_TO_YES[value]


def _readable(derived: Derived, dimension: Dimension, value: str | None) -> str | None:
    """An answer, unless it is one of automatic judges and the formula is not made of theirs."""
    is_known = derived.of_judges or value in dimension.low_to_high
    return value if is_known else None
