"""Trials on labels as lines for terminals."""

from collections.abc import Iterator

from evaluation.statistics.improving import Number, TriedWay


def comparison_lines(name: str, one: TriedWay) -> Iterator[str]:
    """Yield a trial's numbers before and after, and their differences."""
    worth = "better" if one.better else "not better than chance of the sample: do not use"
    yield f"  {name}, {one.units:,} units, {one.questions:,} questions: {worth}"
    for measure in one.measures:
        before, after, more = (_said(side[measure]) for side in (one.before, one.after, one.more))
        yield f"    {measure}: {before} to {after}, by {more}"


def _said(number: Number) -> str:
    if number.value is None:
        return "undefined"
    if number.low is None or number.high is None:
        return f"{number.value:.3f}"
    return f"{number.value:.3f} [{number.low:.3f}, {number.high:.3f}]"
