"""The headline about a judge: its ranking of systems, its agreement with people, what it misses.

Intervals decide the words. "Like people do" needs a high lower end of Pearson, a high soft pairwise
accuracy, and an order that is unlikely by chance, also among the better systems. All of this must
hold without outlying systems (`statistics/system_order.py`). A kappa is named by both ends of its
interval (Landis and Koch 1977).
"""

from collections.abc import Sequence
from typing import NamedTuple

from evaluation.reports.sections.judges_by import LEAST_SHARE
from evaluation.reports.sections.section import Section
from evaluation.reports.sections.words import (
    answer,
    counted_words,
    decimal,
    first,
    interval,
    listed,
    over_slices,
    percent,
    said,
    title_of,
    told,
    words,
)
from evaluation.reports.shape.judges import (
    AgreementRow,
    Detection,
    JudgePair,
    JudgesBy,
    LeadingJudge,
    SystemCorrelation,
    SystemRanking,
)
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.study import Sentence
from evaluation.reports.shape.values import Number
from evaluation.reports.tables.names import slices_named, system_title
from evaluation.statistics.comparison import LEVEL
from evaluation.statistics.pairwise_accuracy import LEAST_SYSTEMS

LIKE_PEOPLE, ROUGHLY = 0.8, 0.5
"""The lower end of Pearson from which a judge ranks systems like people do, or roughly."""

SOFT, SOFT_ROUGHLY = 0.8, 0.7
"""The soft pairwise accuracy that it also needs. Of normal numbers with Pearson .8 and .5, 80 % and
67 % of pairs have the same order (W. H. Kruskal, 1958, Ordinal measures of association, Journal of
the American Statistical Association 53(284), 814-861)."""

UNLIKELY, UNLIKELY_ROUGHLY = 0.02, 0.04
"""The highest chance of such an order for these words; the second one also among the better
systems."""

WITHIN, WITHIN_ROUGHLY = 0.05, 0.1
"""The same within weak and within strong systems, where fewer orders are possible."""

AS_A_RATER = 0.1
"""The whole interval of the difference to a left-out rater's kappa must be within this."""

MOST_UNITS = 0.9
"""Of what people rated: a judge that answers fewer units is not known to be as good on the rest."""

MANY_TIED = 0.1
"""Of the units: with more ties, kappa is largely that of a rule."""

LEFT_OUT = "With one rater left out at a time, "

MOST_GROUPS = 5
"""The most groups of systems in the headline."""


BY_CHANCE_ALONE = "raters do not clearly agree more than chance"


def main_agreement(report: Report) -> AgreementRow | None:
    """Return the row of the leading judge, see `leading`."""
    found = report["leading"]
    if found is None:
        return None
    place = found["item"], found["judge"]
    return next((r for r in report["agreement"] if (r["item"], r["judge"]) == place), None)


def on_judge(report: Report, row: AgreementRow) -> list[Sentence]:
    item, judge = row["item"], row["judge"]
    title = title_of(report, judge)
    found = []
    for one in report["correlations"]["systems"]:
        same = (one["people"], one["judge"], one["key"]) == (item, judge, item)
        if same and one["group"] <= MOST_GROUPS:
            names = [system_title(report, name) for name in one["outlying"]]
            ranks = ranking(title, one, names, left_out=len(one["left_out"]))
            several = len(report["systems"]["groups"]) > 1
            text = f"Group {one['group']} of the systems: {ranks}" if several else ranks
            found.append(said("correlation", text, name=title))
    found.append(said("kappa", _per_unit(report, title, row), name=title))
    found.append(said("ceiling", _against_a_rater(report, row)))
    if row["detects"] is not None:
        found.append(said("misses", _misses(report, item, row["detects"])))
    found += _against_others(report, row)
    caution = next(one["caution"] for one in report["judges"] if one["id"] == judge)
    return [*found, said("caution", caution)] if caution else found


class RankingVerdict(NamedTuple):
    """The words on a ranking.

    `claim`: 2 like people, 1 roughly, -1 opposite, 0 no claim. `by_pearson`: whether Pearson alone
    would support one.
    """

    claim: int
    text: str
    numbers: str = ""
    by_pearson: bool = False


def ranking(
    title: str, row: SystemCorrelation, outlying: Sequence[str] = (), *, left_out: int = 0
) -> str:
    """Describe a judge's ranking. `outlying` are the titles of systems far from the others,
    `left_out` counts systems that use AutoAIS themselves."""
    text = _ranking(title, row, outlying)
    without = f" (without {counted_words(left_out, 'system')} using AutoAIS)" if left_out else ""
    return f"{text.removesuffix('.')}{without}."


