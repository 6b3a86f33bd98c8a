"""Agreement of people: by hand, and a random study against libraries."""

from itertools import combinations

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from annotate.protocol.shipped import SHIPPED
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.items import items_of
from evaluation.reports.sections import people as rater_matrix
from evaluation.reports.sections.every import tables_of
from evaluation.reports.sections.people import people
from evaluation.reports.selection import select
from evaluation.statistics.bootstrap import weights
from evaluation.statistics.leave_one_out import Alike
from tests.evaluation.agreement.by_ratings import gwet, observed_agreement
from tests.evaluation.agreement.plainly import same_as_others
from tests.evaluation.reports.studies import made_study, study
from tests.evaluation.stats.resampled import on_fishers_scale

KEYS = ("utility", "attributable", "citation_support", "citation_precision")

ITEMS = items_of(SHIPPED)


def entry(data, key, **filters):
    found = people(select(data, Filters(resamples=50, **filters)))
    return next(one for one in found if one["item"] == key)


@pytest.fixture(scope="module")
def random_study():
    return made_study(3, 20, seed=4)


@pytest.fixture(scope="module")
def entries(random_study):
    found = people(select(random_study, Filters(resamples=50)))
    return {one["item"]: one for one in found}


def votes(data, key, **filters):
    return select(data, Filters(**filters)).votes(key)


def as_table(data, key):
    """Raters × units of places of values; NaN where there is none."""
    given = votes(data, key)
    raters = sorted({rater for said in given.values() for rater in said})
    return raters, np.array(
        [
            [ITEMS[key].values.index(s[r]) if r in s else np.nan for s in given.values()]
            for r in raters
        ]
    )


# By hand -----------------------------------------------------------------------------------------


def test_three_raters_by_hand():
    said = {"A/q1:r": "useful useful useful", "A/q2:r": "useful not_useful useful",
            "A/q3:r": "not_useful not_useful not_useful", "A/q4:r": "useful useful"}  # fmt: skip
    found = entry(study(votes={"pf_utility": said}), "pf_utility")
    assert (found["units"], found["ratings"], found["raters"]) == (4, 11, 3)
    # Pairs that agree: 3 + 1 + 3 + 1 of 3 + 3 + 3 + 1.
    assert found["percent"]["value"] == 0.8
    assert found["percent"]["n"] == 4
    # Fleiss over three units: P = (1 + 1/3 + 1) / 3 = 7/9, shares 5/9 and 4/9, P_e = 41/81.
    assert found["fleiss"]["value"] == round((7 / 9 - 41 / 81) / (1 - 41 / 81), 6)
    assert found["fleiss"]["n"] == 3
    assert found["fleiss_note"] == (
        "3 of 4 units, those with 3 ratings; 1 with fewer or more are left out."
    )
    assert found["distribution"] == [
        {"value": "not_useful", "label": "Not useful", "count": 4},
        {"value": "useful", "label": "Useful", "count": 7},
    ]
    # Raters 1 and 2: u-u, u-n, n-n, u-u. P_o = 3/4, P_e = (3·2 + 1·2) / 16 = 1/2.
    assert found["matrix"]["raters"] == ["rater-1", "rater-2", "rater-3"]
    assert found["matrix"]["kappas"][0][1] == found["matrix"]["kappas"][1][0] == 0.5
    # Raters 1 and 3 always agree, 2 and 3: u-u, n-u, n-n: P_o = 2/3, P_e = (1·2 + 2·1) / 9 = 4/9.
    assert found["matrix"]["kappas"][0][2] == 1
    assert found["matrix"]["kappas"][1][2] == 0.4
    assert found["matrix"]["units"] == [[4, 4, 3], [4, 4, 3], [3, 3, 3]]
    # Pooled: of 4, 3 and 3 answers 1, 0 and 1 differ; useful are 3/4, 2/4 and 2/3 of each.
    expected = 4 * (1 / 2) + 3 * (3 / 4 * 1 / 3 + 1 / 4 * 2 / 3) + 3 * (1 / 2)
    assert found["kappa_pooled"]["value"] == round(1 - 2 / expected, 6)
    assert (found["kappa_pooled"]["n"], found["kappa_pooled"]["of"]) == (3, "pairs of raters")
    assert found["kappa_mean"]["reason"] == rater_matrix.INCOMPLETE
    assert found["kappa_note"] == (
        "3 of 3 pairs of raters that share any share fewer than 10 units (half of all share 3 or "
        "fewer): what a single one comes to says next to nothing."
    )
    # Rater 2 against the others: 1, 0, 1, 1.
    assert found["each_rater"][1] == {
        "rater": "rater-2", "share": 0.75, "reason": "", "units": 4, "comparisons": 7,
        "excluded": False,
    }  # fmt: skip
    assert "mean" not in found


