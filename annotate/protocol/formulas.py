"""The formulas of derived numbers: yes or no about a unit, from one judge's answers.

`docs/protocols.md` describes them for users.

    formula    = formula "or" formula | formula "and" formula | "not" formula | "(" formula ")"
               | answer "is" ["not"] value
               | answer "is" ["not"] "positive"
               | answer "is at least" value | answer "is at most" value
    value      = choice | label | severity | number | "-"
    answer     = [quantifier] [place "."] dimension
    place      = "parent" | "response" | "child" | "sibling"
    quantifier = "any" | "no" | "every"

`or` binds less than `and`, and `and` less than `not`. An answer without a place is about the unit
itself; a sibling is another unit of the same kind and parent. Children and siblings need a
quantifier. Without any children or siblings, "any" is no, and "no" and "every" are yes. An answer
of several choices or of spans "is" each value that it names, and "-" if it names none.

Every formula has one of three values for any answers: yes, no or unknown, by Kleene's rules. A
missing answer is unknown.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from re import compile as pattern
from typing import Literal

from annotate.protocol.answers import NotAnAnswerError, named_values, parse_number
from annotate.protocol.dimensions import KEY, PARENTS, Derived, Dimension, UnitKind

Place = Literal["unit", "parent", "response", "child", "sibling"]
Quantifier = Literal["", "any", "no", "every"]

MANY: tuple[Place, ...] = ("child", "sibling")

Look = Callable[[Place, str], Sequence[str | None]]
"""Return the answers to a dimension at a place: the value for each unit there, or None."""

_TOKEN = pattern(r"\s*(?:(-?[a-z0-9_.@]+|-)|([()])|(\S))")
_VALUE = pattern(r"[a-z0-9_]+|-|-?[0-9]+(\.[0-9]+)?")
WORDS = {"and", "or", "not", "is", "at", "least", "most", "positive", "any", "no", "every"}
_DEEPEST = 30


class FormulaError(Exception):
    """A faulty formula, with the expected and the found text."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(f"expected {expected}; found {found}.")
        self.expected, self.found = expected, found


