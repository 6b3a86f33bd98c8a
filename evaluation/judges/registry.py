"""The registry of judges, and figures from their verdicts.

A judge is registered by one line here, or by an entry point of the group `attest.judges` in another
package. Everything else is in its `Spec`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotate.protocol.registry import ExtensionError, Registry
from evaluation.judges.entailment import Asker
from evaluation.judges.figures import Figures
from evaluation.judges.items import Item, Verdict
from evaluation.judges.judge import AutomaticJudge, Variant
from evaluation.judges.spec import Metric, Spec

JUDGES: Final = Registry(
    "attest.judges",
    Spec,
    {
        "autoais": "evaluation.judges.autoais:SPEC",
        "alce": "evaluation.judges.alce:SPEC",
        "aliice": "evaluation.judges.aliice:SPEC",
        "quotes": "evaluation.judges.quotes:SPEC",
        "correctness": "evaluation.judges.correctness:SPEC",
        "fluency": "evaluation.judges.fluency:SPEC",
        "model": "evaluation.language_models.asking.judge:SPEC",
    },
)


def file_judges() -> list[str]:
    """Return the judges that need no study."""
    return [name for name, spec in JUDGES.items() if not spec.of_forms]


class _Metrics(Mapping[str, Metric]):
    """The metrics of all judges by key, in display order."""

    def __getitem__(self, key: str) -> Metric:
        return self._all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, Metric]:
        found: dict[str, Metric] = {}
        for spec in JUDGES.values():
            for metric in spec.metrics:
                if found.setdefault(metric.key, metric) is not metric:
                    raise ExtensionError(
                        f"The judge “{spec.key}” has a metric “{metric.key}”, which another judge "
                        "has already. Give it another key."
                    )
        return found


METRICS: Final[Mapping[str, Metric]] = _Metrics()


def metrics_of(judge: str) -> list[Metric]:
    """Return the metrics of a judge."""
    return list(JUDGES[judge].metrics)


class JudgeError(ValueError):
    """An unknown judge or invalid options; the message says what to do."""


def spec_of(name: str) -> Spec:
    """Return the `Spec` of a judge; refuse an unknown one."""
    try:
        return JUDGES[name]
    except KeyError:
        raise JudgeError(
            f"There is no judge “{name}”; expected one of {', '.join(JUDGES)}."
        ) from None


def load_judge(name: str, *, asker: Asker | None = None, **options: Any) -> AutomaticJudge:
    """Return the judge with this name; `asker` is passed to judges that use a scorer."""
    spec = spec_of(name)
    known = spec.takes
    unknown = sorted(set(options) - set(known))
    if unknown:
        others = ", ".join(option for option in known if option != "asker")
        raise JudgeError(f"The judge “{name}” has no option “{unknown[0]}”; it has {others}.")
    if spec.asks:
        if asker is None:
            raise JudgeError(f"The judge “{name}” needs an entailment scorer.")
        options["asker"] = asker
    try:
        return spec.judge(**options)
    except ValueError as error:
        raise JudgeError(f"The judge “{name}”: {error}") from error


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of each response, in the order of the items, and of all together."""

    per_item: tuple[Figures, ...]
    aggregate: Figures

    def judged(self, key: str) -> int:
        """Return the number of responses with a number for this metric."""
        return sum(key in each and each[key].value is not None for each in self.per_item)


def summarise(
    judge: str, items: Sequence[Item], verdicts: Sequence[Verdict], *, variant: Variant
) -> Summary:
    """Return the figures of a judge's verdicts on the items."""
    spec = spec_of(judge)
    by_item: dict[str, list[Verdict]] = {item.key: [] for item in items}
    for verdict in verdicts:
        if verdict.item in by_item:
            by_item[verdict.item].append(verdict)
    each = tuple(spec.figures(item, by_item[item.key], variant) for item in items)
    return Summary(each, spec.overall(items, each, variant))
