"""A report made up by hand for tables, charts and exports: nobody measured these numbers."""

import math

from evaluation.reports.filters import Filters
from evaluation.reports.shape.report import VERSION
from tests.evaluation.reports.sample_of_systems import (
    aliice,
    comparisons,
    number,
    powered,
    ratings,
    share,
    side_by_side,
)
from tests.evaluation.reports.studies import NO_SLICES

JUDGE = "autoais|scorer:made-up|rev:1|prompt:true|thr:0.5|v:1"
ALCE = "alce|scorer:made-up|rev:1|thr:0.5|v:1"
ALIICE = "aliice|scorer:made-up|rev:1|thr:0.5|v:1"
EXACT = "correctness|v:1"
NAMES = (
    "retrieve-then-read, 10 passages & a very long name that goes on_and_on",
    "post-hoc",
    "=closed book",
    "base_50%",
)
STUDY = {
    "slug": "made-up",
    "name": "A made-up study of 100 % & more",
    "dimensions": ["utility", "attributable", "citation_recall"],
    "files": ["alce 1.0"],
    "seed": 7,
}
LEADING = {
    "item": "attributable",
    "judge": "j1",
    "primary": False,
    "judges": 1,
    "other": None,
    "difference": None,
    "clear": False,
}
RATERS = ("rita", "rob", "réka", "ruth")


def system_names(count):
    return [NAMES[i] if i < len(NAMES) else f"system {i:02d}" for i in range(count)]


def sample(systems=4):
    """The whole report, with so many systems."""
    names = system_names(systems)
    return {
        "format": "attest-report",
        "version": VERSION,
        "study": {**STUDY},
        "filters": Filters().as_json(),
        "leading": LEADING,
        "labels": {"method": "majority", "name": "majority|v:1", "sources": ["majority"]},
        "counts": {
            "systems": systems,
            "questions": 30,
            "responses": 30 * systems,
            "runs": 1,
            "raters": 4,
            "rated_questions": 30,
            "ratings": 1440,
            "units": {"response": 120, "statement": 300},
            "judges": 4,
            "excluded_raters": 1,
            "excluded_answers": 12,
            "unfinished_answers": 3,
            "flags": 2,
        },
        "judges": [
            _judge("j1", JUDGE, "AutoAIS (made up)", 0.5, ["attributable"], []),
            _judge("j2", ALCE, "ALCE (made up)", 0.5, ["citation_recall"], []),
            _judge("j3", ALIICE, "ALiiCE (made up)", 0.5, ["claim_recall"], ["cvcp"]),
            _judge("j4", EXACT, "Correctness", None, [], ["exact_match"]),
        ],
        "raters": [
            {"name": name, "kind": "human", "excluded": name == "ruth", "ratings": 360}
            for name in RATERS
        ],
        "items": _items(),
        "headline": [
            {"key": "correlation", "text": "AutoAIS ranks the systems like people do: made up."},
            {"key": "kappa", "text": "Per answer it agrees moderately: <made up>."},
        ],
        "systems": {"groups": [names], **_systems(names)},
        "ratings": ratings(names),
        "slices": NO_SLICES,
        "people": _people(),
        "agreement": _agreement(),
        "thresholds": _thresholds(),
        "correlations": _correlations(names),
        "comparisons": comparisons(names),
        "powered": powered(names),
        "side_by_side": side_by_side(names),
        "aliice": aliice(names),
        "disagreement_counts": [COUNTED | {"system": name} for name in names],
        "disagreements": _disagreements(names),
        "method": [
            {"key": "ties", "title": "Ties", "text": "A tie is “no” for yes/no questions."},
            {"key": "resampling", "title": "Error bars", "text": "Questions are resampled."},
        ],
    }


def empty():
    """A report about a study in which nobody has judged anything yet."""
    report = sample(0)
    for section in (
        "judges", "raters", "items", "people", "agreement", "thresholds", "comparisons", "powered",
        "ratings", "disagreement_counts", "disagreements",
    ):  # fmt: skip
        report[section] = []
    report["systems"] = {"groups": [], "people": [], "automatic": [], "rows": []}
    report["correlations"] = {"systems": [], "instances": []}
    report["side_by_side"] = report["aliice"] = None
    return report


def _judge(key, name, title, threshold, items, measures):
    return {
        "id": key,
        "name": name,
        "title": title,
        "threshold": threshold,
        "items": items,
        "measures": measures,
    }


