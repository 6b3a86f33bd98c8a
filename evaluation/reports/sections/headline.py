"""The answer first: a few plain sentences made of the report's own numbers.

How sure a number is decides the words: "as people do" is said where even the lower end of the
interval is that high, and a kappa is named by both ends of its interval (Landis and Koch 1977).
"""

from collections.abc import Sequence
from typing import Any

from evaluation.reports.sections.words import counted_words

Report = dict[str, Any]
Sentence = dict[str, str]

ORDER = (
    "attributable",
    "citation_recall",
    "citation_precision",
    "claim_recall",
    "claim_precision",
    "citation_support",
    "claim_support",
    "utility",
    "pf_utility",
    "interpretable",
)
"""What is spoken about: the first one of these that there is."""

AS_PEOPLE, ROUGHLY = 0.8, 0.5
"""The lower end of Pearson from which a judge orders systems as people do, or roughly so."""

NARROWING = ("systems", "batch", "dimensions", "judges", "fine_grained")
"""Filters that leave only a part of the study."""

NAMED = 3
"""Of systems with the same number, so many are named."""

CLEARLY = 0.05
"""The corrected p below which one system is clearly better than another."""

FEW_SYSTEMS = 5

FEW_QUESTIONS = 10
"""Of fewer, intervals from resampling are too narrow to be spoken of without a word."""

KAPPA_WORDS = (
    (0.0, "worse than chance"),
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)
"""J. R. Landis and G. G. Koch (1977): up to this kappa, this word. They call the first "poor"."""

# Of the negative value: the units that have it, what a judge calls them, what people say instead.
NEGATIVE = {
    "attributable": ("answers that are not attributable", "not attributable", "attributable"),
    "citation_recall": ("unsupported statements", "unsupported", "supported"),
    "citation_precision": ("irrelevant citations", "irrelevant", "relevant"),
    "claim_recall": ("unsupported claims", "unsupported", "supported"),
    "claim_precision": ("irrelevant citations of claims", "irrelevant", "relevant"),
}


def headline(report: Report) -> list[Sentence]:
    """Up to seven sentences about a report whose other sections are made."""
    found: list[Sentence] = []
    rated, judged = bool(report["systems"]["people"]), bool(report["counts"]["judges"])
    agreement = _main_agreement(report)
    if agreement is not None:
        found += _on_judge(report, agreement)
    else:
        found.append(_said("nothing", _on_nothing(report, rated=rated, judged=judged)))
    item = agreement["item"] if agreement is not None else _first(report["systems"]["people"])
    if item:
        found += _on_people(report, item)
    found += _on_systems(report, item)
    return found + _on_few(report) if rated or judged else found


def _on_nothing(report: Report, *, rated: bool, judged: bool) -> str:
    """Why people and judges cannot be compared. Answers may be there and not be counted."""
    chosen = any(report["filters"][name] for name in NARROWING)
    nobody = "nobody has rated" if chosen else "nobody has rated yet"
    if not chosen and any(rater["excluded"] for rater in report["raters"]):
        nobody = "only excluded raters have rated"
    no_judge = "no automatic judge has judged this study" + ("" if chosen else " yet")
    hidden = [row["uses_autoais"] for row in report["systems"]["rows"]]
    if hidden and all(hidden) and not report["filters"]["outliers"]:
        no_judge = "all systems use AutoAIS themselves, so that no automatic score is shown"
    if rated and judged:
        text = (
            "people and automatic judges have not judged the same things yet: how far they agree "
            "cannot be told."
        )
    elif rated:
        text = (
            f"{no_judge}: the report says what people said, and how far they agree with each other."
        )
    elif judged:
        text = f"{nobody}: how far the automatic numbers can be trusted cannot be told."
    else:
        text = f"{nobody}, and {no_judge.removesuffix(' yet')}."
    return f"under these filters {text}" if chosen else text


