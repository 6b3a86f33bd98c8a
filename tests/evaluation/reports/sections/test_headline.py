"""The answer first: words that the numbers bear out."""

import copy
import json

import pytest

from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import number
from evaluation.reports.sections.headline import headline
from evaluation.statistics.ratings import Figure, undefined
from tests.evaluation.reports.studies import AUTOAIS, CORRECTNESS, study


def known(value, low=None, high=None, n=16, of="systems"):
    found = number(Figure(value), n=n, of=of)
    return found | {"low": low, "high": high, "interval_reason": "" if low else "no interval"}


def unknown(reason, n=2, of="systems"):
    return number(undefined(reason), n=n, of=of)


def ranks(pearson=None, soft=0.95, **parts):
    """How alike a judge and people rank systems."""
    pearson = pearson or known(0.97, 0.93, 0.99)
    return {
        "pearson": pearson,
        "soft_accuracy": known(soft, soft - 0.04, soft + 0.03, pearson["n"]),
        "chance": 0.001,
        "chance_of_better": 0.001,
        "chance_within": 0.001,
        "warning": "",
    } | parts


def correlation(**parts):
    """The row of a judge over systems."""
    found = {"group": 1, "people": "attributable", "judge": "j1", "key": "attributable"}
    return found | ranks() | {"outlying": [], "without_outlying": None, "left_out": []} | parts


def leading(**parts):
    """Which judge is spoken of, and how it stands beside the others."""
    found = {"item": "attributable", "judge": "j1", "primary": False, "judges": 1, "other": None}
    return found | {"difference": None, "clear": False} | parts


def one_more(judge=(0.5, 0.45, 0.55), rater=(0.52, 0.48, 0.56), less=(-0.02, -0.05, 0.01)):
    """A judge's kappa with the other raters, a left-out rater's, and the difference."""
    keys = "judge", "rater", "difference"
    return {
        key: known(one[0], one[1], one[2], 2800, "ratings")
        if isinstance(one, tuple)
        else unknown(one)
        for key, one in zip(keys, (judge, rater, less), strict=True)
    }


def of_people(alpha, units=950, tied=90):
    row = {"item": "attributable", "units": units, "ties": {"units": tied}, "raters": 5}
    return row | {"alpha": alpha}


def report(**parts):
    """A report about one judge and one item, as far as the headline reads it."""
    found = {
        "counts": {"judges": 1, "questions": 200, "rated_questions": 200},
        "judges": [{"id": "j1", "title": "AutoAIS", "caution": ""}],
        "items": [
            {
                "key": "attributable",
                "title": "Attributable",
                "values": [{"value": "no", "label": "No"}, {"value": "yes", "label": "Yes"}],
            }
        ],
        "people": [of_people(known(0.55, 0.52, 0.58, 900, "units"))],
        "systems": {"groups": [], "people": ["attributable"], "automatic": [], "rows": []},
        **{key: [] for key in ("comparisons", "powered", "thresholds")},
        "agreement": [
            {
                "judge": "j1",
                "item": "attributable",
                "units": 941,
                "kappa": known(0.52, 0.47, 0.57, 941, "responses"),
                "one_more_rater": one_more(),
                "confusion": {"values": ["no", "yes"], "table": [[300, 66], [57, 518]]},
                "detects": {
                    "recall": known(0.82, 0.78, 0.86, 941, "responses"),
                    "precision": known(0.84, 0.8, 0.88, 941, "responses"),
                },
            }
        ],
        "correlations": {"systems": [correlation()]},
        "leading": leading(),
        **{key: {"primary": ""} for key in ("filters", "study")},
    }
    return copy.deepcopy(found) | parts


def said(report):
    return {one["key"]: one["text"] for one in headline(report)}


def test_the_answer_first():
    assert [(one["key"], one["text"]) for one in headline(report())] == [
        (
            "correlation",
            "AutoAIS ranks your systems like people do: soft pairwise accuracy 95 % [91 %, 98 %], "
            "Pearson 0.97 [0.93, 0.99], 16 systems.",
        ),
        (
            "kappa",
            "On each answer the agreement of AutoAIS with people's labels is moderate: kappa "
            "0.52 [0.47, 0.57], 941 answers.",
        ),
        (
            "ceiling",
            "With one rater left out at a time, it agrees with the majority of the others like "
            "one more rater would: kappa 0.50 [0.45, 0.55]; the left-out rater reaches 0.52 "
            "[0.48, 0.56].",
        ),
        (
            "misses",
            "It misses 18 % [14 %, 22 %] of the answers that are not attributable. People "
            "consider 16 % [12 %, 20 %] of the units that it calls not attributable to be "
            "attributable.",
        ),
        (
            "people",
            "People's agreement with each other on “Attributable” is moderate: "
            "Krippendorff's alpha 0.55 [0.52, 0.58], 5 raters.",
        ),
    ]


