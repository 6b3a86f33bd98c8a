"""What was found of a judge's biases, a plain sentence each."""

from collections.abc import Iterator
from typing import Final

from evaluation.reports.items import ReportItem
from evaluation.reports.sections.headline_words import decimal, one_percent
from evaluation.reports.sections.words import UNITS
from evaluation.reports.shape.judges import ModelBiases, OwnFamily, Repeats, Tested
from evaluation.reports.shape.values import Number
from evaluation.stats.comparison import LEVEL

VARIED: Final = {
    "choices": "With the choices the other way round",
    "passages": "With the passages the other way round",
    "padded": "With words without content after the answer",
    "system": "Told which system answered",
}

UNCLEAR: Final = {
    "choices": "the order of the choices",
    "passages": "the order of the passages",
    "padded": "words without content",
    "system": "the name of the system",
}


def sentences(found: ModelBiases, item: ReportItem) -> list[str]:
    return [*_sentences(found, item)]


def _sentences(found: ModelBiases, item: ReportItem) -> Iterator[str]:
    """What is clear, each by itself; of all else, that it is not, in one."""
    unclear = []
    for one in found["variants"]:
        if _is_clear(one):
            changed = f"{one_percent(one['changed']['value'] or 0.0)}{_within(one['changed'])}"
            moved = _moves(one, item)
            yield f"{VARIED[one['varied']]}, {changed} of the answers are others; {moved}."
        else:
            unclear.append(UNCLEAR[one["varied"]])
    if found["repeats"] is not None:
        yield _repeated(found["repeats"], item)
    named = [one for one in found["systems"] if _is_clear(one)]
    if named:
        each = "; ".join(f"of {one['system']} {_moves(one, item)}" for one in named)
        yield f"{VARIED['system']}: {each}."
    if (own := found["own_family"]) is not None:
        if _is_clear(own):
            yield _prefers(own, item)
        else:
            unclear.append(f"its own family ({own['family']}), compared with {_others(own)}")
    if unclear:
        each = "; ".join(unclear)
        yield f"Whether these move its mean cannot be told from chance: {each}."


def _moves(one: Tested, item: ReportItem) -> str:
    value = one["shift"]["value"] or 0.0
    return f"the mean {'rises' if value > 0 else 'falls'} by {_amount(abs(value), item)}"


def _repeated(one: Repeats, item: ReportItem) -> str:
    same = f"{one_percent(one['same']['value'] or 0.0)}{_within(one['same'])}"
    said = (
        f"Asked the same {one['times']} times, it gives one answer to {same} of "
        f"{one['units']:,} {UNITS[item.unit_kind]}"
    )
    alpha = one["alpha"]["value"]
    return f"{said}." if alpha is None else f"{said}; its alpha with itself is {decimal(alpha)}."


def _prefers(one: OwnFamily, item: ReportItem) -> str:
    """How much more it says of systems of its own family, by what others say of them."""
    value = one["shift"]["value"] or 0.0
    more = "more" if value > 0 else "less"
    return (
        f"Compared with {_others(one)}, it gives systems of its own family ({one['family']}) "
        f"{_amount(abs(value), item)} {more} than it gives other systems."
    )


def _others(one: OwnFamily) -> str:
    return "people" if one["against"] == "people" else "the other judges"


def _is_clear(one: Tested) -> bool:
    return one["p_holm"] is not None and one["p_holm"] < LEVEL


def _amount(value: float, item: ReportItem) -> str:
    return decimal(value) if item.is_mean else f"{100 * value:.1f} points"


def _within(number: Number) -> str:
    low, high = number["low"], number["high"]
    return "" if low is None or high is None else f" ({one_percent(low)} to {one_percent(high)})"