def _items():
    yes_no = [{"value": "no", "label": "No"}, {"value": "yes", "label": "Yes"}]
    likert = [
        {"value": str(i + 1), "label": label}
        for i, label in enumerate(
            ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")
        )
    ]
    return [
        {
            "key": "utility",
            "title": "Utility",
            "question": "Is it helpful?",
            "values": likert,
            "scale": "ordinal",
            "derived": False,
        },
        {
            "key": "attributable",
            "title": "Attributable",
            "question": "Is it supported?",
            "values": yes_no,
            "scale": "nominal",
            "derived": False,
        },
        {
            "key": "citation_recall",
            "title": "Citation recall",
            "question": "Do they support it?",
            "values": yes_no,
            "scale": "nominal",
            "derived": False,
        },
    ]


def _systems(names):
    rows = []
    for i, name in enumerate(names):
        uses = i == 2
        rows.append(
            {
                "system": name,
                "title": name,
                "uses_autoais": uses,
                "responses": 30,
                "rated": 30,
                "runs": ["", "2"] if i == 1 else [""],
                "people": {
                    "utility": number(round(3 + math.sin(i), 6), se=0.12, n=30),
                    "attributable": number(share(i), n=30, se=0.045),
                },
                "automatic": {
                    "j1/attributable": number(
                        None if uses else share(i, 0.2),
                        reason="the system uses AutoAIS" if uses else "",
                        n=30,
                        se=0.05,
                    ),
                    "j3/cvcp": number(0.42, se=0.02, n=30),
                    "j4/exact_match": number(share(i, 1), se=0.03, n=30),
                },
                "over_runs": (
                    {"people/attributable": {"runs": 2, "mean": 0.5, "sd": 0.02}} if i == 1 else {}
                ),
                "fine_grained": number(0.25, se=0.01, n=30),
            }
        )
    return {
        "people": ["utility", "attributable"],
        "automatic": [
            {"judge": "j1", "key": "attributable", "title": "AutoAIS"},
            {"judge": "j3", "key": "cvcp", "title": "CVCP"},
            {"judge": "j4", "key": "exact_match", "title": "Exact match"},
        ],
        "rows": rows,
    }


def _people():
    kappas = [
        [None if i == j else round(0.2 + 0.15 * (i + j), 6) for j in range(4)] for i in range(4)
    ]
    kappas[0][3] = kappas[3][0] = None
    likert = [12, 30, 41, 80, 37]
    rows = []
    for item, counts in (("utility", likert), ("attributable", [90, 150])):
        rows.append(
            {
                "item": item,
                "units": 80,
                "ratings": sum(counts),
                "raters": 4,
                "percent": number(0.81, of="pairs of answers", n=480, se=0.01),
                **dict.fromkeys(("alpha", "fleiss_all"), number(0.61, se=0.03, n=80)),
                "fleiss": number(0.6, se=0.03, n=72),
                "fleiss_note": "8 units left out: not rated by exactly 3 people",
                "kappa_pooled": number(0.59, se=0.03, n=6, of="pairs of raters"),
                "kappa_mean": number(0.58, se=0.03, n=6, of="pairs of raters"),
                "ac1": number(0.66, se=0.03, n=80),
                "matrix": {
                    "raters": list(RATERS),
                    "kappas": kappas,
                    "units": [[0 if i == j else 40 for j in range(4)] for i in range(4)],
                },
                "each_rater": [
                    {
                        "rater": name,
                        "share": 0.8,
                        "units": 60,
                        "comparisons": 120,
                        "excluded": name == "ruth",
                    }
                    for name in RATERS
                ],
                "distribution": [
                    {
                        "value": str(i + 1) if item == "utility" else ("no", "yes")[i],
                        "label": (
                            (
                                "Strongly disagree",
                                "Disagree",
                                "Neutral",
                                "Agree",
                                "Strongly agree",
                            )
                            if item == "utility"
                            else ("No", "Yes")
                        )[i],
                        "count": count,
                    }
                    for i, count in enumerate(counts)
                ],
            }
        )
    rows[0]["mean"] = number(3.5, se=0.1, n=80)
    return rows


def _agreement():
    return [
        {
            "judge": "j1",
            "item": "attributable",
            "units": 120,
            "accuracy": number(0.783333, n=120, se=0.03),
            "kappa": number(0.54, n=120, se=0.05),
            "kappa_note": "",
            "kappa_within": number(0.31, n=120, se=0.05),
            "kappa_excess": number(0.23, n=120, se=0.05),
            "one_more_rater": {
                **dict.fromkeys(("judge", "rater"), number(0.5, n=470, of="ratings", se=0.05)),
                "difference": number(0.0, n=470, of="ratings", se=0.05),
                "tied": 40,
                **dict.fromkeys(("votes_judge", "votes_rater"), number(0.2, n=470, se=0.02)),
                "advantage": number(0.86, n=3, of="raters", se=0.03),
                "winning": {
                    cost: {"value": rate, "reason": ""}
                    for cost, rate in (("0.2", 1.0), ("0.15", 0.666667), ("0.1", 0.0))
                },
                "left_out": 1,
            },
            "kappa_pooled": number(0.51, n=4, of="raters", se=0.05),
            "kappa_with_raters": number(0.5, n=4, of="raters", se=0.05),
            "with_each": [
                {"rater": name, "kappa": 0.5 if name != "ruth" else None, "units": 60}
                for name in RATERS
            ],
            "detects": {
                "value": "no",
                "name": "not attributable answer",
                "precision": number(0.74, n=50, se=0.05),
                "recall": number(0.82, n=45, se=0.05),
                "f1": number(0.777949, n=95, se=0.04),
            },
            "confusion": {"values": ["no", "yes"], "table": [[37, 8], [18, 57]]},
            "not_judged": [{"reason": "no passage", "count": 3}],
        }
    ]