CANNOT_TELL = "We cannot tell whether AutoAIS ranks your systems like people do: "
FEW = "with {} systems, the same order can happen by chance; at least 5 are needed."
ROUGHLY = "AutoAIS ranks your systems roughly like people do: "
SLIGHTLY = "AutoAIS ranks your systems partly like people do: "
AGAINST = "AutoAIS ranks your systems in the opposite order to people: "


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (ranks(known(0.9, 0.8, 0.95), 0.8), "AutoAIS ranks your systems like people do: soft pair"),
        (ranks(known(0.85, 0.79, 0.9), 0.9), ROUGHLY),
        (ranks(known(0.9, 0.85, 0.95), 0.79), ROUGHLY),
        (ranks(known(0.9, 0.85, 0.95), chance=0.03), ROUGHLY),
        (ranks(known(0.9, 0.85, 0.95), 0.69), SLIGHTLY),
        (ranks(known(0.3, 0.1, 0.45), 0.6), SLIGHTLY),
        (
            ranks(known(0.1, -0.1, 0.3), 0.5),
            "AutoAIS does not rank your systems like people do: soft pairwise accuracy 50 % "
            "[46 %, 53 %], Pearson 0.10 [−0.10, 0.30], 16 systems.",
        ),
        (ranks(known(-0.6, -0.8, -0.2), 0.2), AGAINST),
        (
            ranks(known(-0.6, -0.8, -0.2, n=6), 0.2, chance=0.08),
            f"{CANNOT_TELL}with 6 systems, 8 % of random orders go against people's order as much "
            "(soft pairwise accuracy 20 % [16 %, 23 %], Pearson −0.60 [−0.80, −0.20], 6 systems).",
        ),
        (
            ranks(known(0.9, 0.85, 0.95, n=5), chance=0.18),
            f"{CANNOT_TELL}with 5 systems, 18 % of random orders fit people's order as well (soft "
            "pairwise accuracy 95 % [91 %, 98 %], Pearson 0.90 [0.85, 0.95], 5 systems).",
        ),
        (
            ranks(known(0.9, 0.2, 0.99)),
            f"{CANNOT_TELL}the interval of Pearson is too wide (soft pairwise accuracy 95 %",
        ),
        (
            ranks(warning="the systems differ hardly more than chance; rate more questions"),
            f"{CANNOT_TELL}the systems differ hardly more than chance; rate more questions (soft "
            "pairwise accuracy 95 % [91 %, 98 %], Pearson 0.97 [0.93, 0.99], 16 systems).",
        ),
        (
            ranks(chance_of_better=0.2),
            f"{CANNOT_TELL}without the lowest third of them, 20 % of random orders fit people's "
            "order as well (soft pairwise accuracy 95 % [91 %, 98 %], Pearson 0.97 [0.93, 0.99], "
            "16 systems).",
        ),
        (ranks(chance_of_better=0.03), ROUGHLY),
        (ranks(chance_within=0.07), ROUGHLY),
        (ranks(chance_within=0.2), f"{CANNOT_TELL}if only similar systems are exchanged, 20 %"),
        (ranks(known(0.97, 0.9, 0.99, n=4)), CANNOT_TELL + FEW.format(4)),
        (ranks(unknown("fewer than 3 systems")), CANNOT_TELL + FEW.format(2)),
        (
            ranks(unknown("constant ratings", n=6)),
            f"{CANNOT_TELL}Pearson's correlation is undefined (constant ratings).",
        ),
    ],
)
def test_how_systems_are_ranked(row, words):
    one = report(correlations={"systems": [correlation(**row)]})
    assert said(one)["correlation"].startswith(words)
    one["correlations"]["systems"][0]["left_out"] = ["A"]
    assert said(one)["correlation"].endswith(" (without 1 system using AutoAIS).")


BY_BASELINES = "Including 2 outlying systems (“A” and “B”): soft pairwise accuracy 95 %"


