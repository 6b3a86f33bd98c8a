"""Numbers that are made of several answers of one judge, by a protocol's formula: citation
precision is one, made of “is the statement supported, and by this citation?”.

T. Gao, H. Yen, J. Yu and D. Chen (2023), Enabling large language models to generate text with
citations, sections 4 and 6, appendix E. The formulas stand in `annotate/protocols`; what they may
say, in `annotate/protocol/formulas.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from annotate.protocol.dimensions import NO_TO_YES, Derived, Dimension
from annotate.protocol.formulas import MANY, TestedAnswer, parse, tested_answers
from evaluation.statistics.ratings import Key, Ratings

Given = str | None | frozenset[str | None]
"""What one judge answered at one place."""


def named_in(derived: Derived, dimensions: Mapping[str, Dimension]) -> tuple[str, ...]:
    """The dimensions that it is made of, in the order of the protocol."""
    named = {answer.dimension for answer in tested_answers(derived)}
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
    """Of units about which the judge answered the first of these. This runs once for each citation
    of a study, and most formulas look at the unit and one other place."""
    own, *rest = (around.at(answer) for answer in one)
    several = [around.all_at(answer) for answer in many]
    unknown = (_UNKNOWN,) * len(many)
    # What is known before anything is known of many holds whatever they are (Kleene).
    early = known.at_first(unknown) if several and known.decides_early else None
    found: dict[Key, dict[Key, str]] = {}
    for unit in around.above:
        by = own(unit)
        if not by:
            continue
        values: dict[Key, str] = {}
        beside = [at(unit) for at in rest]
        for judge, answer in by.items():
            if len(beside) == 1:
                given: tuple[Given, ...] = (answer, beside[0].get(judge))
            else:
                given = (answer, *[of.get(judge) for of in beside])
            if early is not None and (value := early[given]) is not None:
                values[judge] = value
                continue
            if several:
                given += tuple([frozenset([x.get(judge) for x in of(unit)]) for of in several])
            if (value := known[given]) is not None:
                values[judge] = value
        if values:
            found[unit] = values
    return found


def _of_children(
    known: "_Known", one: Sequence[TestedAnswer], many: Sequence[TestedAnswer], around: "_Around"
) -> dict[Key, dict[Key, str]]:
    """Of units of whose parts alone the judge answered something."""
    single = [around.at(answer) for answer in one]
    several = [around.all_at(answer) for answer in many]
    found: dict[Key, dict[Key, str]] = {}
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


class _Known(dict[tuple[Given, ...], str | None]):
    """What combinations of answers come to, each found out once."""

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
    """The same of the first answers, where the rest is always this."""

    def __init__(self, known: _Known, rest: tuple[Given, ...]) -> None:
        self._known, self._rest = known, rest

    def __missing__(self, given: tuple[Given, ...]) -> str | None:
        self[given] = self._known[given + self._rest]
        return self[given]


class _Around:
    """What was said of a unit and of what stands around it."""

    def __init__(self, answers: Mapping[str, Ratings], above: Mapping[Key, Key]) -> None:
        self._answers, self.above = answers, above

    @cached_property
    def children(self) -> dict[Key, list[Key]]:
        found: dict[Key, list[Key]] = {}
        for unit, parent in self.above.items():
            found.setdefault(parent, []).append(unit)
        return found

    def at(self, answer: TestedAnswer) -> Callable[[Key], Mapping[Key, str]]:
        """Gives, for a unit, the answers by judge at the one place that a test looks at."""
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
        """Gives, for a unit, the answers by judge about each of the units at a place."""
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
    """An answer, unless it is one of automatic judges and the formula is not made of theirs."""
    if value is None or derived.of_judges or dimension.is_of_people(value):
        return value
    return None
