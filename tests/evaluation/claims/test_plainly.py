"""Any tree gives the claims that the rules give when they are applied plainly."""

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.claims import claims_from_tree
from tests.evaluation.claims.plainly import plain_claims


@st.composite
def cited_trees(draw):
    """Trees of any shape, crossing edges included, rich in what the rules ask for."""
    size = draw(st.integers(2, 14))
    order = draw(st.permutations(range(size)))
    heads = [0] * size
    for place, word in enumerate(order):
        heads[word] = order[draw(st.integers(max(0, place - 5), place - 1))] if place else word
    labels = st.sampled_from(["prep", "advcl", "cc", "punct", "conj", "dobj"])
    deps = [draw(labels) if heads[word] != word else "ROOT" for word in range(size)]
    words = [
        "," if dep == "punct" and draw(st.booleans()) else f"w{word}"
        for word, dep in enumerate(deps)
    ]
    cited = draw(st.sets(st.integers(0, size - 1), min_size=2, max_size=6))
    return words, heads, deps, {word: [word] for word in cited}


@settings(max_examples=1500, deadline=None)
@given(cited_trees())
def test_claims_are_those_of_the_rules_applied_plainly(tree):
    words, heads, deps, marks = tree
    claims = claims_from_tree(words, heads, deps, marks)
    assert [list(claim.words) for claim in claims] == plain_claims(words, heads, deps, marks)
    assert [n for claim in claims for n in claim.citations] == sorted(marks)
    assert all(claim.text == " ".join(words[word] for word in claim.words) for claim in claims)
    assert all(claim.fallback or claim.node in claim.words for claim in claims)
