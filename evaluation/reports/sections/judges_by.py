"""All judges by one number: what each has, and by how much every two differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from evaluation.agreement.ratings import Figure, undefined
from evaluation.reports.numbers import number, rounded
from evaluation.reports.shape.judges import JudgePair, JudgesBy, JudgeStanding, Measured, Test
from evaluation.reports.shape.values import Number
from evaluation.stats.bootstrap import Interval
from evaluation.stats.comparison import LEVEL, holm
from evaluation.stats.error_bars import ErrorBar
from evaluation.stats.letters import letters


@dataclass(frozen=True, slots=True)
class JudgeNumber:
    """One judge's number."""

    figure: Figure
    bar: ErrorBar | None = None
    interval: Interval | None = None
    """Where it is not the error bar's own: by z."""

    no_interval: str = ""
    """Why it has no error bar."""

    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class JudgesDifference:
    """One judge's number minus another's."""

    p: Figure
    interval: Interval
    error: Figure | None = None


@dataclass(frozen=True, slots=True)
class By:
    """One number of all judges. `differences` are of every two, in the order of `combinations`."""

    key: Measured
    test: Test
    signature: str
    n: int
    of: str
    standings: Sequence[JudgeNumber]
    differences: Sequence[JudgesDifference]

    def as_json(self, ids: Sequence[str]) -> JudgesBy:
        """With p corrected for all pairs, and a letter for those that no p tells apart."""
        pairs = list(combinations(range(len(ids)), 2))
        corrected = holm([each.p for each in self.differences])
        known = [n for n, one in enumerate(self.standings) if one.figure.value is not None]
        order = sorted(known, key=lambda n: -(self.standings[n].figure.value or 0.0))
        apart = {
            frozenset(pair)
            for pair, p in zip(pairs, corrected, strict=True)
            if p.value is not None and p.value < LEVEL
        }
        groups = letters(order, apart)
        return {
            "key": self.key,
            "test": self.test,
            "signature": self.signature,
            "judges": [
                self._standing(one, ids[n], groups.get(n, ""))
                for n, one in enumerate(self.standings)
            ],
            "pairs": [
                self._pair(pair, ids, difference, p)
                for pair, difference, p in zip(pairs, self.differences, corrected, strict=True)
            ],
        }

    def _standing(self, one: JudgeNumber, judge: str, group: str) -> JudgeStanding:
        found = number(
            one.figure, n=self.n, of=self.of, bar=one.bar, interval=one.interval,
            signature="interval:z" if one.interval else "",
        )  # fmt: skip
        if one.no_interval and one.figure.value is not None:
            found["interval_reason"] = one.no_interval
        return {
            "judge": judge,
            "number": found,
            "group": group,
            "threshold": rounded(one.threshold),
        }

    def _pair(
        self, pair: tuple[int, int], ids: Sequence[str], found: JudgesDifference, corrected: Figure
    ) -> JudgePair:
        one, other = (self.standings[place].figure for place in pair)
        return {
            "one": ids[pair[0]],
            "other": ids[pair[1]],
            "difference": self._number(difference(one, other), found),
            "p": rounded(found.p.value),
            "p_holm": rounded(corrected.value),
            "reason": found.p.reason,
        }

    def _number(self, figure: Figure, found: JudgesDifference) -> Number:
        shown = number(figure, n=self.n, of=self.of, signature=self.signature)
        if figure.value is None:
            return shown
        return shown | {
            "se": rounded(found.error.value) if found.error is not None else None,
            "low": rounded(found.interval.low),
            "high": rounded(found.interval.high),
            "interval_reason": found.interval.reason,
        }


def difference(one: Figure, other: Figure) -> Figure:
    """Of two numbers, where both are defined."""
    if one.value is None or other.value is None:
        return undefined(one.reason or other.reason)
    return Figure(one.value - other.value)


def nothing(reason: str) -> JudgesDifference:
    """Where there is no difference to test."""
    return JudgesDifference(undefined(reason), Interval(None, None, reason))
