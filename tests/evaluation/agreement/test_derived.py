"""Citation precision out of two answers, rule by rule."""

from random import Random
from typing import Any

import pytest

from annotate.protocol.dimensions import Derived, UnitKind
from annotate.protocol.formulas import parse
from annotate.protocol.shipped import PROTOCOLS, SHIPPED
from annotate.protocol.written import read
from evaluation.statistics.derived import derive as derived_of
from tests.evaluation.rubric import EVERY

RULES = {"support": "citation_precision", "appendix-e": "citation_precision_e"}


def citation_precision(recall, support, above, *, rule="support"):
    answers = {"citation_recall": recall, "citation_support": support}
    return derived_of(SHIPPED.derived[RULES[rule]], answers, above, SHIPPED)


def derive(recall, *levels, rule="support"):
    """What one person's answers to one statement and its citations come to."""
    citations = {f"c{number}": "s" for number in range(1, len(levels) + 1)}
    support = {
        citation: {"anna": level}
        for citation, level in zip(citations, levels, strict=True)
        if level
    }
    answered = {"s": {"anna": recall}} if recall else {}
    found = citation_precision(answered, support, citations, rule=rule)
    return [found.get(citation, {}).get("anna") for citation in citations]


@pytest.mark.parametrize(
    ("recall", "levels", "expected"),
    [
        ("yes", ("full", "partial", "none"), ["yes", "yes", "no"]),
        ("no", ("full", "partial", "none"), ["no", "no", "no"]),
        ("yes", ("needed", "not_needed"), ["yes", "no"]),
        ("no", ("needed",), ["no"]),
        (None, ("full", "none"), [None, None]),
        ("yes", ("full", None), ["yes", None]),
    ],
)
def test_recall_yes_and_at_least_partial(recall, levels, expected):
    assert derive(recall, *levels) == expected


@pytest.mark.parametrize(
    ("recall", "levels", "expected"),
    [
        # Full support is enough, and makes the partial ones superfluous.
        ("yes", ("full", "partial", "none"), ["yes", "no", "no"]),
        # Only together do they support it.
        ("yes", ("partial", "partial", "none"), ["yes", "yes", "no"]),
        ("no", ("partial", "partial"), ["no", "no"]),
        # Fully supporting alone counts whatever was said of all together.
        ("no", ("full", "partial"), ["yes", "no"]),
        (None, ("full", "none", "partial"), ["yes", "no", "no"]),
        # What is not answered may decide.
        (None, ("partial",), [None]),
        ("yes", ("partial", None), [None, None]),
        ("no", ("partial", None), ["no", None]),
        # An automatic judge does not tell partial from full.
        ("yes", ("needed", "not_needed"), [None, None]),
    ],
)
def test_appendix_e(recall, levels, expected):
    assert derive(recall, *levels, rule="appendix-e") == expected


FORMULAS = [
    "claim_faithful is yes and claim_complete is not yes",
    "parent.citation_recall is yes and citation_support is at least partial",
    "citation_support is full or any sibling.citation_support is full",
    "citation_support is full or parent.citation_recall is no and no sibling.citation_support is"
    " none",
    "any child.citation_support is full and not every child.citation_support is at most partial",
    "citation_recall is yes and no child.citation_support is none",
]


@pytest.mark.parametrize("decides_early", [False, True])
@pytest.mark.parametrize("formula", FORMULAS)
def test_every_unit_and_judge_by_itself(formula, decides_early):
    """Against the formula read anew for each unit and judge."""
    drawn = Random(formula)
    above: dict[str, Any] = {f"c{n}": f"s{n // 3}" for n in range(60)}
    above |= {f"s{n}": -1 for n in range(20)} if "child" in formula else {}
    known = {**SHIPPED, **PROTOCOLS["claim_check"].protocol}
    of_parents = "citation_recall", "claim_faithful", "claim_complete"
    answers = {
        key: {
            unit: {j: drawn.choice(known[key].low_to_high) for j in "abc" if drawn.random() < 0.7}
            for unit in {True: sorted({*above.values()} - {-1}), False: [*above]}[
                key == "citation_recall"
            ]
            if drawn.random() < 0.9
        }
        for key in ("citation_support", *of_parents)
    }
    made = Derived("n", UnitKind.CITATION, "n", "n?", formula, decides_early=decides_early)
    expected: dict[str, dict[str, str]] = {}
    for unit in above:
        for judge in "abc":
            value = plainly(made, answers, above, known, unit, judge)
            if value is not None:
                expected.setdefault(unit, {})[judge] = "yes" if value else "no"
    found = derived_of(made, answers, above, known)
    assert {unit: by for unit, by in found.items() if unit in above} == expected
    assert expected