def kappa_words(low: float, high: float) -> str:
    """The word, or the two words that an interval of kappa runs between."""
    one, other = _kappa_word(low), _kappa_word(high)
    if one == other:
        return one
    words = [word for _, word in KAPPA_WORDS]
    wide = words.index(other) - words.index(one) > 1
    return f"anything from {one} to {other}" if wide else f"{one} to {other}"


# A judge -----------------------------------------------------------------------------------------


def _main_agreement(report: Report) -> Report | None:
    """The row on the first item, of the judge who answered most units of it."""
    rows = [row for row in report["agreement"] if row["units"]]
    item = _first([row["item"] for row in rows])
    same = [row for row in rows if row["item"] == item]
    return max(same, key=lambda row: (row["units"], -_rank(row["judge"])), default=None)


def _on_judge(report: Report, row: Report) -> list[Sentence]:
    item, judge = row["item"], row["judge"]
    title = _title(report, judge)
    found = []
    for one in report["correlations"]["systems"]:
        if (one["people"], one["judge"], one["key"]) == (item, judge, item):
            found.append(_said("correlation", _ranking(title, one["pearson"])))
    about = title if not found else "it"
    found.append(_said("kappa", _per_unit(report, about, row)))
    if row["detects"] is not None:
        found.append(_said("misses", _misses(row)))
    others = [one for one in report["agreement"] if one["item"] == item and one["units"]]
    found += _best_judge(report, row, others)
    return found


def _ranking(title: str, pearson: Report) -> str:
    n, value = pearson["n"], pearson["value"]
    systems = counted_words(n, "system")
    if value is None:
        return (
            f"Whether {title} ranks your systems as people do cannot be told: Pearson is "
            f"undefined, {pearson['reason']}."
        )
    only = "only " if n < FEW_SYSTEMS else ""
    numbers = f"Pearson {_interval(pearson, _decimal)}, {only}{systems}."
    low, high = pearson["low"], pearson["high"]
    if low is None:
        return (
            f"How sure it is that {title} ranks your systems as people do cannot be told "
            f"({pearson['interval_reason']}): {numbers}"
        )
    if low >= AS_PEOPLE:
        return f"{title} ranks your systems as people do: {numbers}"
    if low >= ROUGHLY:
        return f"{title} ranks your systems roughly as people do: {numbers}"
    if high < 0:
        return f"{title} ranks your systems against people's order: {numbers}"
    if high - low > ROUGHLY and high >= ROUGHLY:
        return (
            f"Whether {title} ranks your systems as people do cannot be told with {systems}: "
            f"Pearson {_interval(pearson, _decimal)}."
        )
    if low > 0:
        return f"{title} hardly ranks your systems as people do: {numbers}"
    return f"{title} does not rank your systems as people do: {numbers}"


def _per_unit(report: Report, about: str, row: Report) -> str:
    kappa = row["kappa"]
    unit = kappa["of"].removesuffix("s") if kappa["of"] != "citations of claims" else "citation"
    unit = "answer" if unit == "response" else unit
    n = counted_words(row["units"], unit)
    if kappa["value"] is None:
        return (
            f"How far {about} agrees with people on each {unit} cannot be told: kappa is "
            f"undefined, {kappa['reason']} ({n})."
        )
    if constant := _always_the_same(row):
        who, value = constant
        said = "people give" if who == "people" else f"{about} gives"
        return (
            f"{said} every {unit} the same answer ({_answer(report, row['item'], value)}), which "
            f"is agreement by chance alone: kappa {_decimal(kappa['value'])}, {n}."
        )
    words = _words(kappa)
    whose = "its agreement" if about == "it" else f"the agreement of {about}"
    return (
        f"On each {unit} {whose} with people is {words}: kappa {_interval(kappa, _decimal)}, {n}."
    )