def _ranking(title: str, row: SystemCorrelation, outlying: Sequence[str]) -> str:
    better = row["chance_of_better"] or 0.0
    found, rest = _verdict(title, row, "your systems", better), row["without_outlying"]
    if rest is None or not found.by_pearson:
        return found.text
    n = rest["pearson"]["n"]
    far = f"{counted_words(len(outlying), 'outlying system')} ({listed(outlying)})"
    if n < LEAST_SYSTEMS:
        return (
            f"{_unknown(title, 'your systems')}: the result depends on {far}, and only {n} others "
            f"are left; at least {LEAST_SYSTEMS} are needed ({found.numbers})."
        )
    others = _verdict(title, rest, f"the {n} systems other than {listed(outlying)}")
    if others.claim * found.claim <= 0:
        return f"{others.text} Including {far}: {found.numbers}."
    weaker = min(found.claim, others.claim, key=abs)
    return f"{_claimed(title, 'your systems', weaker)}, also without {far}: {found.numbers}."


def _verdict(title: str, row: SystemRanking, systems: str, better: float = 0.0) -> RankingVerdict:
    """Judge the ranking of one set of systems; `better` is the chance among the better ones."""
    n, known = row["pearson"]["n"], interval(row["pearson"])
    unknown = _unknown(title, systems)
    counted = counted_words(n, "system")
    if n < LEAST_SYSTEMS:
        why = f"with {counted}, the same order can happen by chance; at least {LEAST_SYSTEMS} are"
        return RankingVerdict(0, f"{unknown}: {why} needed.")
    if known is None or known.ends is None:
        why = f"Pearson's correlation is undefined ({row['pearson']['reason']})"
        return RankingVerdict(0, f"{unknown}: {why}.")
    accuracy, chance = interval(row["soft_accuracy"]), row["chance"]
    assert accuracy is not None
    assert chance is not None
    soft = accuracy.says(percent) if accuracy.ends else percent(accuracy.value)
    numbers = f"soft pairwise accuracy {soft}, Pearson {known.says(decimal)}, {counted}"
    low, high = known.ends
    by_pearson = low >= ROUGHLY or high < 0
    within = row["chance_within"] or 0.0
    if row["warning"]:
        why = row["warning"]
    elif by_pearson and chance > (UNLIKELY if high < 0 else UNLIKELY_ROUGHLY):
        why = f"with {counted}, {_by_chance(chance, against=high < 0)}"
    elif low < ROUGHLY <= high and high - low > ROUGHLY:
        why = "the interval of Pearson is too wide"
    elif low >= ROUGHLY and better > UNLIKELY_ROUGHLY:
        why = f"without the lowest third of them, {_by_chance(better)}"
        return RankingVerdict(0, f"{unknown}: {why} ({numbers}).", numbers, by_pearson=True)
    elif low >= ROUGHLY and within > WITHIN_ROUGHLY:
        why = f"if only similar systems are exchanged, {_by_chance(within)}"
        return RankingVerdict(0, f"{unknown}: {why} ({numbers}).", numbers, by_pearson=True)
    else:
        claim = -1 if high < 0 else 0
        rare = max(chance, better) <= UNLIKELY and within <= WITHIN
        if low >= LIKE_PEOPLE and accuracy.value >= SOFT and rare:
            claim = 2
        elif low >= ROUGHLY and accuracy.value >= SOFT_ROUGHLY:
            claim = 1
        says = _claimed(title, systems, claim, partly=low > 0)
        return RankingVerdict(claim, f"{says}: {numbers}.", numbers, by_pearson)
    return RankingVerdict(0, f"{unknown}: {why} ({numbers}).")


def _claimed(title: str, systems: str, claim: int, *, partly: bool = False) -> str:
    if claim < 0:
        return f"{title} ranks {systems} in the opposite order to people"
    if claim:
        return f"{title} ranks {systems} {'roughly ' if claim == 1 else ''}like people do"
    if partly:
        return f"{title} ranks {systems} partly like people do"
    return f"{title} does not rank {systems} like people do"


def _unknown(title: str, systems: str) -> str:
    return f"We cannot tell whether {title} ranks {systems} like people do"


def _by_chance(share: float, *, against: bool = False) -> str:
    how = "go against people's order as much" if against else "fit people's order as well"
    return f"{percent(share)} of random orders {how}"