@dataclass(frozen=True, slots=True)
class TestedAnswer:
    """The answers that a test reads."""

    place: Place
    dimension: str
    quantifier: Quantifier = ""


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of an answer with a value."""

    answer: TestedAnswer
    word: Literal["is", "is not", "is at least", "is at most"]
    value: str

    def holds(self, dimension: Dimension, given: str) -> bool | None:
        """Whether it holds for an answer; None if unknown."""
        if dimension.is_choice:
            return given in self._values(dimension)
        if dimension.answer == "number":
            return self._compares(parse_number(given), parse_number(self.value))
        wanted = dimension.positive if self.value == "positive" else {self.value}
        return (self.word == "is not") != bool(named_values(given) & wanted)

    def _compares(self, given: Decimal | None, wanted: Decimal | None) -> bool | None:
        if given is None or wanted is None:
            return None
        if self.word == "is at least":
            return given >= wanted
        if self.word == "is at most":
            return given <= wanted
        return (self.word == "is not") != (given == wanted)

    def _values(self, dimension: Dimension) -> frozenset[str]:
        """Return the choices for which it holds."""
        if self.value == "positive":
            wanted = dimension.positive
        elif self.word in {"is", "is not"}:
            wanted = frozenset({self.value})
        else:
            order = dimension.low_to_high
            place = order.index(self.value)
            up = self.word == "is at least"
            wanted = frozenset(order[place:] if up else order[: place + 1])
        return frozenset(dimension.values) - wanted if self.word == "is not" else wanted

    def check(self, dimension: Dimension) -> None:
        """Raise `FormulaError` if no answer to the dimension can have this value."""
        is_ordered = self.word in {"is at least", "is at most"}
        if dimension.answer == "text":
            found = f"{dimension.key}, which is answered with a text"
            raise FormulaError("a dimension that is answered by choosing or with a number", found)
        if dimension.answer == "number":
            try:
                dimension.read(self.value)
            except NotAnAnswerError as error:
                raise FormulaError(error.expected, f"“{self.value}”") from error
            return
        if is_ordered and not dimension.is_choice:
            found = f"“{self.word}” of {dimension.key}, which may name several"
            raise FormulaError("“is” or “is not”", found)
        values = dimension.low_to_high if is_ordered else dimension.named
        if self.value not in {"positive", *values}:
            raise FormulaError(f"one of {', '.join(values)}", f"“{self.value}”")


@dataclass(frozen=True, slots=True)
class Not:
    of: "Node"


@dataclass(frozen=True, slots=True)
class Both:
    first: "Node"
    second: "Node"


@dataclass(frozen=True, slots=True)
class Either:
    first: "Node"
    second: "Node"


Node = Test | Not | Both | Either


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula."""

    root: Node

    def answers(self) -> list[TestedAnswer]:
        """Return the distinct answers that it reads, in the order written."""
        return list(dict.fromkeys(test.answer for test in _tests(self.root)))

    def check(self, kind: UnitKind, dimensions: Mapping[str, Dimension]) -> None:
        """Raise `FormulaError` if a test does not fit this kind of unit."""
        own = False
        for test in _tests(self.root):
            answer = test.answer
            dimension = dimensions.get(answer.dimension)
            if dimension is None:
                known = ", ".join(dimensions) or "a dimension of the file"
                raise FormulaError(f"one of {known}", f"“{answer.dimension}”")
            kinds = about(answer.place, kind)
            if dimension.unit_kind not in kinds:
                if not kinds:
                    raise FormulaError(f"a place that a {kind} has", f"“{answer.place}”")
                expected = " or ".join(kinds)
                place = "the unit" if answer.place == "unit" else f"its {answer.place}"
                found = f"{dimension.key}, which is about a {dimension.unit_kind}"
                raise FormulaError(f"a dimension of {place}, a {expected}", found)
            test.check(dimension)
            own = own or answer.place in {"unit", "child"}
        if not own:
            raise FormulaError("an answer about the unit itself or its children", "none")

    def value(self, look: Look, dimensions: Mapping[str, Dimension]) -> bool | None:
        """Return yes, no, or None if it is unknown."""
        return _value(self.root, look, dimensions)


def tested_answers(derived: Derived) -> list[TestedAnswer]:
    """Return the answers that a derived number is made of."""
    return (
        [TestedAnswer("unit", derived.of)] if derived.weights else parse(derived.formula).answers()
    )


def about(place: Place, kind: UnitKind) -> tuple[UnitKind, ...]:
    """Return the kinds of units at a place relative to a unit; empty if there is no such place."""
    parent = PARENTS.get(kind)
    if place == "unit":
        return (kind,)
    if place == "sibling":
        return (kind,) if parent else ()
    if place == "parent":
        return (parent,) if parent else ()
    if place == "response":
        return (UnitKind.RESPONSE,)
    # A pair is about another answer as well.
    return tuple(
        child for child, above in PARENTS.items() if above is kind and child is not UnitKind.PAIR
    )


def _tests(node: Node) -> Iterator[Test]:
    if isinstance(node, Test):
        yield node
    elif isinstance(node, Not):
        yield from _tests(node.of)
    else:
        yield from _tests(node.first)
        yield from _tests(node.second)


def _value(node: Node, look: Look, dimensions: Mapping[str, Dimension]) -> bool | None:
    if isinstance(node, Test):
        return _tested(node, look, dimensions)
    if isinstance(node, Not):
        found = _value(node.of, look, dimensions)
        return None if found is None else not found
    deciding = isinstance(node, Either)
    first = _value(node.first, look, dimensions)
    if first is deciding:
        return deciding
    second = _value(node.second, look, dimensions)
    if second is deciding:
        return deciding
    return None if first is None or second is None else not deciding