def test_ties_are_counted_with_what_the_rule_makes_of_them(subtests):
    for key, said, units, labels in [
        ("pf_utility", ["useful not_useful", "useful useful"], 1, {"not_useful": 1}),
        ("citation_support", ["none partial", "full full none none"], 2, {"none": 2}),
        ("citation_support", ["none full full"], 0, {}),
        ("utility", ["4 5", "5 5", "1 3 5"], 1, {"4": 1}),
    ]:
        unit = "s1.c1" if key == "citation_support" else "r"
        with subtests.test(key=key, said=said):
            votes = {f"A/q{n}:{unit}": one for n, one in enumerate(said)}
            found = entry(study(votes={key: votes}), key)["ties"]
            assert found["units"] == units
            assert {one["value"]: one["count"] for one in found["labels"]} == labels


def test_excluded_raters_are_compared_but_nobody_with_them():
    said = {f"A/q{n}:r": {"ann": "useful", "ben": "useful", "cat": "not_useful"} for n in (1, 2)}
    data = study(votes={"pf_utility": said}, excluded=["cat"])
    found = entry(data, "pf_utility")
    assert (found["ratings"], found["raters"]) == (4, 2)
    rows = [(r["rater"], r["share"], r["comparisons"], r["excluded"]) for r in found["each_rater"]]
    assert rows == [("ann", 1, 2, False), ("ben", 1, 2, False), ("cat", 0, 4, True)]
    found = entry(data, "pf_utility", excluded_in=True)
    rows = [(r["rater"], r["share"], r["comparisons"], r["excluded"]) for r in found["each_rater"]]
    assert rows == [("ann", 0.5, 4, False), ("ben", 0.5, 4, False), ("cat", 0, 4, True)]


def test_nobody_rated():
    assert people(select(study(units=["A/q1:s1"]), Filters())) == []


def test_of_many_raters_the_matrix_has_those_who_rated_most(monkeypatch):
    monkeypatch.setattr(rater_matrix, "MOST_RATERS", 3)
    said = {f"A/q{n}:r": {"ann": "useful", "ben": "useful" if n % 2 else "not_useful",
                          "cat": "useful", "dan": "not_useful"} for n in range(6)}  # fmt: skip
    found = entry(study(votes={"pf_utility": said}), "pf_utility")
    assert found["matrix"]["raters"] == ["ann", "ben", "cat"]
    assert found["matrix"]["note"] == "The 3 of 4 raters who rated most."
    assert len(found["matrix"]["kappas"]) == 3
    assert found["kappa_mean"]["n"] == 5  # ann and cat always gave the same
    assert found["kappa_mean"]["low"] is None
    assert found["kappa_mean"]["interval_reason"] == "more than 3 raters"


# A random study ----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_alpha_against_krippendorff(random_study, entries, key):
    _, table = as_table(random_study, key)
    expected = krippendorff.alpha(
        table, value_domain=list(range(len(ITEMS[key].values))),
        level_of_measurement=ITEMS[key].scale,
    )  # fmt: skip
    assert entries[key]["alpha"]["value"] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("key", KEYS)
def test_fleiss_against_statsmodels(random_study, entries, key):
    _, table = as_table(random_study, key)
    numbers = np.isfinite(table).sum(axis=0)
    most = max(range(2, 6), key=lambda n: ((numbers == n).sum(), n))
    units = table[:, numbers == most].T
    complete = np.array([row[np.isfinite(row)] for row in units]).astype(int)
    expected = fleiss_kappa(aggregate_raters(complete, len(ITEMS[key].values))[0])
    assert entries[key]["fleiss"]["value"] == pytest.approx(expected, abs=1e-6)
    assert entries[key]["fleiss"]["n"] == len(complete)