def plainly(made, answers, above, known, unit, judge):
    def look(place, key):
        units = {
            "unit": [unit],
            "parent": [above.get(unit)],
            "sibling": [u for u in above if above[u] == above[unit] and u != unit],
            "child": [u for u in above if above[u] == unit],
        }[place]
        return [answers[key].get(one, {}).get(judge) for one in units]

    formula = parse(made.formula)
    said = {one: look(one.place, one.dimension) for one in formula.answers()}
    own = [one for one in said if one.place == "unit"]
    if any(None in said[one] for one in own) or not (own or any(map(any, said.values()))):
        return None
    if any(one.place == "child" for one in said):
        # A part that nobody at all answered about is not there to be asked.
        keys = [one.dimension for one in said if one.place == "child"]
        parts = [u for u in above if above[u] == unit and u in answers[keys[0]]]
        for one in said:
            if one.place == "child":
                said[one] = [answers[one.dimension][u].get(judge) for u in parts]
        answered = [v for one in said if one.place == "child" for v in said[one]]
        if not own and not any(answered):
            return None
    if not made.decides_early and any(None in some for some in said.values()):
        return None
    by_place = {(one.place, one.dimension): some for one, some in said.items()}
    return formula.value(lambda place, key: by_place[place, key], known)


# Other answers than choices ----------------------------------------------------------------------

EVERY_ONE = read(EVERY.read_text(encoding="utf-8")).protocol


def number(key, formula="", **said):
    kind = said.pop("kind", UnitKind.RESPONSE)
    return Derived(key, kind, key, f"{key}?", formula, **said)


def test_what_is_named_and_how_much():
    made = number("bad", "harms is advice and sure is at least 50.5 or not harms is not private")
    answers = {
        "harms": {
            "r1": {"ann": "advice", "ben": "insult|advice", "cleo": "-", "dora": "private"},
            "r2": {"ann": "insult"},
        },
        "sure": {"r1": {"ann": "50.5", "ben": "50", "cleo": "100", "dora": "9"}},
    }
    above = {"r1": -1, "r2": -1}
    assert derived_of(made, answers, above, EVERY_ONE) == {
        "r1": {"ann": "yes", "ben": "no", "cleo": "no", "dora": "yes"}
    }


@pytest.mark.parametrize(
    ("of", "weights", "value", "expected"),
    [
        ("errors", {"minor": 1, "major": 5}, "0-4:made_up:minor|7-9:left_out:major", 6),
        ("errors", {"minor": 1, "major": 5}, "0-4:made_up:major|7-9:made_up:major", 10),
        ("errors", {"made_up": 25, "left_out": 0.5}, "0-4:made_up:minor|7-9:left_out:major", 25.5),
        ("errors", {"minor": 1, "major": 5}, "-", 0),
        ("harms", {"insult": 1, "advice": 10, "private": 100}, "insult|private", 101),
        ("worst", {"grave": 0, "mild": 0.25}, "mild", 0.25),
    ],
)
def test_what_an_answer_weighs(of, weights, value, expected):
    made = number("penalty", of=of, weights=tuple(weights.items()))
    assert made.weight(value) == expected
    found = derived_of(made, {of: {"u": {"ann": value}}}, {"u": -1}, EVERY_ONE)
    assert found["u"]["ann"] == value
