"""Numbers that are made of several answers of one judge, by a protocol's formula: citation
precision is one, made of “is the statement supported, and by this citation?”.

T. Gao, H. Yen, J. Yu and D. Chen (2023), Enabling large language models to generate text with
citations, sections 4 and 6, appendix E. The formulas stand in `annotate/protocols`; what they may
say, in `annotate/protocol/formulas.py`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat

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
    weights the answer itself, which `Derived.weight` is of.

    `answers` holds by dimension what is named, `above` what each unit is a part of: of the units
    that count, and of those above them where the formula looks further up.
    """
    if derived.weights:
        return _weighed(derived, answers[derived.of], above, dimensions[derived.of])
    named = _parse(derived.formula).answers()
    one = [answer for answer in named if answer.place not in MANY]
    many = [answer for answer in named if answer.place in MANY]
    around = _Around(answers, above)
    single = [around.at(answer) for answer in one]
    several = [around.all_at(answer) for answer in many]
    known = _Known(derived, [*one, *many], dimensions)
    found: dict[Key, dict[Key, str]] = {}
    of_own = next((each.dimension for each in one if each.place == "unit"), "")
    own = answers.get(of_own, {})
    of_children = [of for of, each in zip(several, many, strict=True) if each.place == "child"]
    for unit in above if of_own else around.children:
        if of_own:
            judges: Collection[Key] = own.get(unit, _NOTHING)
        else:
            judges = dict.fromkeys(j for of in of_children for by in of(unit) for j in by)
        if not judges:
            continue
        columns: list[Iterable[Given]] = [map(at(unit).get, judges) for at in single]
        if several:
            columns += [_together(of(unit), judges) for of in several]
        values = {
            judge: value
            for judge, given in zip(judges, zip(*columns, strict=False), strict=False)
            if (value := known[given]) is not None
        }
        if values:
            found[unit] = values
    return found


def _weighed(
    derived: Derived, given: Ratings, above: Mapping[Key, Key], dimension: Dimension
) -> dict[Key, dict[Key, str]]:
    found = {
        unit: {judge: value for judge, value in by.items() if dimension.is_of_people(value)}
        for unit, by in given.items()
        if unit in above
    }
    return {unit: by for unit, by in found.items() if by}


def _together(units: Sequence[Mapping[Key, str]], judges: Collection[Key]) -> Iterable[Given]:
    """What each judge answered about several units."""
    if not units:
        return repeat(frozenset(), len(judges))
    return map(frozenset, zip(*[map(by.get, judges) for by in units], strict=True))


class _Known(dict[tuple[Given, ...], str | None]):
    """What combinations of answers come to, each found out once."""

    def __init__(
        self, derived: Derived, looked: Sequence[Answer], dimensions: Mapping[str, Dimension]
    ) -> None:
        self._derived, self._looked, self._dimensions = derived, looked, dimensions

    def __missing__(self, given: tuple[Given, ...]) -> str | None:
        self[given] = _value(self._derived, self._looked, given, self._dimensions)
        return self[given]


class _Around:
    """What was said of a unit and of what stands around it."""

    def __init__(self, answers: Mapping[str, Ratings], above: Mapping[Key, Key]) -> None:
        self._answers, self._above = answers, above
        self.children: dict[Key, list[Key]] = {}
        for unit, parent in above.items():
            self.children.setdefault(parent, []).append(unit)

    def at(self, answer: Answer) -> Callable[[Key], Mapping[Key, str]]:
        """Gives, for a unit, the answers by judge at the one place that a test looks at."""
        given, above = self._answers.get(answer.dimension, {}), self._above
        if answer.place == "unit":
            return lambda unit: given.get(unit, _NOTHING)
        if answer.place == "parent":
            return lambda unit: given.get(above[unit], _NOTHING) if unit in above else _NOTHING

        def of_response(unit: Key) -> Mapping[Key, str]:
            if unit not in above:
                return _NOTHING
            while unit in above:
                unit = above[unit]
            return given.get(unit, _NOTHING)

        return of_response

    def all_at(self, answer: Answer) -> Callable[[Key], list[Mapping[Key, str]]]:
        """Gives, for a unit, the answers by judge about each of the units at a place."""
        given, above, children = self._answers.get(answer.dimension, {}), self._above, self.children
        if answer.place == "child":
            return lambda unit: [given[one] for one in children.get(unit, ()) if one in given]

        def of_siblings(unit: Key) -> list[Mapping[Key, str]]:
            if unit not in above:
                return [_NOTHING]
            return [given.get(one, _NOTHING) for one in children[above[unit]] if one != unit]

        return of_siblings


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
    if value is None or derived.of_judges or dimension.is_of_people(value):
        return value
    return None