def _tested(test: Test, look: Look, dimensions: Mapping[str, Dimension]) -> bool | None:
    dimension = dimensions[test.answer.dimension]
    given = look(test.answer.place, test.answer.dimension)
    held = [None if value is None else test.holds(dimension, value) for value in given]
    quantifier = test.answer.quantifier
    if not quantifier:
        return held[0] if held else None
    deciding = quantifier != "every"
    if deciding in held:
        return quantifier == "any"
    return None if None in held else quantifier != "any"


# Reading -----------------------------------------------------------------------------------------


@lru_cache(maxsize=1_000)
def parse(text: str) -> Formula:
    """Parse a formula; raise `FormulaError`."""
    reader = _Reader(_words(text))
    found = reader.either(0)
    if reader.next is not None:
        raise FormulaError("“and”, “or” or the end", f"“{reader.next}”")
    return Formula(found)


def _words(text: str) -> list[str]:
    words, place = [], 0
    text = text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        assert match is not None
        if match[3]:
            raise FormulaError("words, brackets and full stops between words", f"“{match[3]}”")
        words.append(match[1] or match[2])
        place = match.end()
    return words


class _Reader:
    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._place = 0

    @property
    def next(self) -> str | None:
        return self._words[self._place] if self._place < len(self._words) else None

    def take(self, *among: str) -> str:
        """Return and consume the next word if it is one of these, else an empty text."""
        word = self.next
        if word is None or word not in among:
            return ""
        self._place += 1
        return word

    def must(self, *among: str) -> str:
        word = self.take(*among)
        if not word:
            raise FormulaError(" or ".join(f"“{one}”" for one in among), self._found())
        return word

    def _found(self) -> str:
        return "the end" if self.next is None else f"“{self.next}”"

    def either(self, depth: int) -> Node:
        node = self.both(depth)
        while self.take("or"):
            node = Either(node, self.both(depth))
        return node

    def both(self, depth: int) -> Node:
        node = self.one(depth)
        while self.take("and"):
            node = Both(node, self.one(depth))
        return node

    def one(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise FormulaError(f"at most {_DEEPEST} brackets within each other", "more")
        if self.take("not"):
            return Not(self.one(depth + 1))
        if self.take("("):
            node = self.either(depth + 1)
            self.must(")")
            return node
        return self.test()

    def test(self) -> Test:
        answer = self.answer()
        self.must("is")
        word: Literal["is", "is not", "is at least", "is at most"] = "is"
        if self.take("not"):
            word = "is not"
        elif self.take("at"):
            word = "is at least" if self.must("least", "most") == "least" else "is at most"
        value = self.next
        if value is None or value in {"and", "or"} or not _VALUE.fullmatch(value):
            raise FormulaError("an answer", self._found())
        self._place += 1
        if value == "positive" and word in {"is at least", "is at most"}:
            raise FormulaError("an answer", "“positive”")
        return Test(answer, word, value)

    def answer(self) -> TestedAnswer:
        word = self.take("any", "no", "every")
        found = self.next
        if found is None or found in WORDS or found in {"(", ")"}:
            raise FormulaError("a dimension, such as “parent.citation_recall”", self._found())
        self._place += 1
        before, dot, key = found.rpartition(".")
        places: tuple[Place, ...] = ("parent", "response", "child", "sibling")
        place = next((one for one in places if one == before), None)
        if dot and place is None:
            raise FormulaError(f"one of {', '.join(places)} before the full stop", f"“{before}”")
        if not KEY.match(key):
            raise FormulaError("the key of a dimension", f"“{key}”")
        quantifier: Quantifier = next((one for one in _QUANTIFIERS if one == word), "")
        if bool(quantifier) != (place in MANY):
            expected = (
                f"“any”, “no” or “every” before “{found}”" if place in MANY else "no such word"
            )
            raise FormulaError(expected, f"“{word}”" if word else "nothing")
        return TestedAnswer(place or "unit", key, quantifier)


_QUANTIFIERS: tuple[Quantifier, ...] = ("any", "no", "every")