@pytest.mark.parametrize(
    ("row", "rest", "words"),
    [
        (
            {},
            ranks(known(0.9, 0.85, 0.95, n=14)),
            "AutoAIS ranks your systems like people do, also without 2 outlying systems (“A” and "
            "“B”): soft pairwise accuracy 95 % [91 %, 98 %], Pearson 0.97 [0.93, 0.99], 16 "
            "systems.",
        ),
        (
            {},
            ranks(known(0.8, 0.6, 0.9, n=14)),
            "AutoAIS ranks your systems roughly like people do, also without 2 outlying systems ",
        ),
        (
            {},
            ranks(known(-0.04, -0.2, 0.1, n=14), 0.4),
            "AutoAIS does not rank the 14 systems other than “A” and “B” like people do: soft "
            "pairwise accuracy 40 % [36 %, 43 %], Pearson −0.04 [−0.20, 0.10], 14 systems. "
            + BY_BASELINES,
        ),
        (
            ranks(soft=0.6),
            ranks(known(0.2, -0.4, 0.7, n=14), 0.5),
            "We cannot tell whether AutoAIS ranks the 14 systems other than “A” and “B” like "
            "people do: the interval of Pearson is too wide (",
        ),
        (
            {},
            ranks(known(0.9, 0.85, 0.95, n=4)),
            f"{CANNOT_TELL}the result depends on 2 outlying systems (“A” and “B”), and only 4 "
            "others are left; at least 5 are needed (soft",
        ),
        (ranks(known(0.1, -0.1, 0.3), 0.5), ranks(), "AutoAIS does not rank your systems like"),
    ],
)
def test_a_claim_must_hold_without_outlying_systems(row, rest, words):
    outlying = {"outlying": ["A", "B"], "without_outlying": rest}
    one = report(correlations={"systems": [correlation(**row, **outlying)]})
    one["systems"]["rows"] = [{"system": name, "title": name, "people": {}} for name in "AB"]
    assert said(one)["correlation"].startswith(words)


def test_what_a_study_asks_by_itself_is_said_by_its_own_words():
    one = json.loads(json.dumps(report()).replace('"attributable"', '"source_quality"'))
    [item] = [each for each in one["items"] if each["key"] == "source_quality"]
    item["values"][0]["label"] = "Poor"
    assert said(one)["misses"] == (
        "It misses 18 % [14 %, 22 %] of the cases of “Poor”. People consider "
        "16 % [12 %, 20 %] of the units that it calls “Poor” to be something else."
    )


def two_judges(**parts):
    one = report(leading=leading(judge="j2", judges=2, other="j1", **parts))
    one["judges"] = [{"id": id, "title": "AutoAIS", "caution": ""} for id in ("j1", "j2")]
    better = {"judge": "j2", "units": 900, "kappa": known(0.7, 0.65, 0.75, 900, "responses")}
    one["agreement"].append(copy.deepcopy(one["agreement"][0]) | better)
    return one


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            {"difference": known(0.18, 0.1, 0.2), "clear": True},
            "Of 2 judges it agrees most with people; it agrees clearly more than AutoAIS (j1): "
            "kappa is higher by 0.18 [0.10, 0.20] on what all judged. It was chosen on these same "
            "answers.",
        ),
        (
            {"difference": known(0.02, -0.1, 0.2)},
            "Of 2 judges it agrees most with people; that it agrees more than AutoAIS (j1) is not "
            "clear: kappa is higher by 0.02 [−0.10, 0.20] on what all judged. It was chosen on "
            "these same answers.",
        ),
        (
            {"difference": known(-0.18, -0.2, -0.1), "clear": True, "primary": True},
            "It is the judge that the study names primary; AutoAIS (j1) agrees clearly more than "
            "it: kappa is higher by 0.18 [0.10, 0.20] on what all judged.",
        ),
        (
            {"difference": None},
            "Of 2 judges it agrees most with people; it was not tested against AutoAIS (j1).",
        ),
        (
            {"difference": unknown("nothing shared")},
            "Of 2 judges it agrees most with people. We cannot compare it with AutoAIS (j1).",
        ),
    ],
)
def test_the_leading_judge_is_spoken_of_and_how_it_stands_beside_the_next(parts, words):
    found = said(two_judges(**parts))
    assert found["judges"] == words
    assert "kappa 0.70 [0.65, 0.75], 900 answers" in found["kappa"]


def test_another_judge_than_the_primary_one_is_no_silent_stand_in():
    one = two_judges() | {"filters": {"primary": "another"}}
    assert said(one)["judges"].startswith("The judge that was named primary has no units")
    one = two_judges() | {"study": {"primary": "another"}}
    assert said(one)["judges"].startswith("The judge that the study names primary has no units")


