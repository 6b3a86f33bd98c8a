"""The headline: a few plain sentences with the report's main numbers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, get_args

from evaluation.reports.numbers import in_words
from evaluation.reports.sections.headline_findings import (
    on_disagreements,
    on_preference,
    on_reliability,
    on_slices,
)
from evaluation.reports.sections.headline_on_judge import MOST_GROUPS, main_agreement, on_judge
from evaluation.reports.sections.section import Section
from evaluation.reports.sections.words import (
    KNOWN,
    NAMED,
    NumberInWords,
    asked,
    counted_words,
    decimal,
    first,
    interval,
    listed,
    on_threshold,
    one_percent,
    ordinal,
    over_slices,
    said,
    title_of,
    words,
)
from evaluation.reports.shape.people import PairsOn
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.study import Headline, Sentence
from evaluation.reports.shape.systems import ColumnComparisons, ComparedPair, RankedSystem
from evaluation.reports.shape.values import Number
from evaluation.reports.tables.names import SHARE, automatic_kind, system_title
from evaluation.reports.tables.powered import on_rated_part

Narrowing = Literal["systems", "slices", "batch", "dimensions", "judges", "fine_grained"]
NARROWING: tuple[Narrowing, ...] = get_args(Narrowing)
"""Filters that leave only a part of the study."""


def headline(report: Report) -> list[Sentence]:
    """Return up to ten sentences about the other sections; more if systems form groups."""
    found: list[Sentence] = []
    pairs = rated_pairs(report)
    rated = bool(report["systems"]["people"] or report.get("open_answers") or pairs)
    judged = bool(report["counts"]["judges"])
    agreement = main_agreement(report)
    if agreement is not None:
        found += on_judge(report, agreement)
    else:
        found.append(said("nothing", _on_nothing(report, rated=rated, judged=judged)))
    item = (
        agreement["item"] if agreement is not None else first(report, report["systems"]["people"])
    )
    if item:
        found += on_people(report, item)
    elif not pairs:
        found += on_open_answers(report)
    if item or report["systems"]["automatic"] or pairs:
        found += on_groups(report)
    found += on_systems(report, item) + on_sample(report, item) + on_pairs(report, pairs, item)
    found += on_reliability(report, item) + on_slices(report, item)
    if agreement is not None:
        found += on_disagreements(report, agreement["judge"], item)
    found += on_thresholds(report)
    return found + on_few(report) if rated or judged else found


def _are_for_judges(items: Collection[str]) -> bool:
    """Whether metrics answer any of these shipped items like people do."""
    return any(KNOWN[key].of_metrics for key in items if key in KNOWN)


def _on_nothing(report: Report, *, rated: bool, judged: bool) -> str:
    """Say why people and judges cannot be compared. There may be answers that do not count."""
    filters, people = report["filters"], report["systems"]["people"]
    chosen = any(filters[name] for name in NARROWING)
    nobody = "nobody has rated" if chosen else "nobody has rated yet"
    if not chosen and any(rater["excluded"] for rater in report["raters"]):
        nobody = "only excluded raters have rated"
    no_judge = "no automatic judge has judged this study" + ("" if chosen else " yet")
    uses = [row["uses_autoais"] for row in report["systems"]["rows"]]
    hidden = bool(uses) and all(uses) and not report["filters"]["outliers"]
    if hidden:
        no_judge = "all systems use AutoAIS themselves, so automatic citation scores are hidden"
    if rated and judged and hidden and _are_for_judges(people):
        text = f"{no_judge}. We cannot tell how well people and automatic judges agree."
    elif rated and judged:
        text = (
            "people and automatic judges have not judged the same units yet, so we cannot tell how "
            "well they agree."
        )
    elif rated:
        text = f"{no_judge}. The report shows people's ratings and their agreement."
    elif judged:
        text = f"{nobody}, so we cannot tell how far to trust the automatic numbers."
    else:
        text = f"{nobody}, and {no_judge.removesuffix(' yet')}."
    return f"under these filters {text}" if chosen else text


SECTION = Section(key="headline", shape=Headline, panel=None, sum_up=headline)


# About people and systems -------------------------------------------------------------------------

CLEARLY = 0.05
"""The corrected p below which one system is clearly better than another."""

FEW_QUESTIONS = 10
"""With fewer, intervals from resampling are too narrow to be shown without a warning."""

ROUGH_QUESTIONS = 20
"""Up to this number, means of yes and no have so few values that their intervals are too wide."""


Compared = tuple[str, str | None, str]
"""Kind, judge and key of the number that systems are compared by."""


def on_people(report: Report, item: str) -> list[Sentence]:
    row = next((one for one in report["people"] if one["item"] == item), None)
    question = asked(report, item)
    if row is None:
        unknown = "only their labels are known, not who gave which answer"
        text = f"We cannot tell how well people agree on “{question}”: {unknown}."
        return [said("people", text)]
    return [_agreement(report, question, row, "alpha", "Krippendorff's alpha")]


def _agreement(
    report: Report, question: str, row: Mapping[str, Any], key: str, coefficient: str
) -> Sentence:
    alpha, where, tail = over_slices(report, row, key)
    if alpha is None:
        reason = row[key]["reason"]
        text = f"We cannot tell how well people agree on “{question}”: {reason}."
    else:
        text = (
            f"People's agreement with each other on “{question}”{where} is {words(alpha)}: "
            f"{coefficient} {alpha.says(decimal)}, {counted_words(row['raters'], 'rater')}.{tail}"
        )
    return said("people", text)


def on_open_answers(report: Report) -> list[Sentence]:
    """Say how far people agree on the first open question, but not which system is best: more is
    not better."""
    for row in report.get("open_answers", []):
        for one in row["agreement"]:
            if one["is_main"]:
                title = asked(report, row["item"])
                own = {"raters": row["raters"], "number": one["number"]}
                return [_agreement(report, title, own, "number", one["title"])]
    return []


def rated_pairs(report: Report) -> list[PairsOn]:
    """Return the items about pairs that people answered."""
    return [one for one in report.get("pairs", []) if one["answers"]]


def on_pairs(report: Report, pairs: Sequence[PairsOn], item: str) -> list[Sentence]:
    """Say how far people agree on the first item about pairs, unless it is this item, and which
    system they prefer."""
    told: list[Sentence] = []
    for one in pairs[:1]:
        told += on_people(report, one["item"]) if one["item"] != item else []
        told += on_preference(report, one)
    return told


def on_systems(report: Report, item: str) -> list[Sentence]:
    """Name the best system by people or, without ratings, by the first automatic judge."""
    rows = report["systems"]["rows"]
    numbers: dict[str, Number | None]
    if item:
        numbers = {row["system"]: row["people"].get(item) for row in rows}
        by = f"people on “{asked(report, item)}”"
        column: Compared = ("people", None, item)
    else:
        columns = report["systems"]["automatic"]
        key = first(report, [one["key"] for one in columns])
        chosen = next((one for one in columns if one["key"] == key), None)
        if chosen is None:
            return []
        place = f"{chosen['judge']}/{chosen['key']}"
        numbers = {row["system"]: row["automatic"].get(place) for row in rows}
        by = title_of(report, chosen["judge"])
        column = ("automatic", chosen["judge"], chosen["key"])
    show = decimal if automatic_kind(report, column[2]) != SHARE else one_percent
    found = _ranked(report, numbers, by, column, show)
    if found and item:
        found[0]["text"] += _few_rated(report, numbers)
    return found


def _few_rated(report: Report, numbers: Mapping[str, Number | None]) -> str:
    """Return the systems with less than half as many ratings as another, as a sentence."""
    rated = {name: one["n"] if one else 0 for name, one in numbers.items()}
    most = max(rated.values())
    few = [f"{n:,} of “{system_title(report, name)}”" for name, n in rated.items() if n < most / 2]
    if not few:
        return ""
    more = f" and of {counted_words(len(few) - NAMED, 'more system')}" if len(few) > NAMED else ""
    of = next(one["of"] for one in numbers.values() if one)
    return f" Few {of} are rated: {', '.join(few[:NAMED])}{more}; up to {most:,} of others."


def on_groups(report: Report) -> list[Sentence]:
    """Say that not all systems can be ranked together, if they form groups."""
    groups = report["systems"]["groups"]
    return [said("groups", _are_apart(report, groups))] if len(groups) > 1 else []


def _ranked(
    report: Report,
    numbers: dict[str, Number | None],
    by: str,
    column: Compared,
    show: Callable[[float], str],
) -> list[Sentence]:
    """Name the best of the systems, or of each group that shares questions."""
    groups = report["systems"]["groups"]
    if len(groups) < 2:
        return _best(report, numbers, by, column, show)
    told = []
    for count, names in enumerate(groups[:MOST_GROUPS], 1):
        some = {name: number for name, number in numbers.items() if name in names}
        told += _best(report, some, f"{by}, in group {count}", column, show)
    return told


def _are_apart(report: Report, groups: Sequence[Sequence[str]]) -> str:
    every = "; ".join(
        f"group {place}: "
        + ", ".join(f"“{system_title(report, name)}”" for name in names[:NAMED])
        + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
        for place, names in enumerate(groups[:MOST_GROUPS], 1)
    )
    more = f"; and {len(groups) - MOST_GROUPS} more groups" if len(groups) > MOST_GROUPS else ""
    return (
        f"The systems form {len(groups)} groups without shared questions. They are ranked only "
        f"within groups. {every[:1].upper()}{every[1:]}{more}."
    )


def _best(
    report: Report,
    numbers: dict[str, Number | None],
    by: str,
    column: Compared,
    show: Callable[[float], str],
) -> list[Sentence]:
    """Name the best of some systems that can be ranked together."""
    found = {name: interval(number) for name, number in numbers.items() if number is not None}
    known = {name: number for name, number in found.items() if number is not None}
    if len(known) < 2:
        return []
    ranked = sorted(known, key=lambda name: (-known[name].value, name))
    compared = _compared(report, column)
    raters = _on_raters(report, compared, ranked, show)
    ranks = {one["system"]: one for one in compared["ranks"]} if compared else {}
    top = [ranks[name] for name in ranked if name in ranks and ranks[name]["first"] == 1]
    # Tests are about shared questions: the highest number may come from easier questions.
    best = top[0]["system"] if len(top) == 1 else ranked[0]
    second = next(name for name in ranked if name != best)
    pairs = compared["pairs"] if compared else ()
    pair = next((one for one in pairs if {one["one"], one["other"]} == {best, second}), None)
    is_tested = any(one["t_p_holm"] is not None for one in pairs)
    alike = [name for name in ranked if known[name].value == known[best].value]
    titles = [system_title(report, name) for name in alike]
    value = show(known[best].value)
    if len(top) > 1 and (is_tested or len(alike) > 1):
        number = known[best].says(show) if len(alike) == 1 else f"{value} each"
        text = _not_apart(report, top, titles, len(known), by, number)
        return [said("systems", text + _detectable(pair, show)), *raters]
    if not top and len(alike) > 1:
        return [said("systems", _are_alike(titles, len(known), by, value))]
    one, other = (f"“{system_title(report, name)}”" for name in (best, second))
    first_number, next_number = (known[name].says(show) for name in (best, second))
    if pair is None or pair["t_p_holm"] is None:
        why = "it was not tested" if pair is None else pair["reason"]
        text = (
            f"{one} is highest of {len(known)} systems by {by} ({first_number}), "
            f"ahead of {other} ({next_number}). We cannot tell whether it is better: {why}."
        )
        return [said("systems", text)]
    where = "" if best == ranked[0] else " on the questions that both answered"
    text = (
        f"{one} is the best of {len(known)} systems by {by} ({first_number}), {_ahead(pair, best)} "
        f"{other} ({next_number}){where}.{_detectable(pair, show)}"
    )
    return [said("systems", text), *raters]


def _on_raters(
    report: Report,
    compared: ColumnComparisons | None,
    ranked: Sequence[str],
    show: Callable[[float], str],
) -> list[Sentence]:
    """Name systems that differ only because of who rated them, or would with the same raters."""
    place = {name: n for n, name in enumerate(ranked)}
    parted = [
        (sorted((place[pair["one"]], place[pair["other"]])), pair)
        for pair in (compared["pairs"] if compared else ())
        if pair["one"] in place and pair["other"] in place and pair.get("depends_on_raters")
    ]
    if not parted:
        return []
    (best, other), pair = min(parted, key=lambda one: one[0])
    known, plain = interval(pair["adjusted"]), interval(pair["difference"])
    if ranked.index(pair["one"]) != best:
        known, plain = (one and one.opposite for one in (known, plain))
    of = listed([system_title(report, ranked[n]) for n in (best, other)])
    seen = _in_points(plain, show) if plain else "unknown"
    if known is None:
        text = f"Strict or lenient raters may explain the difference of {seen}"
        text += f": {pair['adjusted']['reason']}."
    else:
        text = (
            "Adjusted for strict and lenient raters, the difference is "
            f"{_in_points(known, show)} instead of {seen}."
        )
    more = len(parted) - 1
    text += f" {counted_words(more, 'other pair')} of systems also depend on it." if more else ""
    return [said("raters", f"Different raters rated {of}. {text}")]


def _in_points(known: NumberInWords, show: Callable[[float], str]) -> str:
    if show is decimal:
        return known.says(decimal)
    return f"{known.says(lambda share: in_words(100 * share, 1))} points"


def _not_apart(
    report: Report,
    top: Sequence[RankedSystem],
    highest: Sequence[str],
    systems: int,
    by: str,
    number: str,
) -> str:
    """Name the systems that no other is better than, their possible ranks, and the systems with
    the highest number."""
    titles = [system_title(report, one["system"]) for one in top]
    where = " at the top" if len(top) < systems else ""
    last = ordinal(top[0]["last"])
    has_one = len({one["last"] for one in top}) == 1
    ranks, worst = (f" to {last}", "") if has_one else ("", f" and is at worst {last}")
    return (
        f"We cannot tell {listed(titles)} apart{where}: each may be 1st{ranks} of {systems} "
        f"systems by {by}. {listed(highest)} {'is' if len(highest) == 1 else 'are'} highest "
        f"({number}){worst}."
    )


def _are_alike(names: Sequence[str], systems: int, by: str, value: str) -> str:
    if len(names) == systems:
        return f"We cannot tell the {systems} systems apart by {by}: all have {value}."
    return (
        f"{listed(names)} are highest of {systems} systems by {by}, {value} each. They were not "
        "tested."
    )


def on_few(report: Report) -> list[Sentence]:
    """Warn if the rated questions are few."""
    every, rated = report["counts"]["questions"], report["counts"]["rated_questions"]
    questions = rated or every
    some = f" that people rated, of {every:,}" if questions < every else ""
    if not 0 < questions <= ROUGH_QUESTIONS:
        return []
    if questions == 1:
        text = f"All of this rests on one question{some}, so the numbers have no intervals."
    elif questions >= FEW_QUESTIONS:
        text = (
            f"All of this rests on {questions} questions{some}. With so few, intervals of "
            "yes-or-no answers are rough and somewhat too wide."
        )
    else:
        text = (
            f"All of this rests on only {questions} questions{some}. With so few, intervals are "
            "too narrow."
        )
    return [said("few", text)]


def on_thresholds(report: Report) -> list[Sentence]:
    """Say whether another threshold is recommended for the leading judge, or the first one."""
    led, rows = report["leading"], report["thresholds"]
    leads = (led["item"], led["judge"]) if led else ("", "")
    first_of = sorted(rows, key=lambda row: (row["item"], row["judge"]) != leads)[:1]
    return [
        said("thresholds", on_threshold(report, row), name=title_of(report, row["judge"]))
        for row in first_of
    ]


def on_sample(report: Report, item: str) -> list[Sentence]:
    """Say that people's number is only about the rated part, if the rest differs."""
    text = on_rated_part(report, item)
    return [said("sample", text)] if text else []