def _per_unit(report: Report, about: str, row: AgreementRow) -> str:
    kappa = row["kappa"]
    unit = kappa["of"].removesuffix("s") if kappa["of"] != "citations of claims" else "citation"
    unit = "answer" if unit == "response" else unit
    n = _answered(report, row, unit)
    known, where, tail = over_slices(report, row, "kappa")
    tail += _tied(report, row, unit)
    if known is None:
        return (
            f"We cannot tell how well {about} agrees with people on each {unit}: kappa is "
            f"undefined, {kappa['reason']} ({n})."
        )
    if constant := _always_the_same(row):
        who, value = constant
        label = answer(report, row["item"], value)
        gives = f"{about} gives every {unit} the same answer ({label})"
        gives = gives if who == "judge" else f"people's labels are all {label}"
        return f"{gives}, so any agreement is by chance: kappa {decimal(known.value)}, {n}.{tail}"
    return (
        f"On each {unit} the agreement of {about} with people's labels{where} is {words(known)}: "
        f"kappa {known.says(decimal)}, {n}.{tail}"
    )


def _answered(report: Report, row: AgreementRow, unit: str) -> str:
    """How many units kappa is about, and of how many where the judge left out many."""
    rated = next((one["units"] for one in report["people"] if one["item"] == row["item"]), 0)
    if row["units"] < MOST_UNITS * rated:
        return f"only {row['units']:,} of {counted_words(rated, unit)} that people rated"
    return counted_words(row["units"], unit)


def _tied(report: Report, row: AgreementRow, unit: str) -> str:
    """That a rule made many of the labels with which the judge is compared."""
    of_people = next((one for one in report["people"] if one["item"] == row["item"]), None)
    if of_people is None or of_people["ties"]["units"] <= MANY_TIED * of_people["units"]:
        return ""
    share = percent(of_people["ties"]["units"] / of_people["units"])
    return f" Raters are tied on {share} of the {unit}s, where a rule decides the label."


def _against_a_rater(report: Report, row: AgreementRow) -> str:
    """Say whether the judge agrees with the other raters like a left-out rater does."""
    one = row["one_more_rater"]
    judge, rater, less = (interval(one[key]) for key in ("judge", "rater", "difference"))
    if judge is None or rater is None or less is None or less.ends is None:
        reason = one["difference"]["reason"] or one["difference"]["interval_reason"]
        return f"We cannot compare it with one more rater: {reason}."
    where = f" within one {slices_named(report)[0]}" if "kappa_within" in row else ""
    reaches = f"{judge.says(decimal)}; the left-out rater reaches {rater.says(decimal)}."
    kappa = f"{LEFT_OUT}its kappa with the majority of the others{where} is {reaches}"
    low, high = less.ends
    if rater.ends is None or rater.ends[0] <= 0:
        why = one["rater"]["interval_reason"] if rater.ends is None else BY_CHANCE_ALONE
        return f"We cannot compare it with one more rater: {why}. {kappa}"
    if low > -AS_A_RATER and high < AS_A_RATER:
        how = "like one more rater would"
    elif low <= 0 <= high:
        return f"We cannot tell whether it agrees with people like one more rater would. {kappa}"
    else:
        how = f"{'more' if low > 0 else 'less'} than one more rater would"
    return f"{LEFT_OUT}it agrees with the majority of the others {how}: kappa{where} {reaches}"


def _always_the_same(row: AgreementRow) -> tuple[str, str] | None:
    """Return who has a single answer, people or the judge, and which; None if neither."""
    values, table = row["confusion"]["values"], row["confusion"]["table"]
    for who, lines in (("judge", list(zip(*table, strict=True))), ("people", table)):
        given = [value for value, line in zip(values, lines, strict=True) if any(line)]
        if len(given) == 1:
            return who, given[0]
    return None


def _misses(report: Report, item: str, detects: Detection) -> str:
    units, called, otherwise = told(report, item) or _lowest(report, item)
    recall, precision = interval(detects["recall"]), interval(detects["precision"])
    if recall is None:
        return f"We cannot tell how many {units} it misses: {detects['recall']['reason']}."
    missed = f"It misses {recall.rest.says(percent)} of the {units}"
    if precision is None:
        return f"{missed} and calls nothing {called}."
    return (
        f"{missed}. People consider {precision.rest.says(percent)} of the units that it calls "
        f"{called} to be {otherwise}."
    )