def with_systems(p, detectable=None, **more):
    one, alike = report(), p is not None and p >= 0.05
    one["systems"]["rows"] = [
        {
            "system": name,
            "title": name,
            "people": {"attributable": known(value, value - 0.1, value + 0.1)},
        }
        for name, value in (("A", 0.5), ("B", 0.7), ("C", 0.65))
    ]
    pairs = [
        {
            "one": "A",
            "other": "B",
            "difference": known(-0.2),
            "t_p_holm": 0.001,
            "detectable": 0.1,
            "reason": "",
        },
        {
            "one": "B",
            "other": "C",
            "questions": 20,
            "difference": known(0.05),
            "t_p_holm": p,
            "detectable": detectable,
            "reason": "the same" if p is None else "",
        },
    ]
    column = {"kind": "people", "judge": None, "key": "attributable", "title": "Attributable"}
    ranks = [
        {"system": name, "first": first, "last": last, "letters": "a"}
        for name, first, last in (("B", 1, 1 + alike), ("C", 2 - alike, 2), ("A", 3, 3))
    ]
    one["comparisons"] = [{"column": column, "pairs": pairs, "ranks": ranks}]
    return one | more


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((0.7, 0.7, 0.6), "“A” and “B” are highest of 3 systems by people on "
         "“Attributable”, 70.0 % each. They were not tested."),
        ((0.7, 0.7, 0.7), "We cannot tell the 3 systems apart by people on “Attributable”: all "
         "have 70.0 %."),
        ((0.9, 0.9, 0.9, 0.9, 0.1), "“A”, “B”, “C” and 1 more are highest of 5 "
         "systems by people on “Attributable”, 90.0 % each. They were not tested."),
    ],
)  # fmt: skip
def test_nobody_is_called_the_best_for_coming_first_in_the_alphabet(numbers, words):
    one = with_systems(None, comparisons=[])
    one["systems"]["rows"] = [
        {
            "system": name,
            "title": name,
            "people": {"attributable": known(value, value - 0.1, value + 0.1)},
        }
        for name, value in zip("ABCDE", numbers, strict=False)
    ]
    assert said(one)["systems"] == words


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([[366, 0], [575, 0]], "AutoAIS gives every answer the same answer (“No”), so any "
         "agreement is by chance: kappa 0.00, 941 answers."),
        ([[0, 0], [57, 884]], "People's labels are all “Yes”, so any agreement is by "
         "chance: kappa 0.00, 941 answers."),
    ],
)  # fmt: skip
def test_who_always_says_the_same_agrees_by_chance(table, words):
    one = report()
    one["agreement"][0] |= {"kappa": known(0.0, n=941, of="responses")}
    one["agreement"][0]["confusion"]["table"] = table
    assert said(one)["kappa"] == words


KAPPA = "with the majority of the others is 0.50 [0.45, 0.55]; the left-out rater reaches 0.52"


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (one_more(less=(-0.02, -0.08, 0.04)), "agrees with the majority of the others like one "
         "more rater would: kappa 0.50 [0.45, 0.55]; the left-out rater reaches 0.52 [0.48, "
         "0.56]."),
        (one_more(less=(-0.15, -0.25, -0.05)), "the others less than one more rater would: kappa"),
        (one_more(less=(0.15, 0.05, 0.25)), "the others more than one more rater would: kappa"),
        (one_more(less=(-0.02, -0.12, 0.08)), "We cannot tell whether it agrees with people like "
         f"one more rater would. With one rater left out at a time, its kappa {KAPPA}"),
        (one_more(rater=(0.05, -0.01, 0.11)), "We cannot compare it with one more rater: "
         "raters do not clearly agree more than chance. With one rater left out"),
        (one_more(rater=(1.0, None, None)), "one more rater: no interval. With one rater left"),
        (one_more(*3 * ["no unit that the judge answered has 3 raters"]), "We cannot compare it "
         "with one more rater: no unit that the judge answered has 3 raters."),
    ],
)  # fmt: skip
def test_a_judge_is_compared_with_a_left_out_rater_and_not_only_with_a_majority(numbers, words):
    one = report()
    one["agreement"][0]["one_more_rater"] = numbers
    assert words in said(one)["ceiling"]


WHOLE = known(0.52, 0.47, 0.57, 941, "responses")
PEOPLE = "People's agreement with each other on “Attributable”"


