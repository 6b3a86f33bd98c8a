"""Derived numbers: several answers of one judge, combined by a protocol's formula.

Citation precision is one: “is the statement supported, and by this citation?” The formulas are in
`annotate/protocols`, their language is in `annotate/protocol/formulas.py`.

T. Gao, H. Yen, J. Yu and D. Chen (2023), Enabling large language models to generate text with
citations, sections 4 and 6, appendix E.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from annotate.protocol.dimensions import NO_TO_YES, Derived, Dimension
from annotate.protocol.formulas import MANY, TestedAnswer, parse, tested_answers
from evaluation.statistics.ratings import Key, Ratings

Given = str | None | frozenset[str | None]
"""One judge's answer at one place, or the set of answers at several."""


def named_in(derived: Derived, dimensions: Mapping[str, Dimension]) -> tuple[str, ...]:
    """Return the dimensions that the formula uses, in the order of the protocol."""
    named = {answer.dimension for answer in tested_answers(derived)}
    return tuple(key for key in dimensions if key in named)


def derive(
    derived: Derived,
    answers: Mapping[str, Ratings],
    above: Mapping[Key, Key],
    dimensions: Mapping[str, Dimension],
) -> dict[Key, dict[Key, str]]:
    """Return “yes” or “no” for each unit and judge that answered the dimensions of the formula.

    With weights it returns the answer itself, which `Derived.weight` takes. `answers` has the
    answers by dimension, `above` the parent of each unit that counts, and of parents where the
    formula looks further up.
    """
    if derived.weights:
        return _weighed(derived, answers[derived.of], above, dimensions[derived.of])
    named = parse(derived.formula).answers()
    one = sorted((x for x in named if x.place not in MANY), key=lambda x: x.place != "unit")
    many = [answer for answer in named if answer.place in MANY]
    around = _Around(answers, above)
    known = _Known(derived, [*one, *many], dimensions)
    if one and one[0].place == "unit":
        return _of_own(known, one, many, around)
    return _of_children(known, one, many, around)


def _of_own(
    known: "_Known", one: Sequence[TestedAnswer], many: Sequence[TestedAnswer], around: "_Around"
) -> dict[Key, dict[Key, str]]:
    """Derive values of units about which the judge answered the first dimension.

    This runs once for each citation of a study. Most formulas use the unit and one other place.
    """
    own, *rest = (around.at(answer) for answer in one)
    several = [around.all_at(answer) for answer in many]
    unknown = (_UNKNOWN,) * len(many)
    # A value that follows without the answers at many places holds for all of them (Kleene).
    early = known.at_first(unknown) if several and known.decides_early else None
    result: dict[Key, dict[Key, str]] = {}
    for unit in around.above:
        by = own(unit)
        if not by:
            continue
        values: dict[Key, str] = {}
        others = [at(unit) for at in rest]
        for judge, answer in by.items():
            if len(others) == 1:
                given: tuple[Given, ...] = (answer, others[0].get(judge))
            else:
                given = (answer, *[of.get(judge) for of in others])
            if early is not None and (value := early[given]) is not None:
                values[judge] = value
                continue
            if several:
                given += tuple([frozenset([x.get(judge) for x in of(unit)]) for of in several])
            if (value := known[given]) is not None:
                values[judge] = value
        if values:
            result[unit] = values
    return result


def _of_children(
    known: "_Known", one: Sequence[TestedAnswer], many: Sequence[TestedAnswer], around: "_Around"
) -> dict[Key, dict[Key, str]]:
    """Derive values of units from the judge's answers about their parts."""
    single = [around.at(answer) for answer in one]
    several = [around.all_at(answer) for answer in many]
    result: dict[Key, dict[Key, str]] = {}
    for unit in around.children:
        parts = [of(unit) for of in several]
        judges = dict.fromkeys(
            judge
            for some, answer in zip(parts, many, strict=True)
            if answer.place == "child"
            for by in some
            for judge in by
        )
        values = {}
        for judge in judges:
            given = [at(unit).get(judge) for at in single]
            of_parts = [frozenset([by.get(judge) for by in some]) for some in parts]
            if (value := known[(*given, *of_parts)]) is not None:
                values[judge] = value
        if values:
            result[unit] = values
    return result


def _weighed(
    derived: Derived, given: Ratings, above: Mapping[Key, Key], dimension: Dimension
) -> dict[Key, dict[Key, str]]:
    result = {
        unit: {judge: value for judge, value in by.items() if dimension.is_of_people(value)}
        for unit, by in given.items()
        if unit in above
    }
    return {unit: by for unit, by in result.items() if by}


class _Known(dict[tuple[Given, ...], str | None]):
    """Values by combination of answers, each computed once."""

    def __init__(
        self, derived: Derived, looked: Sequence[TestedAnswer], dimensions: Mapping[str, Dimension]
    ) -> None:
        self._derived, self._looked, self._dimensions = derived, looked, dimensions

    def __missing__(self, given: tuple[Given, ...]) -> str | None:
        self[given] = _value(self._derived, self._looked, given, self._dimensions)
        return self[given]

    @property
    def decides_early(self) -> bool:
        return self._derived.decides_early

    def at_first(self, rest: tuple[Given, ...]) -> "_Early":
        return _Early(self, rest)


class _Early(dict[tuple[Given, ...], str | None]):
    """Values by the first answers of a combination with a constant rest."""

    def __init__(self, known: _Known, rest: tuple[Given, ...]) -> None:
        self._known, self._rest = known, rest

    def __missing__(self, given: tuple[Given, ...]) -> str | None:
        self[given] = self._known[given + self._rest]
        return self[given]


class _Around:
    """Answers about a unit and its parents, parts and siblings."""

    def __init__(self, answers: Mapping[str, Ratings], above: Mapping[Key, Key]) -> None:
        self._answers, self.above = answers, above

    @cached_property
    def children(self) -> dict[Key, list[Key]]:
        result: dict[Key, list[Key]] = {}
        for unit, parent in self.above.items():
            result.setdefault(parent, []).append(unit)
        return result

    def at(self, answer: TestedAnswer) -> Callable[[Key], Mapping[Key, str]]:
        """Return a function from a unit to the answers by judge at a test's place."""
        given, above = self._answers.get(answer.dimension, {}), self.above
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

    def all_at(self, answer: TestedAnswer) -> Callable[[Key], list[Mapping[Key, str]]]:
        """Return a function from a unit to the answers by judge about each unit at a place."""
        given, above, children = self._answers.get(answer.dimension, {}), self.above, self.children
        if answer.place == "child":
            return lambda unit: [given[one] for one in children.get(unit, ()) if one in given]

        def of_siblings(unit: Key) -> list[Mapping[Key, str]]:
            if unit not in above:
                return [_NOTHING]
            return [given.get(one, _NOTHING) for one in children[above[unit]] if one != unit]

        return of_siblings


_NOTHING: Mapping[Key, str] = {}
_UNKNOWN: Given = frozenset({None})


def _value(
    derived: Derived,
    looked: Sequence[TestedAnswer],
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
    formula = parse(derived.formula)
    value = formula.value(lambda place, key: known[place, key], dimensions)
    return None if value is None else NO_TO_YES[value]


def _readable(derived: Derived, dimension: Dimension, value: str | None) -> str | None:
    """Return the answer, or None for one of automatic judges in a formula of people's."""
    if value is None or derived.of_judges or dimension.is_of_people(value):
        return value
    return None