def _thresholds():
    grid = [i / 50 for i in range(51)]
    return [
        {
            "judge": "j1",
            "item": "attributable",
            "units": 120,
            "questions": 40,
            "auc": number(0.86, se=0.03),
            "average_precision": number(0.88, se=0.03),
            "ece": number(0.07),
            "ece_by_chance": {"value": 0.05, "reason": ""},
            "ece_corrected": number(0.04, se=0.02),
            "brier": number(0.16, se=0.02),
            "roc": [[x, round(x**0.3, 6), round(1 - x, 6)] for x in grid],
            "pr": [[x, round(1 - 0.4 * x * x, 6)] for x in grid],
            "calibration": [
                {
                    "low": i / 10,
                    "high": (i + 1) / 10,
                    "score": i / 10 + 0.05,
                    "share": number(round(0.1 + 0.085 * i, 6), n=12, se=0.02),
                }
                for i in range(10)
            ],
            "kappas": [
                [x, None if x in (0, 1) else round(0.6 - 2 * (x - 0.4) ** 2, 6)] for x in grid
            ],
            "fixed": {"threshold": 0.5, "kappa": 0.58},
            "best": {"threshold": 0.4, "kappa": 0.6},
            "held_out": {
                "kappa": number(0.56, se=0.03),
                "gain": number(0.01, se=0.03),
                "recommended": 0.5,
                "lowest": 0.38,
                "highest": 0.44,
            },
        }
    ]


def _correlations(names):
    points = [
        {
            "system": name,
            "x": number(share(i, 0.2), n=30, se=0.05),
            "y": number(share(i), n=30, se=0.045),
            "outlier": i == 2,
        }
        for i, name in enumerate(names)
    ]
    few = len(names) < 4
    return {
        "systems": [
            {
                "id": "j1/attributable",
                "group": 1,
                "people": "attributable",
                "judge": "j1",
                "key": "attributable",
                "title": "Attributable: people and AutoAIS",
                "points": points,
                "pearson": number(None if few else 0.97, n=len(names), of="systems", se=0.012),
                "of_means": number(None if few else 0.95, n=len(names), of="systems"),
                "soft_accuracy": number(None if few else 0.9, n=len(names), of="systems", se=0.03),
                "pairwise_accuracy": number(None if few else 0.92, n=len(names), of="systems"),
                "chance": None if few else 0.001,
                "chance_of_better": None if few else 0.004,
                "chance_within": None if few else 0.01,
                "outlying": [],
                "without_outlying": None,
                "other_systems": number(None if few else 0.98, of="systems", se=0.02),
                "warning": "",
                "spearman": number(None if few else 0.9, n=len(names), of="systems", se=0.03),
                "kendall": number(None if few else 0.8, n=len(names), of="systems", se=0.04),
                "line": {"intercept": None, "slope": None, "reason": "fewer than 3 systems"}
                if few
                else {"intercept": 0.04, "slope": 0.95, "reason": ""},
                "left_out": [names[2]] if len(names) > 2 else [],
            }
        ],
        "instances": [
            {
                "people": "attributable",
                "judge": "j1",
                "key": "attributable",
                "rows": [
                    {
                        "system": name,
                        "pearson": number(0.5, n=30, se=0.1),
                        "spearman": number(0.5, n=30, se=0.1),
                        "kendall": number(None, n=30, reason="constant ratings"),
                    }
                    for name in ["all", *names]
                ],
            }
        ],
    }


COUNTED = {"judge": "j1", "item": "attributable", "compared": 10, "people_yes": 3, "people_no": 1}


def _disagreements(names):
    return [
        {
            "system": name,
            "question": f"q{i}",
            "run": "",
            "unit": "r",
            "item": "attributable",
            "judge": "j1",
            "people": "yes",
            "votes": {"yes": 3, "no": 1},
            "judge_value": "no",
            "score": 0.01,
            "distance": 0.99,
        }
        for i, name in enumerate(names)
    ]