@pytest.mark.parametrize(
    ("within", "excess", "kappa", "alpha"),
    [
        (known(0.06, -0.08, 0.21), known(0.46, 0.3, 0.6), "labels within one data set is "
         "anything from worse than chance to fair: kappa 0.06 [−0.08, 0.21], 941 answers. Over "
         "all data sets it is 0.52 [0.47, 0.57]: most of that agreement comes from knowing the "
         "data set.",
         "within one data set is anything from worse than chance to fair: Krippendorff's alpha "
         "0.06 [−0.08, 0.21], 5 raters. Over all data sets it is 0.52 [0.47, 0.57]: most of that "
         "agreement comes from knowing the data set."),
        (known(0.36, 0.3, 0.4), known(0.16, 0.05, 0.3), ": part of that agreement comes from "
         "knowing the data set.", "part of that"),
        (known(0.5, 0.45, 0.55), known(0.02, 0.01, 0.03), "labels within one data set is moderate: "
         "kappa 0.50 [0.45, 0.55], 941 answers. Over all data sets it is 0.52 [0.47, 0.57].",
         "Over all data sets it is 0.52 [0.47, 0.57]."),
        (known(0.3, 0.1, 0.5), known(0.22, -0.1, 0.5), "Over all data sets it is 0.52 [0.47, "
         "0.57].", "Over all data sets it is"),
        (unknown("the same"), unknown("the same"), "labels is moderate: kappa 0.52 [0.47, 0.57], "
         "941 answers. Within one data set it is undefined: the same.",
         "5 raters. Within one data set it is undefined: the same."),
    ],
)  # fmt: skip
def test_agreement_is_that_within_data_sets_and_a_gap_is_named(within, excess, kappa, alpha):
    one = report(slices={"split": "dataset", "columns": []})
    one["agreement"][0] |= {"kappa_within": within, "kappa_excess": excess}
    one["people"][0] |= {"alpha": WHOLE, "alpha_within": within, "alpha_excess": excess}
    assert kappa in said(one)["kappa"]
    assert alpha in said(one)["people"]
    assert said(one)["people"].startswith(PEOPLE)
    assert (
        "others like one more rater would: kappa within one data set 0.50" in (said(one)["ceiling"])
    )
    one["slices"]["split"] = "year"
    assert "one value of “year”" in said(one)["kappa"]


# Of real reports: what is missing ----------------------------------------------------------------


def keys_and_texts(data):
    return said(build(data, Filters(resamples=20)))


def test_what_is_there_but_does_not_count_is_not_said_to_be_missing():
    votes = {"attributable": {f"{system}/q{n}:r": {"rita": "yes"} for system in "AB"
                              for n in range(3)}}  # fmt: skip
    said_of = {unit: {AUTOAIS: "yes"} for unit in votes["attributable"]}
    excluded = study(votes=votes, excluded=["rita"])
    assert keys_and_texts(excluded)["nothing"] == (
        "Only excluded raters have rated, and no automatic judge has judged this study."
    )
    flagged = study(votes=votes, automatic={"attributable": said_of}, autoais="AB")
    assert keys_and_texts(flagged)["nothing"].startswith(
        "All systems use AutoAIS themselves, so automatic citation scores are "
        "hidden. The report shows"
    )
    other = said(build(study(votes=votes), Filters(resamples=20, dimensions=("utility",))))
    assert other["nothing"] == (
        "Under these filters nobody has rated, and no automatic judge has judged this study."
    )


def test_where_all_systems_use_autoais_that_is_the_reason():
    """Also where numbers are shown that are not about citations, or where there are points that no
    correlation counts."""
    units = [f"{system}/q{n}" for system in "ABC" for n in range(3)]
    rated = {"attributable": {f"{unit}:r": "yes no" for unit in units}}
    judged = {"attributable": {f"{unit}:r": {AUTOAIS: "yes"} for unit in units}}
    measured = {CORRECTNESS: {"exact_match": dict.fromkeys(units, 1.0)}}
    data = study(votes=rated, automatic=judged, measures=measured, autoais="ABC")
    assert keys_and_texts(data)["nothing"] == (
        "All systems use AutoAIS themselves, so automatic citation scores are "
        "hidden. We cannot tell how well people and automatic judges agree."
    )
    as_outliers = said(build(data, Filters(resamples=20, outliers=True)))
    assert as_outliers["correlation"].endswith(
        f"{FEW.format(0).removesuffix('.')} (without 3 systems using AutoAIS)."
    )
    # Where people answered nothing that such a judge answers, it is not the reason.
    useful = {"utility": {f"{unit}:r": "4 5" for unit in units}}
    other = study(votes=useful, automatic=judged, measures=measured, autoais="ABC")
    assert keys_and_texts(other)["nothing"].startswith("People and automatic judges have not")
