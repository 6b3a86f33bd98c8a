"""Words for numbers, kappas, answers and judges in sentences of the headline."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from annotate.protocol.shipped import SHIPPED
from evaluation.reports.items import items_of
from evaluation.reports.numbers import in_words
from evaluation.reports.selected_votes import CITATIONS
from evaluation.reports.shape.judges import ThresholdRow
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.study import Sentence, SentenceKey
from evaluation.reports.shape.values import Number
from evaluation.reports.tables.names import slices_named

KNOWN = items_of(SHIPPED)

KAPPA_WORDS = (
    (0.0, "worse than chance"),
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)
"""J. R. Landis and G. G. Koch (1977): the word up to this kappa. They call the first "poor"."""


NAMED = 3
"""The most systems that a sentence names."""


@dataclass(frozen=True, slots=True)
class NumberInWords:
    """A defined number, and the ends of its interval, if any."""

    value: float
    ends: tuple[float, float] | None

    def says(self, show: Callable[[float], str]) -> str:
        if self.ends is None:
            return f"{show(self.value)} [no interval]"
        return f"{show(self.value)} [{show(self.ends[0])}, {show(self.ends[1])}]"

    @property
    def opposite(self) -> "NumberInWords":
        """Return the number with the other sign."""
        ends = None if self.ends is None else (-self.ends[1], -self.ends[0])
        return NumberInWords(-self.value, ends)

    @property
    def rest(self) -> "NumberInWords":
        """Return one minus a share."""
        ends = None if self.ends is None else (1 - self.ends[1], 1 - self.ends[0])
        return NumberInWords(1 - self.value, ends)


def interval(number: Number) -> NumberInWords | None:
    """Return the number with its interval; None if it is undefined."""
    value, low, high = number["value"], number["low"], number["high"]
    if value is None:
        return None
    return NumberInWords(value, None if low is None or high is None else (low, high))


def said(key: SentenceKey, text: str, *, name: str = "") -> Sentence:
    """Return a sentence that begins with a capital, or with this name."""
    is_name = bool(name) and text.startswith(name)
    return {"key": key, "text": text if is_name else text[:1].upper() + text[1:]}


def first(report: Report, keys: Collection[str]) -> str:
    """Return the most important item: one with something to detect, then one about citations, then
    the others; among these the first of the report."""
    rows = {row["key"]: row for row in report["items"]}
    every = [key for key in (*rows, *(key for key in KNOWN if key not in rows)) if key in keys]

    def rank(key: str) -> int:
        if told(report, key):
            return 0
        return 1 if key in KNOWN and KNOWN[key].unit_kind in CITATIONS else 2

    # A higher open answer is not a better one.
    less = {key for key, row in rows.items() if row["derived"] or "answer" in row}
    worth = [key for key in every if not rank(key) or key not in less]
    return min(worth, key=rank, default="")


def told(report: Report, item: str) -> tuple[str, ...]:
    """Return the words for the cases to detect: the units, the judge's word, and people's word;
    empty if the item has none."""
    row = next((one for one in report["items"] if one["key"] == item), None)
    own = () if row is None else tuple(row.get("told", ()))
    return own or (KNOWN[item].told if item in KNOWN else ())


def asked(report: Report, item: str) -> str:
    return next(str(one["title"]) for one in report["items"] if one["key"] == item)


def answer(report: Report, item: str, value: str) -> str:
    values = next(one["values"] for one in report["items"] if one["key"] == item)
    return next(f"“{one['label']}”" for one in values if one["value"] == value)


def title_of(report: Report, judge: str) -> str:
    """Return the judge's readable name, with its id if another one has the same."""
    titles = {one["id"]: str(one["title"]) for one in report["judges"]}
    alike = sum(title == titles[judge] for title in titles.values()) > 1
    return f"{titles[judge]} ({judge})" if alike else titles[judge]


def kappa_word(kappa: float) -> str:
    if round(kappa, 2) < 0:
        return KAPPA_WORDS[0][1]
    return next((word for most, word in KAPPA_WORDS[1:] if round(kappa, 2) <= most), "")


def words(kappa: NumberInWords) -> str:
    """Return the words of Landis and Koch for a kappa with an interval."""
    return "uncertain" if kappa.ends is None else kappa_words(*kappa.ends)


def decimal(value: float) -> str:
    return in_words(value, 2)


def percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def one_percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def ordinal(n: int) -> str:
    """Return a rank such as “1st”, “12th” or “23rd”."""
    ending = "th" if n // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def kappa_words(low: float, high: float) -> str:
    """Return the word for an interval of kappa, or the words of its ends."""
    one, other = kappa_word(low), kappa_word(high)
    if one == other:
        return one
    order = [word for _, word in KAPPA_WORDS]
    wide = order.index(other) - order.index(one) > 1
    return f"anything from {one} to {other}" if wide else f"{one} to {other}"


WITHIN = ("alpha", "kappa")
"""Coefficients that are also computed within slices."""

LEAST_IN_SLICE = 10
"""The least questions of a slice: few answers make chance uncertain."""

PARTED = 0.1
"""How much higher a coefficient must be over all slices for the headline to warn."""


def over_slices(
    report: Report, row: Mapping[str, Any], key: str
) -> tuple[NumberInWords | None, str, str]:
    """Return the coefficient to report, within slices if the questions have some; words for where
    it holds; and a sentence about the one over all slices."""
    whole, within = interval(row[key]), row.get(f"{key}_within")
    if whole is None or within is None:
        return whole, "", _not_within(report, key) if whole else ""
    one, several = slices_named(report)
    inside = interval(within)
    if inside is None:
        return whole, "", f" Within one {one} it is undefined: {within['reason']}."
    excess = interval(row[f"{key}_excess"])
    text = f" Over all {several} it is {whole.says(decimal)}"
    if excess and excess.ends and excess.ends[0] > 0 and excess.value > PARTED:
        much = "most" if excess.value > whole.value / 2 else "part"
        text += f": {much} of that agreement comes from knowing the {one}"
    return inside, f" within one {one}", f"{text}."


def _not_within(report: Report, key: str) -> str:
    """Say that slices were not checked, if too few of them have enough questions."""
    found = report.get("slices")
    if key not in WITHIN or not found or len(found["values"]) < 2:
        return ""
    one, several = slices_named(report)
    return (
        f" It was not checked within one {one}: fewer than two {several} have {LEAST_IN_SLICE} "
        "questions."
    )


UNITS: Mapping[str, str] = MappingProxyType(
    {
        "response": "responses",
        "statement": "statements",
        "citation": "citations",
        "claim": "claims",
        "claim_citation": "citations of claims",
        "pair": "pairs",
        "reference_claim": "claims of references",
    }
)
"""What the `n` of a number counts, by the kind of unit."""


def counted_words(n: int, noun: str) -> str:
    """Return a count with its noun, such as “1 answer” or “1,200 answers”."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def default_kept(judge: str, what: str, gain: NumberInWords | None, reason: str) -> str:
    """Say that a judge keeps its threshold, since thresholds learned from labels are not clearly
    better on held-out questions."""
    if gain is None:
        return f"{judge} keeps {what}: the gain of another threshold is unknown, {reason}."
    if gain.ends is None and not gain.value:
        return f"{judge} keeps {what}: learning from labels changes nothing on held-out questions."
    if gain.ends is None:
        changed = f"learning from labels changes held-out kappa by {decimal(gain.value)}"
        return f"{judge} keeps {what}: {changed}, but without an interval: {reason}."
    return (
        f"{judge} keeps {what}: learning from labels changes held-out kappa by "
        f"{gain.says(decimal)}, "
        + ("which is no clear gain." if gain.ends[0] <= 0 else "but not clearly above chance.")
    )


def on_threshold(report: Report, row: ThresholdRow) -> str:
    """Say whether another threshold is recommended for a judge, by its held-out gain."""
    held, fixed = row["held_out"], row["fixed"]["threshold"]
    judge, item = title_of(report, row["judge"]), asked(report, row["item"])
    gain = interval(held["gain"])
    if gain is None or held["recommended"] == fixed:
        own = f"its threshold of {fixed:g} for “{item}”"
        why = held["gain"]["reason"] or held["gain"]["interval_reason"]
        return default_kept(judge, own, gain, why)
    return (
        f"{judge} agrees more with people on “{item}” at a threshold of {held['recommended']:g} "
        f"than at {fixed:g}: held-out kappa is higher by {gain.says(decimal)}."
    )


def listed(titles: Sequence[str]) -> str:
    """Return the first names in quotes, and the number of others."""
    named = [f"“{title}”" for title in titles[:NAMED]]
    more = [f"{len(titles) - NAMED} more"] if len(titles) > NAMED else []
    *some, last = [*named, *more]
    return f"{', '.join(some)} and {last}" if some else last
