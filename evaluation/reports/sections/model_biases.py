"""Biases of language models as judges.

A variant (`evaluation/language_models/asking/variants.py`) differs from the judge in one thing.
Over the units u that both answered, with x_u what the answer counts in a system's number:

    changed    = share of u with another answer
    shift      = mean of x_u of the variant minus x_u of the judge
    alpha      = Krippendorff's alpha of the same judge asked several times
    own family = mean of (x_u - r_u) over systems of the judge's family minus that over others

where r_u is people's label or, if one side has none, the mean of the other judges. Intervals draw
questions: those of shifts by Student's t, of shares and alpha on Fisher's scale. p is by random
signs for each question (`statistics/permutation_tests.py`), for the own family by Student's t;
Holm's method corrects it for all tests of one judge.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import figure_json, number, rounded
from evaluation.reports.sections.section import Panel, Section, Tables
from evaluation.reports.sections.words import UNITS, decimal, one_percent
from evaluation.reports.selection import Selected
from evaluation.reports.shape.judges import (
    ModelBiases,
    NamedSystem,
    OwnFamily,
    Repeats,
    Tested,
    VariantEffect,
    VariedKey,
)
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import judges as tables
from evaluation.statistics import alpha
from evaluation.statistics.comparison import LEVEL, holm, p_of_t
from evaluation.statistics.error_bars import ErrorBar, Statistic, by_t, by_z, error_bar, of_sums
from evaluation.statistics.means import means
from evaluation.statistics.permutation_tests import p_of_signs
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
NO_CHOICE = "the answer is not one choice"


def model_biases(selected: Selected) -> list[ModelBiases]:
    """Return an entry for each language model and item with any finding."""
    found: list[ModelBiases] = []
    for judge in selected.judges:
        biases = _JudgeBiases(selected, judge)
        entries = [one for item in _items(selected) if (one := biases.on(item)) is not None]
        _correct(entries)
        for one in entries:
            one["said"] = sentences(one, selected.known[one["item"]])
        found += entries
    return found


def _items(selected: Selected) -> Iterator[ReportItem]:
    """Yield items that models answer, without derived ones, which would repeat them."""
    for item in selected.items():
        if item.has_number and item.of_judges and not item.is_derived and not item.weights:
            yield item


@dataclass(slots=True)
class _JudgeBiases:
    """The biases of one judge."""

    selected: Selected
    judge: int

    def on(self, item: ReportItem) -> ModelBiases | None:
        selected, plain = self.selected, self.selected.answers(self.judge, item.key)
        if not plain:
            return None
        alone, repeats = dict[str, int](), list[int]()
        for other, varied in selected.variants(self.judge).items():
            [key, *more] = (part.partition(":")[0] for part in varied)
            if key == "repeat" and not more:
                repeats.append(other)
            elif not more:
                alone[key] = other
        made: ModelBiases = {
            "judge": selected.judge_id(self.judge),
            "item": item.key,
            "variants": [
                effect
                for key in get_args(VariedKey)
                if key in alone and (effect := self._effect(item, plain, key, alone[key]))
            ],
            "repeats": self._repeats(item, repeats),
            "systems": self._by_system(item, plain, alone["system"]) if "system" in alone else [],
            "own_family": self._own_family(item, plain),
            "said": [],
        }
        has_any = made["variants"] or made["repeats"] or made["systems"] or made["own_family"]
        return made if has_any else None

    # Numbers -------------------------------------------------------------------------------------

    def _effect(
        self, item: ReportItem, plain: Mapping[int, str], key: Any, other: int
    ) -> VariantEffect | None:
        said = self.selected.answers(other, item.key)
        units = sorted({*plain} & {*said})
        if not units:
            return None
        changed = np.array([plain[unit] != said[unit] for unit in units], dtype=float)
        return {
            "varied": key,
            "units": len(units),
            "changed": self._share(changed, units, item),
            **self._shift(_differences(item, plain, said, units), units, item),
        }

    def _repeats(self, item: ReportItem, others: Sequence[int]) -> Repeats | None:
        each = [self.selected.answers(judge, item.key) for judge in (self.judge, *others)]
        units = sorted(set.intersection(*({*said} for said in each)))
        if len(each) < 2 or not units:
            return None
        same = np.array([len({said[unit] for said in each}) == 1 for unit in units], dtype=float)
        found = number(undefined(NO_CHOICE), n=len(units), of=UNITS[item.unit_kind])
        if item.is_choice:
            found = self._alpha(item, each, units)
        return {
            "times": len(each),
            "units": len(units),
            "same": self._share(same, units, item),
            "alpha": found,
        }

    def _alpha(
        self, item: ReportItem, each: Sequence[Mapping[int, str]], units: Sequence[int]
    ) -> Number:
        place = {value: n for n, value in enumerate(item.values)}
        counts = np.zeros((len(units), len(place)))
        for said in each:
            counts[np.arange(len(units)), [place[said[unit]] for unit in units]] += 1
        pairs = alpha.coincidences(counts)
        sums = _some(self.selected.per_question(pairs, units))
        figure = alpha.alpha(pairs.sum(axis=0), item.scale)
        statistic = of_sums(sums, lambda drawn: alpha.alphas(drawn, item.scale))
        bar = self._bar(statistic, len(sums))
        return number(
            figure,
            n=len(units),
            of=UNITS[item.unit_kind],
            bar=bar,
            interval=by_z(figure.value, bar, len(sums)),
            signature=f"alpha:{item.scale}|interval:z",
        )

    def _by_system(
        self, item: ReportItem, plain: Mapping[int, str], other: int
    ) -> list[NamedSystem]:
        selected, said = self.selected, self.selected.answers(other, item.key)
        units = np.array(sorted({*plain} & {*said}), dtype=np.int64)
        found: list[NamedSystem] = []
        for system in selected.systems:
            own = units[selected.unit_system[units] == system].tolist()
            if own:
                shift = self._shift(_differences(item, plain, said, own), own, item)
                record = selected.data.systems[system]
                is_own = bool(record.family) and record.family == self._family
                found.append({"system": record.name, "own": is_own, "units": len(own), **shift})
        return found

    @property
    def _family(self) -> str:
        return self.selected.data.judges[self.judge].family

    def _own_family(self, item: ReportItem, plain: Mapping[int, str]) -> OwnFamily | None:
        selected, family = self.selected, self._family
        if not family:
            return None
        is_own = np.array([one.family == family for one in selected.data.systems])
        labels = {u: _counts(item, value) for u, value in selected.labels(item.key).items()}
        for against, known in (
            ("people", labels),
            ("judges", self._of_others(item, family)),
        ):
            units = np.array(sorted({*plain} & {*known}), dtype=np.int64)
            own = is_own[selected.unit_system[units]]
            if own.any() and not own.all():
                more = np.array([_counts(item, plain[u]) - known[u] for u in units.tolist()])
                return self._compared(item, family, against, units, own, more)
        return None

    def _compared(
        self, item: ReportItem, family: str, against: Any, units: Any, own: Any, more: Floats
    ) -> OwnFamily:
        rows = np.stack([np.stack([more * side, side], axis=1) for side in (own, ~own)], axis=1)
        sums = _some(self.selected.per_question(rows.astype(float), units))
        of_own, of_others = means(sums.sum(axis=0)).tolist()
        bar = self._bar(
            of_sums(sums, lambda drawn: -np.diff(means(drawn), axis=1)[:, 0]), len(sums)
        )
        value = of_own - of_others
        return {
            "family": family,
            "against": against,
            "own_units": int(own.sum()),
            "other_units": int((~own).sum()),
            "own": figure_json(Figure(of_own)),
            "others": figure_json(Figure(of_others)),
            **self._tested(value, len(units), item, bar, len(sums), p_of_t(value, bar, len(sums))),
        }

    def _of_others(self, item: ReportItem, family: str) -> dict[int, float]:
        """Return the mean of the judges without this family, also among a jury's members."""
        judges = self.selected.data.judges
        given: dict[int, list[float]] = {}
        for other in self.selected.answering(item.key):
            if family not in judges[other].families:
                for unit, value in self.selected.answers(other, item.key).items():
                    given.setdefault(unit, []).append(_counts(item, value))
        return {unit: sum(some) / len(some) for unit, some in given.items()}

    # With intervals ------------------------------------------------------------------------------

    def _shift(self, differences: Floats, units: Sequence[int], item: ReportItem) -> Tested:
        sums = self._sums(differences, units)
        bar = self._bar(of_sums(sums, means), len(sums))
        p = p_of_signs(sums[:, 0], seed=self.selected.seed)
        return self._tested(float(differences.mean()), len(units), item, bar, len(sums), p)

    def _tested(
        self, value: float, units: int, item: ReportItem, bar: ErrorBar, questions: int, p: Figure
    ) -> Tested:
        return {
            "shift": number(
                Figure(value),
                n=units,
                of=UNITS[item.unit_kind],
                bar=bar,
                interval=by_t(value, bar, questions),
                signature="difference of means|interval:t",
            ),
            "p": rounded(p.value),
            "p_holm": None,
            "reason": p.reason,
        }

    def _share(self, values: Floats, units: Sequence[int], item: ReportItem) -> Number:
        sums = self._sums(values, units)
        bar = self._bar(of_sums(sums, means), len(sums))
        share = float(values.mean())
        return number(
            Figure(share),
            n=len(units),
            of=UNITS[item.unit_kind],
            bar=bar,
            interval=by_z(share, bar, len(sums), least=0.0),
            signature="share|interval:z",
        )

    def _sums(self, values: Floats, units: Sequence[int]) -> Floats:
        """Return sum and count of each question that has any."""
        rows = np.stack([values, np.ones(len(values))], axis=1)
        return _some(self.selected.per_question(rows, units))

    def _bar(self, statistic: Statistic, questions: int) -> ErrorBar:
        selected = self.selected
        return error_bar(
            statistic, questions, resamples=selected.filters.resamples, seed=selected.seed
        )