def _compared(report: Report, column: Compared) -> ColumnComparisons | None:
    for one in report["comparisons"]:
        of = one["column"]
        if (of["kind"], of["judge"], of["key"]) == column:
            return one
    return None


def _ahead(pair: ComparedPair, best: str) -> str:
    difference, p = pair["difference"]["value"] or 0.0, pair["t_p_holm"]
    favours = difference > 0 if pair["one"] == best else difference < 0
    if pair.get("depends_on_raters"):
        return "but not clearly better than"
    is_clear = favours and p is not None and p < CLEARLY
    return "clearly better than" if is_clear else "but not clearly better than"


def _detectable(pair: ComparedPair | None, show: Callable[[float], str]) -> str:
    """Say how large a difference the study can find, if it found none."""
    if pair is None or pair["detectable"] is None or (pair["t_p_holm"] or 0.0) < CLEARLY:
        return ""
    least = pair["detectable"]
    if show is not decimal and least >= 1:
        questions = counted_words(pair["questions"], "question")
        return f" No difference can be found with the {questions} that both answered."
    points = f"{100 * least:.0f}" if least >= 0.01 else f"{100 * least:.1f}"
    words = show(least) if show is decimal else f"{points} points"
    return f" A study like this finds a difference of {words} in 80 % of cases."
