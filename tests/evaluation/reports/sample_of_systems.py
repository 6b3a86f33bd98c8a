"""What `sample.py` says of systems beside their table: nobody measured these numbers."""

import math


def number(value, *, n=120, of="responses", se=0.011, reason="", signature="boot|b:2000|seed:7"):
    """A number of the report, its interval two standard errors wide on either side."""
    if value is None:
        bounds, se = (None, None), None
    else:
        bounds = (round(value - 2 * se, 6), round(value + 2 * se, 6))
    return {
        "value": value,
        "reason": reason or ("fewer than 3 systems" if value is None else ""),
        "n": n,
        "of": of,
        "se": se,
        "low": bounds[0],
        "high": bounds[1],
        "bca_low": bounds[0],
        "bca_high": bounds[1],
        "interval_reason": "" if value is not None else "no value",
        "signature": signature,
    }


def share(i, shift=0.0):
    """A share that wanders between 0.2 and 0.9 with the number of the system."""
    return round(0.55 + 0.3 * math.sin(1.3 * i + shift), 6)


def ratings(names):
    return [
        {"item": item, "system": name, "responses": 30, "units": 30}
        | {"ratings": 60 if name == "post-hoc" else 90}
        | ({} if item == "utility" else {"by_label": number(share(i, 0.1), n=30, se=0.05)})
        for item in ("utility", "attributable")
        for i, name in enumerate(names)
    ]


def comparisons(names):
    pairs = [
        {
            "one": one,
            "other": other,
            "questions": 30,
            "difference": number(0.123, n=30, of="questions", se=0.04),
            "t": 2.5,
            "t_p": 0.018,
            "t_p_holm": 0.054,
            "detectable": 0.17,
            "reason": "",
            "signature": "paired|b:2000|seed:7",
        }
        for i, one in enumerate(names)
        for other in names[i + 1 :]
    ]
    if pairs:
        pairs[-1] = pairs[-1] | {
            "difference": number(None, n=0, of="questions", reason="no shared question"),
            "t": None,
            "t_p": None,
            "t_p_holm": None,
            "detectable": None,
            "reason": "no shared question",
        }
    column = {"kind": "people", "judge": None, "key": "attributable", "title": "Attributable"}
    ranks = [{"system": name, "first": 1, "last": len(names), "letters": "a"} for name in names]
    return [{"column": column, "pairs": pairs, "ranks": ranks}] if pairs else []


def powered(names):
    return [
        {
            "item": "attributable",
            "judge": "j1",
            "differs": "",
            "rows": [
                {
                    "system": name,
                    "rated": 30,
                    "others": 300,
                    "people": number(0.5, n=30, se=0.09),
                    "powered": number(0.52, n=330, se=0.06),
                    "weight": 0.8,
                    "effective": {"value": 67.5, "reason": ""},
                    "corrected": number(0.53, n=330, se=0.07),
                    "sensitivity": {"value": 0.9, "reason": ""},
                    "specificity": {"value": 0.8, "reason": ""},
                    "warnings": ["30 ratings are few."] if name == "post-hoc" else [],
                    "more": [
                        {
                            "half_width": 0.05,
                            "with_judge": number(120.0, n=30, of="questions", se=20),
                            "people_alone": number(None, n=30, reason="more are needed"),
                        }
                    ],
                    "signature": "ppi|v:1",
                }
                for name in names
            ],
        }
    ]


def side_by_side(names):
    return {
        "judges": {"alce": "j2", "aliice": "j3"},
        "rows": [
            {
                "system": name,
                "responses": 30,
                "alce": {
                    "citation_recall": number(share(i), se=0.04),
                    "citation_precision": number(share(i, 0.5), se=0.04),
                },
                "aliice": {
                    "claim_recall": number(share(i, 0.3), se=0.04),
                    "claim_precision": number(share(i, 0.6), se=0.04),
                    "f1": number(share(i, 0.4), se=0.04),
                    "cvcp": number(0.4, se=0.02),
                },
                "fine_grained": number(0.25, se=0.01),
            }
            for i, name in enumerate(names)
        ],
    }


def aliice(names):
    keys = ("pf_utility", "claim_recall", "claim_precision", "claim_f1")
    rows = [
        {"system": name, "responses": 12, "utility": number(3.5, se=0.2)}
        | {key: number(share(i), se=0.05) for key in keys}
        | {
            f"{key}_agreement": dict.fromkeys(
                ("fleiss", "kappa_with_raters", "kappa_pooled"), number(share(i), se=0.05)
            )
            | {"unmatched": i}
            for key in ("recall", "precision")
        }
        for i, name in enumerate(names)
    ]
    return {"judge": "j3", "rows": rows}
