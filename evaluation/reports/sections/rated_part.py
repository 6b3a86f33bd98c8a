"""Compare the responses that people rated with the rest.

Compared are length and data set and, if a judge judged more than people rated, its number. If one
of them differs, people's number is only about the rated responses.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.dimensions import UnitKind
from evaluation.reports.data import KINDS
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import in_words
from evaluation.reports.sections.scores import (
    PerResponse,
    automatic_values,
    by_question,
    people_values,
)
from evaluation.reports.selection import Selected
from evaluation.statistics.comparison import LEVEL, holm
from evaluation.statistics.rated_sample import compared, compared_sets
from evaluation.statistics.ratings import Figure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DIFFERS = "people rated responses that differ from the rest"
WORDS = {
    "judge": "the judge's mean is {0:.2f} on the rated responses and {1:.2f} on the rest",
    "words": "the rated responses have {0:.1f} words on average, the rest {1:.1f}",
    "statements": "the rated responses have {0:.1f} statements on average, the rest {1:.1f}",
    "set": "{0:.0f} % of the rated responses and {1:.0f} % of the rest are from “{2}”",
}


def with_units(selected: Selected, item: ReportItem, judge: int) -> PerResponse:
    """Return the judge's values of responses with units of the item's kind."""
    values = automatic_values(selected, judge, item.key)
    if item.unit_kind is UnitKind.RESPONSE:
        return values
    answered = np.array(list(selected.answers(judge, item.key)), dtype=np.int64)
    return values.where(np.isin(values.response, selected.unit_response[answered]))


def rated_against_rest(selected: Selected, item: ReportItem, judge: int | None = None) -> str:
    """Describe how rated responses differ from the rest, or return an empty string."""
    if judge is None:
        rated = _given(selected, item)
        every = _to_rate(selected, item, rated)
        values = {}
    else:
        every = with_units(selected, item, judge)
        rated = people_values(selected, item.key).response
        values = {"judge": by_question(every)}
    values |= _lengths(selected, every)
    answered, is_rated = (
        np.isfinite(by_question(some))
        for some in (every, every.where(np.isin(every.response, rated)))
    )
    others = answered & ~is_rated
    names = [
        selected.data.of_question(place).get(selected.filters.split, "")
        for place in selected.questions
    ]
    found = {by: compared(is_rated, others, of) for by, of in values.items()}
    found["set"] = compared_sets(is_rated, others, names)
    known = {by: one for by, one in found.items() if one is not None}
    corrected = holm([Figure(one.p) for one in known.values()])
    parts = []
    for (by, one), figure in zip(known.items(), corrected, strict=True):
        p, times = figure.value or 0.0, 100 if by == "set" else 1
        if p < LEVEL:
            text = WORDS[by].format(times * one.rated, times * one.others, one.name)
            parts.append(f"{text} ({'p < 0.001' if p < 0.001 else f'p = {in_words(p, 3)}'})")
    if not parts:
        return ""
    return (
        f"People rated responses that differ from the rest: {'; '.join(parts)}. "
        "People's number speaks only for the rated responses. To speak for all, rate a batch drawn "
        "at random and filter the report by it."
    )


def _given(selected: Selected, item: ReportItem) -> Ints:
    """Return responses with people's answers on the item, or on one that decides if it is asked."""
    asked = dict.fromkeys(item.derived_from or (item.key,))
    for key in (waiting := list(asked)):
        before = [one.dimension for one in selected.data.protocol[key].shown_when]
        waiting += [one for one in before if one not in asked]
        asked |= dict.fromkeys(before)
    units = [selected.unit_response[selected.columns(key).unit] for key in asked]
    return np.unique(np.concatenate([*units, people_values(selected, item.key).response]))


def _to_rate(selected: Selected, item: ReportItem, rated: Ints) -> PerResponse:
    """Return selected responses with units of the item's kind. If all rated ones cite, only
    responses that cite: some dimensions are not asked without citations."""
    data = selected.data
    asked = (data.units.kind == KINDS.index(item.unit_kind.value)) & (selected.unit_question >= 0)
    is_eligible = np.isin(selected.responses, selected.unit_response[asked])
    cites = data.responses.citations > 0
    if cites[rated].all():
        is_eligible &= cites[selected.responses]
    chosen = selected.responses[is_eligible].astype(np.int64)
    return PerResponse(
        chosen,
        data.responses.system[chosen].astype(np.int64),
        selected.response_question[chosen].astype(np.int64),
        np.ones(len(chosen)),
        tuple(selected.systems),
        len(selected.questions),
    )


def _lengths(selected: Selected, every: PerResponse) -> dict[str, Floats]:
    """Return response lengths: words if a judge counted them, otherwise statements."""
    for judge in selected.judges:
        if "length" in selected.measure_names(judge):
            return {"words": by_question(automatic_values(selected, judge, "length"))}
    statements = selected.data.responses.statements[every.response].astype(float)
    return {"statements": by_question(replace(every, value=statements))}