def _always_the_same(row: Report) -> tuple[str, str] | None:
    """Who of people and the judge has a single answer, and which; None where both have several."""
    values, table = row["confusion"]["values"], row["confusion"]["table"]
    for who, lines in (("judge", list(zip(*table, strict=True))), ("people", table)):
        given = [value for value, line in zip(values, lines, strict=True) if any(line)]
        if len(given) == 1:
            return who, given[0]
    return None


def _misses(row: Report) -> str:
    units, called, otherwise = NEGATIVE[row["item"]]
    recall, precision = row["detects"]["recall"], row["detects"]["precision"]
    if recall["value"] is None:
        return f"How many of the {units} it misses cannot be told: {recall['reason']}."
    missed = f"It misses {_interval(_rest(recall), _percent)} of the {units}"
    if precision["value"] is None:
        return f"{missed}; it calls nothing {called}."
    return (
        f"{missed}; of those that it calls {called}, people find "
        f"{_interval(_rest(precision), _percent)} {otherwise}."
    )


def _best_judge(report: Report, main: Report, rows: Sequence[Report]) -> list[Sentence]:
    """Which of several judges agrees most, where it is not the one that was spoken about and more
    than chance sets them apart."""
    known = [row for row in rows if row["kappa"]["value"] is not None]
    if len(known) < 2:
        return []
    best = max(known, key=lambda row: (row["kappa"]["value"], -_rank(row["judge"])))
    low, spoken_of = best["kappa"]["low"], main["kappa"]["value"]
    if best["judge"] == main["judge"] or low is None or spoken_of is None or low <= spoken_of:
        return []
    title = _title(report, best["judge"])
    return [
        _said(
            "judges",
            f"Of {len(known)} judges {title} agrees most with people: kappa "
            f"{_interval(best['kappa'], _decimal)}.",
        )
    ]


# People and systems ------------------------------------------------------------------------------


def _on_people(report: Report, item: str) -> list[Sentence]:
    row = next((one for one in report["people"] if one["item"] == item), None)
    asked = _asked(report, item)
    if row is None:
        unknown = "only their labels are known, not who gave which answer"
        text = f"How far people agree with each other on “{asked}” cannot be told: {unknown}."
        return [_said("people", text)]
    alpha = row["alpha"]
    if alpha["value"] is None:
        text = (
            f"How far people agree with each other on “{asked}” cannot be told: {alpha['reason']}."
        )
    else:
        text = (
            f"The agreement of people with each other on “{asked}” is {_words(alpha)}: "
            f"Krippendorff's alpha {_interval(alpha, _decimal)}, "
            f"{counted_words(row['raters'], 'rater')}."
        )
    return [_said("people", text)]


def _on_systems(report: Report, item: str) -> list[Sentence]:
    """The best system by people; where nobody rated, by the first automatic judge."""
    rows = report["systems"]["rows"]
    if item:
        numbers = {row["system"]: row["people"].get(item) for row in rows}
        by = f"people on “{_asked(report, item)}”"
        column = {"kind": "people", "key": item}
    else:
        columns = report["systems"]["automatic"]
        key = _first([one["key"] for one in columns])
        chosen = next((one for one in columns if one["key"] == key), None)
        if chosen is None:
            return []
        place = f"{chosen['judge']}/{chosen['key']}"
        numbers = {row["system"]: row["automatic"].get(place) for row in rows}
        by = _title(report, chosen["judge"])
        column = {"kind": "automatic", "judge": chosen["judge"], "key": chosen["key"]}
    known = {
        name: number for name, number in numbers.items() if number and number["value"] is not None
    }
    if len(known) < 2:
        return []
    ranked = sorted(known, key=lambda name: (-known[name]["value"], name))
    best, second = ranked[:2]
    show = _plain if item == "utility" else _one_percent
    alike = [name for name in ranked if known[name]["value"] == known[best]["value"]]
    if len(alike) > 1:
        return [_said("systems", _are_alike(alike, len(known), by, show(known[best]["value"])))]
    ahead = _ahead(report, column, best, second)
    return [
        _said(
            "systems",
            f"“{best}” is the best of {len(known)} systems by {by} "
            f"({_interval(known[best], show)}), {ahead} “{second}” "
            f"({_interval(known[second], show)}).",
        )
    ]


