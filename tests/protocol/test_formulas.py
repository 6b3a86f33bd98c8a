"""The language of derived numbers: what is read, what is refused, and what a formula comes to."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.protocol.answers import Choice
from annotate.protocol.dimensions import Dimension, UnitKind
from annotate.protocol.formulas import Both, Either, FormulaError, Not, TestedAnswer, parse
from annotate.protocol.formulas import Test as Held
from annotate.protocol.shipped import SHIPPED
from tests.cases import each

YES, NO, UNKNOWN = True, False, None


def dimension(key, kind, *low_to_high, positive=()):
    return Dimension(
        key=key,
        unit_kind=UnitKind(kind),
        title=key,
        question=f"{key}?",
        choices=tuple(Choice(value, value) for value in low_to_high),
        low_to_high=low_to_high,
        positive=frozenset(positive or low_to_high[-1:]),
        scale="ordinal",
        sight="cited",
        asked_of=("people",),
    )


KNOWN = {
    each.key: each
    for each in (
        dimension("whole", "response", "no", "yes"),
        dimension("a", "statement", "no", "yes"),
        dimension("b", "statement", "none", "partial", "full", positive=("partial", "full")),
        dimension("part", "citation", "none", "partial", "full"),
    )
}


def of_other_answers(key, kind, answer, scale, **said):
    made = {
        "choices": tuple(Choice(one, one) for one in said.pop("names", ())),
        "low_to_high": (),
        "positive": frozenset(said.pop("positive", ())),
        "label_by": said.pop("label_by", "majority"),
        "answer": answer,
        "scale": scale,
    }
    return replace(dimension(key, kind, "no", "yes"), **made, **said)


KNOWN |= {
    each.key: each
    for each in (
        of_other_answers("much", "statement", "number", "interval", low=-5, high=100, decimals=1,
                         label_by="mean"),
        of_other_answers("some", "statement", "several", "masi", names=("p", "q", "r"),
                         positive=("q",)),
        of_other_answers("marks", "citation", "spans", "unitised", names=("p", "q"),
                         severities=(Choice("light", "light"), Choice("heavy", "heavy"))),
        of_other_answers("words", "statement", "text", "none", label_by="none"),
    )
}  # fmt: skip


def value(text, answers):
    """What a formula comes to, where `answers` has by place and key the values there."""
    return parse(text).value(lambda place, key: answers[place, key], KNOWN)


# Reading -----------------------------------------------------------------------------------------

A, B = (
    Held(TestedAnswer("unit", "a"), "is", "yes"),
    Held(TestedAnswer("unit", "b"), "is not", "full"),
)


@each(
    ("text", "root"),
    [
        ("a is yes", A),
        ("  a   is\n yes ", A),
        ("b is not full", B),
        ("b is at least partial", Held(TestedAnswer("unit", "b"), "is at least", "partial")),
        ("b is at most partial", Held(TestedAnswer("unit", "b"), "is at most", "partial")),
        ("b is positive", Held(TestedAnswer("unit", "b"), "is", "positive")),
        ("b is not positive", Held(TestedAnswer("unit", "b"), "is not", "positive")),
        ("parent.a is yes", Held(TestedAnswer("parent", "a"), "is", "yes")),
        ("response.whole is yes", Held(TestedAnswer("response", "whole"), "is", "yes")),
        ("no sibling.b is full", Held(TestedAnswer("sibling", "b", "no"), "is", "full")),
        ("any child.part is full", Held(TestedAnswer("child", "part", "any"), "is", "full")),
        ("every child.part is full", Held(TestedAnswer("child", "part", "every"), "is", "full")),
        ("fluency@2 is yes", Held(TestedAnswer("unit", "fluency@2"), "is", "yes")),
        ("not a is yes", Not(A)),
        ("not not a is yes", Not(Not(A))),
        ("(a is yes)", A),
        # “or” binds less than “and”, and this less than “not”; both group from the left.
        ("a is yes or b is not full and a is yes", Either(A, Both(B, A))),
        ("a is yes and b is not full or a is yes", Either(Both(A, B), A)),
        ("(a is yes or b is not full) and a is yes", Both(Either(A, B), A)),
        ("not a is yes and b is not full", Both(Not(A), B)),
        ("not (a is yes and b is not full)", Not(Both(A, B))),
        ("a is yes or a is yes or b is not full", Either(Either(A, A), B)),
        ("a is yes and a is yes and b is not full", Both(Both(A, A), B)),
    ],
)
def test_what_is_written_is_read(text, root):
    assert parse(text).root == root


def test_what_a_formula_looks_at_is_told_once_and_in_order():
    formula = parse("parent.a is yes and b is full or parent.a is no and no sibling.b is full")
    assert formula.answers() == [
        TestedAnswer("parent", "a"), TestedAnswer("unit", "b"), TestedAnswer("sibling", "b", "no"),
    ]  # fmt: skip


@each(
    ("text", "words"),
    [
        ("", "expected a dimension, such as “parent.citation_recall”; found the end"),
        ("a", "expected “is”; found the end"),
        ("a yes", "expected “is”; found “yes”"),
        ("a is", "expected an answer; found the end"),
        ("a is not", "expected an answer; found the end"),
        ("a is at", "expected “least” or “most”; found the end"),
        ("a is at yes", "expected “least” or “most”; found “yes”"),
        ("a is at least positive", "expected an answer; found “positive”"),
        ("a is (yes)", "expected an answer; found “\\(”"),
        ("a is and", "expected an answer; found “and”"),
        ("a is parent.b", "expected an answer; found “parent.b”"),
        ("a is yes b is no", "expected “and”, “or” or the end; found “b”"),
        ("a is yes and", "found the end"),
        ("a is yes or or b is no", "expected a dimension.*; found “or”"),
        ("not", "expected a dimension.*; found the end"),
        ("is yes", "expected a dimension.*; found “is”"),
        ("(a is yes", "expected “\\)”; found the end"),
        ("a is yes)", "expected “and”, “or” or the end; found “\\)”"),
        ("()", "expected a dimension.*; found “\\)”"),
        ("grandparent.a is yes", "expected one of parent.* before the full stop; found “grandp"),
        ("parent.parent.a is yes", "before the full stop; found “parent.parent”"),
        (".a is yes", "before the full stop; found “”"),
        ("parent. is yes", "expected the key of a dimension; found “”"),
        ("1a is yes", "expected the key of a dimension; found “1a”"),
        ("a@0 is yes", "expected the key of a dimension; found “a@0”"),
        (
            "child.part is full",
            "expected “any”, “no” or “every” before “child.part”; found nothing",
        ),
        ("sibling.b is full", "expected “any”, “no” or “every” before “sibling.b”; found nothing"),
        ("any a is yes", "expected no such word; found “any”"),
        ("every parent.a is yes", "expected no such word; found “every”"),
        ("a = yes", "expected words, brackets and full stops between words; found “=”"),
        ("A is yes", "expected words.*; found “A”"),
        ("a is “yes”", "expected words.*; found ““”"),
        ("__import__('os')", "expected words.*; found “'”"),
        ("a is yes\x00", "expected words.*"),
        ("(" * 40 + "a is yes" + ")" * 40, "expected at most 30 brackets within each other"),
        ("not " * 40 + "a is yes", "expected at most 30 brackets within each other"),
        ("(" * 5_000, "expected at most 30 brackets within each other"),
    ],
)
def test_what_is_no_formula_is_refused(text, words):
    with pytest.raises(FormulaError, match=words):
        parse(text)


@each(
    ("kind", "text", "words"),
    [
        ("statement", "c is yes", "expected one of whole, a, b, part, .*; found “c”"),
        ("statement", "a is maybe", "expected one of no, yes; found “maybe”"),
        ("statement", "b is at least maybe", "expected one of none, partial, full; found “maybe”"),
        ("statement", "part is full", "expected a dimension of the unit, a statement"),
        ("citation", "parent.part is full", "expected a dimension of its parent, a statement"),
        ("response", "parent.a is yes", "expected a place that a response has; found “parent”"),
        ("statement", "any child.b is full", "a dimension of its child, a citation or claim"),
        ("response", "any sibling.whole is yes", "expected a place that a response has"),
        ("citation", "any sibling.a is yes", "expected a dimension of its sibling, a citation"),
        ("citation", "response.a is yes", "expected a dimension of its response, a response"),
        ("citation", "parent.a is yes", "about the unit itself or its children; found none"),
        ("statement", "no sibling.a is yes", "about the unit itself or its children; found none"),
    ],
)
def test_what_no_answer_can_mean_is_refused(kind, text, words):
    with pytest.raises(FormulaError, match=words):
        parse(text).check(UnitKind(kind), KNOWN)


def test_what_answers_can_mean_is_taken():
    for kind, text in (
        ("statement", "a is yes and response.whole is yes"),
        ("statement", "any child.part is full"),
        ("citation", "part is full and parent.a is yes and no sibling.part is full"),
    ):
        parse(text).check(UnitKind(kind), KNOWN)


# What it comes to --------------------------------------------------------------------------------

SAID = {YES: "yes", NO: "no", UNKNOWN: None}
AND = dict.fromkeys(product((YES, UNKNOWN), repeat=2), UNKNOWN) | {(YES, YES): YES}
OR = dict.fromkeys(product((NO, UNKNOWN), repeat=2), UNKNOWN) | {(NO, NO): NO}


@each(("first", "second"), [*product(SAID, repeat=2)])
def test_kleenes_tables(first, second):
    two = {
        "one": dimension("one", "statement", "no", "yes"),
        "two": dimension("two", "statement", "no", "yes"),
    }
    answers = {"one": SAID[first], "two": SAID[second]}

    def comes_to(text):
        return parse(text).value(lambda place, key: [answers[key]], two)

    assert comes_to("one is yes and two is yes") is AND.get((first, second), NO)
    assert comes_to("one is yes or two is yes") is OR.get((first, second), YES)
    assert comes_to("not one is yes") is {YES: NO, NO: YES, UNKNOWN: UNKNOWN}[first]
    # “is not” says nothing of what was not answered, either.
    assert comes_to("one is not yes") is comes_to("not one is yes")


# Against another way of reckoning ----------------------------------------------------------------

POSSIBLE = {
    "much": ("-5", "0", "2.5", "99.9"),
    "some": ("-", "p", "q", "p|r", "p|q|r"),
    "marks": ("-", "p1@0-4:p:light", "p2@0-4:q:light|p2@7-9:q:heavy"),
}
"""Some answers to questions that are not answered by a choice."""


def possible(key):
    return POSSIBLE.get(key) or KNOWN[key].low_to_high


def named(answer):
    return {name for part in answer.split("|") for name in (part.split(":")[1:] or [part])}


LOOKS = {
    "a": ("unit", "a", ""),
    "b": ("unit", "b", ""),
    "response.whole": ("response", "whole", ""),
    "any child.part": ("child", "part", "any"),
    "no child.part": ("child", "part", "no"),
    "every child.part": ("child", "part", "every"),
    "any sibling.b": ("sibling", "b", "any"),
    "much": ("unit", "much", ""),
    "some": ("unit", "some", ""),
    "every child.marks": ("child", "marks", "every"),
}


@st.composite
def single(draw):
    said = draw(st.sampled_from(sorted(LOOKS)))
    one = KNOWN[LOOKS[said][1]]
    ordered = one.is_choice or one.answer == "number"
    values = possible(one.key) if ordered else one.named
    ways = ["is", "is not", *(["is at least", "is at most"] if ordered else [])]
    how = draw(st.sampled_from(ways))
    return ("test", said, how, draw(st.sampled_from(values)))


def trees():
    return st.recursive(
        single(),
        lambda inner: st.one_of(
            st.tuples(st.just("not"), inner),
            st.tuples(st.sampled_from(["and", "or"]), inner, inner),
        ),
        max_leaves=6,
    )


def written(tree):
    if tree[0] == "test":
        return " ".join(tree[1:])
    if tree[0] == "not":
        return f"not ({written(tree[1])})"
    return f"({written(tree[1])}) {tree[0]} ({written(tree[2])})"


def truth(tree, answers):
    """With all answers known: plain logic."""
    if tree[0] == "not":
        return not truth(tree[1], answers)
    if tree[0] == "and":
        return truth(tree[1], answers) and truth(tree[2], answers)
    if tree[0] == "or":
        return truth(tree[1], answers) or truth(tree[2], answers)
    _, said, how, wanted = tree
    place, key, quantifier = LOOKS[said]
    is_one = KNOWN[key].is_choice or KNOWN[key].answer == "number"
    order = possible(key)
    holds = {
        "is": lambda one: one == wanted if is_one else wanted in named(one),
        "is not": lambda one: one != wanted if is_one else wanted not in named(one),
        "is at least": lambda one: order.index(one) >= order.index(wanted),
        "is at most": lambda one: order.index(one) <= order.index(wanted),
    }[how]
    held = [holds(one) for one in answers[place, key]]
    if quantifier == "every":
        return all(held)
    return not any(held) if quantifier == "no" else any(held)


@st.composite
def sets_of_answers(draw):
    found = {}
    for place, key, quantifier in LOOKS.values():
        one = st.sampled_from([*possible(key), None])
        size = (0, 3) if quantifier else (1, 1)
        found[place, key] = draw(st.lists(one, min_size=size[0], max_size=size[1]))
    return found


def worlds(answers):
    """All ways in which what is unknown may turn out."""
    open_places = [
        (at, number)
        for at, values in answers.items()
        for number, one in enumerate(values)
        if one is None
    ]
    every = [possible(at[1]) for at, _ in open_places]
    for filled in product(*every):
        world = {at: list(values) for at, values in answers.items()}
        for (at, number), one in zip(open_places, filled, strict=True):
            world[at][number] = one
        yield world


@given(trees(), sets_of_answers())
def test_every_formula_comes_to_yes_no_or_unknown_and_never_to_what_is_not_so(tree, answers):
    found = value(written(tree), answers)
    assert found in (YES, NO, UNKNOWN)
    known = {at: list(values) for at, values in answers.items()}
    if all(one is not None for values in known.values() for one in values):
        assert found is truth(tree, known)
    elif found is not UNKNOWN:
        # A value is kept however the rest is answered.
        assert all(truth(tree, world) is found for world in worlds(answers))


# The rules that were code ------------------------------------------------------------------------


def _look(answers):
    return lambda place, key: answers[place, key]


def by_support(recall, support):
    """Precise if the statement is supported and the citation supports; else unknown."""
    if recall is None or support is None:
        return UNKNOWN
    return recall == "yes" and support in {"full", "partial", "needed"}


def by_appendix_e(recall, support, others):
    """Full support, or partial where only all together support, and none of the others fully."""
    if support == "full":
        return YES
    if support == "none" or recall == "no" or "full" in others:
        return NO
    return UNKNOWN if recall is None or None in others else YES


RECALLS, SUPPORTS = ("yes", "no", None), ("full", "partial", "none")


@each("key", ["citation_precision", "claim_precision"])
def test_precision_is_as_it_was_computed(key):
    rule = SHIPPED.derived[key]
    of = "citation" if key == "citation_precision" else "claim"
    for recall, support in product(RECALLS, (*SUPPORTS, "needed", "not_needed", None)):
        answers = {("parent", f"{of}_recall"): [recall], ("unit", f"{of}_support"): [support]}
        found = parse(rule.formula).value(_look(answers), SHIPPED)
        wanted = by_support(recall, support)
        if wanted is UNKNOWN and found is NO:
            assert not rule.decides_early  # what is derived asks for all answers first
            continue
        assert found is wanted, answers


def test_precision_of_appendix_e_is_as_it_was_computed():
    rule = SHIPPED.derived["citation_precision_e"]
    assert rule.decides_early
    others = [(), *((one,) for one in (*SUPPORTS, None)), *product((*SUPPORTS, None), repeat=2)]
    for recall, support, around in product(RECALLS, SUPPORTS, others):
        answers = {
            ("parent", "citation_recall"): [recall],
            ("unit", "citation_support"): [support],
            ("sibling", "citation_support"): around,
        }
        found = parse(rule.formula).value(_look(answers), SHIPPED)
        assert found is by_appendix_e(recall, support, around), answers
