"""Which automatic judge the headline speaks of: the one that a filter or the study names
primary, else the best one.

The best one has the highest kappa on what people and all judges judged, as the section
`judge_pairs` has it: so the headline and its tables name the same one. Whether it is clearly better
than the best of the others, is what that section's test says, corrected for all pairs of judges.
"""

from typing import NamedTuple

from evaluation.reports.sections.headline_words import first
from evaluation.reports.sections.judged_alike import LEAST_SHARE
from evaluation.reports.sections.section import Section
from evaluation.reports.shape.judges import AgreementRow, JudgePair, JudgesBy, LeadingJudge
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.values import Number
from evaluation.stats.comparison import LEVEL

WORST = float("-inf")
"""An undefined kappa is the lowest."""


class Against(NamedTuple):
    """How a judge stands against another one."""

    difference: Number | None
    clear: bool


def leading(report: Report) -> LeadingJudge | None:
    """On the item that is most worth speaking of, of those that the primary judge answered; None
    where nobody was compared with people."""
    rows = [row for row in report["agreement"] if row["units"]]
    named = primary_named(report)
    primary = next((one["id"] for one in report["judges"] if named and one["name"] == named), "")
    of_primary = [row["item"] for row in rows if row["judge"] == primary]
    item = first(report, of_primary or [row["item"] for row in rows])
    if not item:
        return None
    compared = _compared(report, item)
    kappas = _kappas([row for row in rows if row["item"] == item], compared)
    ranked = sorted(kappas, key=lambda judge: -kappas[judge])
    chosen = primary if of_primary else ranked[0]
    other = next((judge for judge in ranked if judge != chosen), None)
    against = _against(compared, chosen, other)
    return {
        "item": item,
        "judge": chosen,
        "primary": bool(of_primary),
        "judges": len({chosen, *ranked}),
        "other": other,
        "difference": against.difference,
        "clear": against.clear,
    }


def primary_named(report: Report) -> str:
    """The name of the primary judge: the filter's, else the study's; empty where there is none."""
    return report["filters"]["primary"] or report["study"]["primary"]


def _compared(report: Report, item: str) -> JudgesBy | None:
    """The judges of an item by kappa, where they were compared."""
    found = next((one for one in report["judge_pairs"] if one["item"] == item), None)
    return next((by for by in found["numbers"] if by["key"] == "kappa"), None) if found else None


def _kappas(rows: list[AgreementRow], compared: JudgesBy | None) -> dict[str, float]:
    """Of each judge that judged enough: where they were not compared, on its own units."""
    if compared is not None:
        return {one["judge"]: _value(one["number"]) for one in compared["judges"]}
    least = LEAST_SHARE * max(row["units"] for row in rows)
    return {row["judge"]: _value(row["kappa"]) for row in rows if row["units"] >= least}


def _value(kappa: Number) -> float:
    return WORST if kappa["value"] is None else kappa["value"]


def _against(compared: JudgesBy | None, one: str, other: str | None) -> Against:
    """By the test of these two, whichever of them stands first there."""
    for pair in compared["pairs"] if compared is not None else ():
        if {pair["one"], pair["other"]} == {one, other}:
            p = pair["p_holm"]
            return Against(_signed(pair, one), p is not None and p < LEVEL)
    return Against(None, False)


def _signed(pair: JudgePair, one: str) -> Number:
    """The kappa of this one less that of the other."""
    made = pair["difference"]
    if pair["one"] == one:
        return made
    value, low, high = (
        None if end is None else -end for end in (made["value"], made["high"], made["low"])
    )
    return {**made, "value": value, "low": low, "high": high}


SECTION = Section(key="leading", shape=LeadingJudge | None, panel=None, sum_up=leading,
                  words="which judge to speak of")  # fmt: skip