@pytest.mark.parametrize("key", KEYS)
def test_kappas_against_scikit_learn(random_study, entries, key):
    _, table = as_table(random_study, key)
    weighted = "quadratic" if ITEMS[key].scale == "ordinal" else None
    found, every = entries[key], []
    for a, b in combinations(range(len(table)), 2):
        both = np.isfinite(table[a]) & np.isfinite(table[b])
        expected = cohen_kappa_score(
            table[a, both], table[b, both], weights=weighted,
            labels=list(range(len(ITEMS[key].values))),
        )  # fmt: skip
        every.append(expected)
        assert found["matrix"]["kappas"][a][b] == pytest.approx(expected, abs=1e-6)
        assert found["matrix"]["units"][a][b] == both.sum()
    assert found["kappa_mean"]["reason"] == rater_matrix.INCOMPLETE
    pooled = found["kappa_pooled"]
    assert min(every) < pooled["value"] < max(every)
    assert "|interval:z|" in pooled["signature"]
    ends = on_fishers_scale(pooled["value"], pooled["se"], 20)
    assert (pooled["low"], pooled["high"]) == pytest.approx(ends, abs=1e-5)


@pytest.mark.parametrize("key", KEYS)
def test_the_rest_as_unit_by_unit(random_study, entries, key):
    given, item = votes(random_study, key), ITEMS[key]
    found = entries[key]
    assert found["percent"]["value"] == pytest.approx(observed_agreement(given).value, abs=1e-6)
    expected = gwet(given, item.values, item.scale).value
    assert found["ac1"]["value"] == pytest.approx(expected, abs=1e-6)
    everyone = votes(random_study, key, excluded_in=True)
    names = [judge.name for judge in random_study.judges]
    voters = {n for n, judge in enumerate(random_study.judges) if not judge.excluded}
    alike: dict[str, Alike] = {}
    for said in everyone.values():
        for judge, (same, others) in same_as_others(said, voters).items():
            alike.setdefault(names[judge], Alike()).add(same, others)
    for row in found["each_rater"]:
        assert row["share"] == pytest.approx(alike[row["rater"]].value, abs=1e-6)
        assert row["comparisons"] == alike[row["rater"]].comparisons
        assert row["excluded"] == (row["rater"] == "rater-5")


def test_the_interval_of_alpha_is_that_of_drawing_questions_and_counting_again(random_study):
    """Each draw as a study of its own, by the library."""
    selected = select(random_study, Filters(resamples=200, seed=3))
    found = next(e for e in people(selected) if e["item"] == "attributable")["alpha"]
    _, table = as_table(random_study, "attributable")
    clusters = selected.unit_question[list(selected.votes("attributable"))]
    drawn = []
    for row in np.concatenate(list(weights(20, draws=200, seed=3))).astype(int):
        often = row[clusters]
        drawn.append(krippendorff.alpha(np.repeat(table, often, axis=1), value_domain=[0, 1],
                                        level_of_measurement="nominal"))  # fmt: skip
    assert found["se"] == pytest.approx(np.std(drawn, ddof=1), abs=1e-6)
    ends = on_fishers_scale(found["value"], found["se"], 20)
    assert (found["low"], found["high"]) == pytest.approx(ends, abs=1e-5)
    assert found["signature"] == (
        "alpha|nominal|interval:z|bootstrap|clusters:20|resamples:200|seed:3|level:0.95|v:1"
    )


def spread(answers, key="attributable"):
    """A study of units whose raters answer as these words say."""
    return study(votes={key: {f"A/q{n:02}:r": said for n, said in enumerate(answers)}})


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (spread(["yes yes no", "no no no", "yes no no", "no yes yes"]), "as many ratings"),
        (spread(["yes yes no", "no no -", "yes no no", "no yes yes"]), "different numbers"),
        (spread(["5 4 1", "1 2 2", "3 3 4"], "utility"), "ordered answers"),
        (spread([*["yes yes yes"] * 9, "yes yes no"]), "97 % of all answers are the same"),
        (spread(["yes yes", "yes yes"]), "undefined"),
    ],
    ids=["complete", "sparse", "ordered", "nearly constant", "constant"],
)
def test_one_coefficient_is_the_one_to_cite_and_says_why(data, why):
    report = build(data, Filters(resamples=50))
    tables = {table.key: table for table in tables_of(report)}
    shown = {
        column.key: cell
        for column, cell in zip(tables["people"].columns, tables["people"].rows[0], strict=True)
    }
    assert why in str(shown["why"])
    assert "alpha" in shown
    others = {column.key for column in tables["coefficients"].columns}
    assert not others & {"alpha", "percent"}
    assert {"fleiss", "kappa_pooled"} <= others
    assert others & {"ac1", "ac2"}