def _are_alike(names: Sequence[str], systems: int, by: str, value: str) -> str:
    if len(names) == systems:
        return f"No system is better than another by {by}: all {systems} have {value}."
    named = [f"“{name}”" for name in names]
    if len(named) > NAMED:
        listed = f"{', '.join(named[:NAMED])} and {len(named) - NAMED} more"
    else:
        listed = f"{', '.join(named[:-1])} and {named[-1]}"
    return f"{listed} are the best of {systems} systems by {by}, with {value} each."


def _on_few(report: Report) -> list[Sentence]:
    """That hardly anything can be known of so few questions."""
    questions = report["counts"]["questions"]
    if not 0 < questions < FEW_QUESTIONS:
        return []
    if questions == 1:
        text = "All of this is about one question: how sure the numbers are cannot be told."
    else:
        text = (
            f"All of this is about {questions} questions: of so few, intervals are narrower than "
            "they should be."
        )
    return [_said("few", text)]


def _ahead(report: Report, column: Report, best: str, second: str) -> str:
    for one in report["comparisons"]:
        if all(one["column"].get(name) == value for name, value in column.items()):
            for pair in one["pairs"]:
                if {pair["one"], pair["other"]} == {best, second}:
                    p = _p(pair)
                    if p is None:
                        return f"how clearly cannot be told ({pair['reason']}), before"
                    words = "clearly better than" if p < CLEARLY else "but not clearly better than"
                    return words
    return "before"


def _p(pair: Report) -> float | None:
    """The corrected p of the t-test: that of the bootstrap is never below pairs / resamples."""
    found: float | None = pair["t_p_holm"]
    return found


# Words -------------------------------------------------------------------------------------------


def _said(key: str, text: str) -> Sentence:
    return {"key": key, "text": text[:1].upper() + text[1:]}


def _first(keys: Sequence[str]) -> str:
    return next((key for key in ORDER if key in keys), "")


def _asked(report: Report, item: str) -> str:
    return next(str(one["title"]) for one in report["items"] if one["key"] == item)


def _answer(report: Report, item: str, value: str) -> str:
    values = next(one["values"] for one in report["items"] if one["key"] == item)
    return next(f"“{one['label']}”" for one in values if one["value"] == value)


def _title(report: Report, judge: str) -> str:
    """The judge's readable name, with its id where another one is called the same."""
    titles = {one["id"]: str(one["title"]) for one in report["judges"]}
    alike = sum(title == titles[judge] for title in titles.values()) > 1
    return f"{titles[judge]} ({judge})" if alike else titles[judge]


def _rank(judge: str) -> int:
    return int(judge.removeprefix("j"))


def _kappa_word(kappa: float) -> str:
    if kappa < 0:
        return KAPPA_WORDS[0][1]
    return next((word for most, word in KAPPA_WORDS[1:] if round(kappa, 2) <= most), "")


def _words(number: Report) -> str:
    if number["low"] is None:
        return _kappa_word(number["value"])
    return kappa_words(number["low"], number["high"])


def _rest(number: Report) -> Report:
    """One minus a share."""
    low, high = number["low"], number["high"]
    return {
        "value": 1 - number["value"],
        "low": None if high is None else 1 - high,
        "high": None if low is None else 1 - low,
    }


def _interval(number: Report, show: Any) -> str:
    if number["low"] is None:
        return f"{show(number['value'])} [no interval]"
    return f"{show(number['value'])} [{show(number['low'])}, {show(number['high'])}]"


def _decimal(value: float) -> str:
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def _one_percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _plain(value: float) -> str:
    return f"{value:.2f}"
