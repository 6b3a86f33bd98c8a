"""Gwet's AC1 and AC2: published, against irrCAC's figures, and under skew."""

from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.statistics.gwet import coefficients
from evaluation.statistics.ratings import undefined
from tests.evaluation.agreement.by_ratings import (
    cohen_kappa,
    contributions,
    gwet,
)

LEVELS = ("1", "2", "3")


def ratings(*units):
    """Each unit as a word of digits, the answers of judges 0, 1, 2 ...; a dot is no answer."""
    return {
        number: {judge: digit for judge, digit in enumerate(unit) if digit != "."}
        for number, unit in enumerate(units)
    }


def test_by_hand():
    # 1 1, 1 2, 1 1: P_a = 2/3; π = 5/6, 1/6; P_e = 2·(5/36)/(2 - 1) = 5/18.
    # AC1 = (12/18 - 5/18) / (13/18) = 7/13.
    found = gwet(ratings("11", "12", "11"), ("1", "2"), "nominal").value
    assert found == pytest.approx(7 / 13)


# Made once with irrCAC 0.4.4, which needs an older numpy than Attest has.
MADE = [
    (
        "11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 ..3.",
        ("1", "2", "3", "4", "5"), 0.77544407, 0.91400072,
    ),
    (
        "32. .11 111 323 22. 322 231 331 232 133 .11 31.",
        LEVELS, 0.21038961, 0.11340206,
    ),
    (
        "223 311 331 1.2 1.1 222 .13 .32 312 311 .23 1.2",
        LEVELS, -0.08051948, -0.15463918,
    ),
    (
        "3.1 123 212 2.. 313 121 121 211 323 332 ..3 333",
        LEVELS, 0.00546763, 0.07044168,
    ),
]  # fmt: skip


def test_against_irrcac(subtests):
    for units, values, ac1, ac2 in MADE:
        with subtests.test(units=units, values=values):
            made = ratings(*units.split())
            assert gwet(made, values, "nominal").value == pytest.approx(ac1, abs=1e-7)
            assert gwet(made, values, "ordinal").value == pytest.approx(ac2, abs=1e-7)


def test_under_skew_it_stays_where_kappa_collapses():
    """Gwet (2008): 118 times both, 5 and 2 times one of the two, never neither."""
    units = ["11"] * 118 + ["12"] * 5 + ["21"] * 2
    pairs = [(unit[0], unit[1]) for unit in units]
    assert gwet(ratings(*units), ("1", "2"), "nominal").value == pytest.approx(0.9408, abs=5e-5)
    kappa = cohen_kappa(pairs, ("1", "2"), "nominal").value
    assert kappa == pytest.approx(-0.0234, abs=5e-5)


def nearness(one, other, metric):
    return float(one == other) if metric == "nominal" else 1 - (int(one) - int(other)) ** 2 / 4


@pytest.mark.parametrize("metric", ["nominal", "ordinal"])
@settings(deadline=None)
@given(units=st.lists(st.text("123.", min_size=3, max_size=3), min_size=1, max_size=30))
def test_it_follows_the_formulas(metric, units):
    made = ratings(*units)
    rated = [list(votes.values()) for votes in made.values() if votes]
    several = [votes for votes in rated if len(votes) > 1]
    if not several:
        assert gwet(made, LEVELS, metric) == undefined("nothing has two ratings yet")
        return
    agreement = 0.0
    for votes in several:
        near = [nearness(one, other, metric) for one, other in permutations(votes, 2)]
        agreement += sum(near) / len(near) / len(several)
    shares = [sum(v.count(k) / len(v) for v in rated) / len(rated) for k in LEVELS]
    total = sum(nearness(one, other, metric) for one, other in product(LEVELS, repeat=2))
    chance = total / 6 * sum(share * (1 - share) for share in shares)
    expected = (agreement - chance) / (1 - chance)
    assert gwet(made, LEVELS, metric).value == pytest.approx(expected)


def test_undefined():
    assert gwet({}, LEVELS, "nominal") == undefined("nothing has two ratings yet")
    assert gwet(ratings("1", "2"), LEVELS, "ordinal") == undefined("nothing has two ratings yet")
    assert gwet(ratings("11"), ("1",), "nominal").value is None


def test_weights_stand_for_repeated_units():
    per_unit = contributions(ratings("112", "12.", "3.."), LEVELS, "ordinal")
    twice = gwet(ratings("112", "112", "12.", "3.."), LEVELS, "ordinal").value
    summed = 2 * per_unit[0] + per_unit[1] + per_unit[2]
    assert coefficients(summed[None], "ordinal")[0] == pytest.approx(twice)