def _correct(found: Sequence[ModelBiases]) -> None:
    """Correct p for all tests of one judge."""
    tests: list[Tested] = []
    for one in found:
        tests += [*one["variants"], *one["systems"]]
        tests += [one["own_family"]] if one["own_family"] else []
    each = [undefined(t["reason"]) if t["p"] is None else Figure(t["p"]) for t in tests]
    for tested, p in zip(tests, holm(each), strict=True):
        tested["p_holm"] = rounded(p.value)


def _some(sums: Floats) -> Floats:
    """Return the sums without empty questions."""
    found: Floats = sums[sums.reshape(len(sums), -1).any(axis=1)]
    return found


def _counts(item: ReportItem, value: str) -> float:
    """Return what an answer counts in a system's number."""
    return item.degree(value) if item.is_mean else item.worth(value)


def _differences(
    item: ReportItem, plain: Mapping[int, str], said: Mapping[int, str], units: Sequence[int]
) -> Floats:
    return np.array([_counts(item, said[u]) - _counts(item, plain[u]) for u in units])


SECTION = Section(
    key="model_biases",
    shape=list[ModelBiases],
    build=model_biases,
    words="bias of model judges",
    panel=Panel(
        "biases",
        "Bias of language models",
        45,
        "No language model has variants or a known family.",
    ),
    tables=tables.model_biases,
    kinds=(
        Tables("model-variants"),
        Tables("model-repeats"),
        Tables("own-family", folded="Systems of the judge’s own family"),
        Tables("model-named", folded="Told the system’s name, by system"),
    ),
    is_optional=True,
)


# In sentences -------------------------------------------------------------------------------------

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
    """Yield a sentence for each clear effect, and one for all others."""
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
        yield f"These do not change its mean more than chance would: {each}."


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
    """Say how much more it gives systems of its own family than others give them."""
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
