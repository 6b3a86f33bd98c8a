"""Sentences of the headline about reliability, slices and disagreements."""

from collections import Counter
from math import inf

from evaluation.reports.sections.words import (
    PARTED,
    asked,
    counted_words,
    decimal,
    interval,
    listed,
    one_percent,
    said,
    title_of,
)
from evaluation.reports.shape.people import PairsOn
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.study import Sentence
from evaluation.reports.tables.names import slices_named, system_title
from evaluation.statistics.comparison import LEVEL
from evaluation.statistics.variance_components import RELIABLE


def on_reliability(report: Report, item: str) -> list[Sentence]:
    """Say how reliable the ratings on an item are, and how much noise comes from raters."""
    row = next((one for one in report.get("variance", ()) if one["item"] == item), None)
    one = interval(row["one_rater"]) if row else None
    if row is None or one is None:
        return []
    excesses = (
        of["alpha_excess"] for of in report["people"] if of["item"] == item and "alpha_excess" in of
    )
    excess = next(map(interval, excesses), None)
    if excess is not None and excess.value > PARTED:
        where, slices = slices_named(report)
        text = (
            f"We cannot tell how many raters would reach a reliability of {RELIABLE} on "
            f"“{asked(report, item)}” within one {where}: it is known only over all {slices}."
        )
        return [said("reliability", text)]
    needed, noise = row["needed"], interval(row["of_noise"])
    own, wanted = interval(row["own"]), interval(needed)
    text = f"One rater's reliability on “{asked(report, item)}” is {one.says(decimal)}"
    if own:
        text += f", that of the {row['own_raters']:.1f} ratings per unit here {own.says(decimal)}"
    if wanted is None or wanted.ends is None:
        why = needed["reason"] or needed["interval_reason"]
        text += f". We cannot tell how many raters would reach {RELIABLE}: {why}."
    else:
        low, high = wanted.ends
        raters = (
            counted_words(int(wanted.value), "rater")
            if low == high
            else (f"{wanted.says(lambda value: f'{value:,.0f}')} raters")
        )
        text += f"; {raters} would reach {RELIABLE}."
    if noise:
        text += f" Of the noise, {noise.says(one_percent)} is due to strict and lenient raters."
    return [said("reliability", text)]


def on_slices(report: Report, item: str) -> list[Sentence]:
    """Say which systems have the highest number in how many slices."""
    found = report.get("slices")
    columns = [one for one in found["columns"] if len(one["rows"]) > 1] if found else []
    by_people = (one for one in columns if one["kind"] == "people" and one["key"] == item)
    column = next(by_people, None if item else next(iter(columns), None))
    if column is None:
        return []
    wins = Counter[str]()
    for cells in zip(*(row["cells"] for row in column["rows"]), strict=True):
        values = [-inf if cell["value"] is None else cell["value"] for cell in cells]
        high = max(values)
        if high > -inf:
            pairs = zip(column["rows"], values, strict=True)
            wins.update(row["system"] for row, value in pairs if value == high)
    times = max(wins.values(), default=0)
    best = [system_title(report, name) for name, often in wins.items() if often == times]
    has = "has" if len(best) == 1 else "each have"
    who = "people" if column["judge"] is None else title_of(report, column["judge"])
    text = (
        f"By {who} on “{column['title']}”, {listed(best)} {has} the highest number in {times} of "
        f"{len(column['rows'][0]['cells'])} {slices_named(report)[1]} (not tested)."
    )
    return [said("slices", text)] if best else []


def on_disagreements(report: Report, judge: str, item: str) -> list[Sentence]:
    """Say on how many units people and a judge differ, by direction."""
    rows = [
        row
        for row in report.get("disagreement_counts", ())
        if (row["judge"], row["item"]) == (judge, item)
    ]
    if not rows:
        return []
    compared = sum(row["compared"] for row in rows)
    yes, no = (sum(row[key] for row in rows) for key in ("people_yes", "people_no"))
    return [
        said(
            "disagreements",
            f"People and {title_of(report, judge)} differ on {yes + no:,} of "
            f"{counted_words(compared, 'unit')} on “{asked(report, item)}”: on {yes:,}, people "
            f"say yes and the judge no; on {no:,}, the reverse.",
        )
    ]


# Pairs of answers ---------------------------------------------------------------------------------


def on_preference(report: Report, pairs: PairsOn) -> list[Sentence]:
    """Name the preferred system, or the systems not clearly worse than the first; and say whether
    it helps to be shown first."""
    model, question = pairs["model"], f"“{asked(report, pairs['item'])}”"
    if model["reason"]:
        text = f"We cannot tell which system is preferred on {question}: {model['reason']}."
        return [said("pairs", text)]
    found = [said("pairs", _preferred(report, pairs, question))]
    first = interval(model["first_shown"])
    if first and first.ends and not first.ends[0] <= 0.5 <= first.ends[1]:
        text = (
            f"On {question}, the answer shown first is chosen "
            f"{'more' if first.value > 0.5 else 'less'} often: it wins {first.says(one_percent)} "
            "against an equally good answer, ties as half."
        )
        found.append(said("order", text))
    return found


def _preferred(report: Report, pairs: PairsOn, question: str) -> str:
    ranked = sorted(pairs["systems"], key=lambda row: -(row["strength"]["value"] or 0.0))
    titles = {row["system"]: system_title(report, row["system"]) for row in ranked}
    (best, title), (_, second), *_ = titles.items()
    rate = interval(ranked[0]["expected"])
    wins = f"wins {rate.says(one_percent)} against all others" if rate else ""
    clearly = {
        name
        for test in pairs["model"]["tests"]
        if best in (test["one"], test["other"]) and (p := test["p_holm"]) is not None and p < LEVEL
        for name in (test["one"], test["other"])
    }
    alike = [titles[name] for name in titles if name not in clearly | {best}]
    of = f"of {len(ranked)} systems by preference on {question}"
    if alike:
        return (
            f"“{title}” comes first {of} ({wins}), but is not clearly better than {listed(alike)}."
        )
    return f"“{title}” is the best {of}: it {wins}, and is clearly better than “{second}”."
