"""Citation precision out of two answers, rule by rule."""

import pytest

from annotate.protocol.shipped import SHIPPED
from evaluation.agreement.derived import derive as derived_of

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


@pytest.mark.parametrize("rule", ["support", "appendix-e"])
def test_judges_and_statements_are_kept_apart(rule):
    recall = {"s": {"anna": "yes", "ben": "no"}, "t": {"anna": "no"}}
    support = {
        "c1": {"anna": "partial", "ben": "partial"},
        "c2": {"anna": "none", "ben": "none"},
        "d1": {"anna": "partial"},
    }
    of = {"c1": "s", "c2": "s", "d1": "t"}
    assert citation_precision(recall, support, of, rule=rule) == {
        "c1": {"anna": "yes", "ben": "no"},
        "c2": {"anna": "no", "ben": "no"},
        "d1": {"anna": "no"},
    }


def test_a_citation_that_does_not_count_is_left_out():
    support = {"c1": {"anna": "partial"}, "c9": {"anna": "full"}}
    found = citation_precision(
        {"s": {"anna": "yes"}}, support, {"c1": "s", "c2": "s"}, rule="appendix-e"
    )
    assert found == {}  # c2 is not answered
    found = citation_precision({"s": {"anna": "yes"}}, support, {"c1": "s"}, rule="appendix-e")
    assert found == {"c1": {"anna": "yes"}}