def _lowest(report: Report, item: str) -> tuple[str, ...]:
    """Return the words for the cases to detect, made from the lowest answer."""
    lowest = next(one["values"][0]["value"] for one in report["items"] if one["key"] == item)
    name = answer(report, item, lowest)
    return f"cases of {name}", name, "something else"


def _against_others(report: Report, row: AgreementRow) -> list[Sentence]:
    """Say whether the leading judge agrees more with people than the best of the others."""
    found = report["leading"]
    named = "was named" if report["filters"]["primary"] else "the study names"
    if found is not None and primary_named(report) and not found["primary"]:
        text = f"The judge that {named} primary has no units in common with people"
        return [said("judges", f"{text}, so this text is about another judge.")]
    if found is None or found["other"] is None:
        return []
    other = title_of(report, found["other"])
    where = f" within one {slices_named(report)[0]}" if "kappa_within" in row else ""
    if found["primary"]:
        begins = f"It is the judge that {named} primary"
    else:
        begins = f"Of {found['judges']} judges it agrees most with people{where}"
    if found["difference"] is None:
        return [said("judges", f"{begins}; it was not tested against {other}.")]
    known = interval(found["difference"])
    if known is None:
        return [said("judges", f"{begins}. We cannot compare it with {other}.")]
    # That of the other, where it agrees more.
    more, less = (other, "it") if known.value < 0 else ("it", other)
    value = known if known.value >= 0 else known.opposite
    by = f"kappa{where} is higher by {value.says(decimal)} on what all judged"
    if not found["clear"]:
        text = f"{begins}; that {more} agrees more than {less} is not clear"
    else:
        text = f"{begins}; {more} agrees clearly more than {less}"
    chosen = "" if found["primary"] else " It was chosen on these same answers."
    return [said("judges", f"{text}: {by}.{chosen}")]


# The leading judge --------------------------------------------------------------------------------
#
# The best judge has the highest kappa on the units that people and all judges judged, as in the
# section `judge_pairs`, so headline and tables agree. If questions have slices, it is the kappa
# within them: a judge that only knows the slice is not the best. That section's test, corrected for
# all pairs of judges, decides whether it is clearly better than the next one.

WORST = float("-inf")
"""An undefined kappa is the lowest."""


class Against(NamedTuple):
    """The difference of a judge to another one."""

    difference: Number | None
    clear: bool


def leading(report: Report) -> LeadingJudge | None:
    """Return the leading judge on the most important item that the primary judge answered; None
    if no judge was compared with people."""
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
    """Return the name of the primary judge: the filter's or the study's; empty without one."""
    return report["filters"]["primary"] or report["study"]["primary"]


def _compared(report: Report, item: str) -> JudgesBy | None:
    """Return the judges of an item by kappa, if they were compared."""
    found = next((one for one in report["judge_pairs"] if one["item"] == item), None)
    numbers = {by["key"]: by for by in found["numbers"]} if found else {}
    return numbers.get("kappa_within") or numbers.get("kappa")


def _kappas(rows: list[AgreementRow], compared: JudgesBy | None) -> dict[str, float]:
    """Return the kappa of each judge with enough units; on its own units if not compared."""
    if compared is not None:
        return {one["judge"]: _value(one["number"]) for one in compared["judges"]}
    least = LEAST_SHARE * max(row["units"] for row in rows)
    return {
        row["judge"]: _value(row.get("kappa_within", row["kappa"]))
        for row in rows
        if row["units"] >= least
    }


def _value(kappa: Number) -> float:
    return WORST if kappa["value"] is None else kappa["value"]


def _against(compared: JudgesBy | None, one: str, other: str | None) -> Against:
    """Return the tested difference of these two, in either order."""
    for pair in compared["pairs"] if compared is not None else ():
        if {pair["one"], pair["other"]} == {one, other}:
            p = pair["p_holm"]
            return Against(_signed(pair, one), p is not None and p < LEVEL)
    return Against(None, False)


def _signed(pair: JudgePair, one: str) -> Number:
    """Return the kappa of this one minus that of the other."""
    made = pair["difference"]
    if pair["one"] == one:
        return made
    value, low, high = (
        None if end is None else -end for end in (made["value"], made["high"], made["low"])
    )
    return {**made, "value": value, "low": low, "high": high}


LEADING = Section(key="leading", shape=LeadingJudge | None, panel=None, sum_up=leading,
                  words="which judge to speak of")  # fmt: skip
