"""The judges and their metrics. A judge is registered by one line here, or by an entry point of
the group `attest.judges` in another package; all else stands in its `Spec`."""

from collections.abc import Iterator, Mapping
from typing import Final

from annotate.protocol.extensions import ExtensionError
from annotate.protocol.registry import Registry
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
        "model": "evaluation.asking.judge:SPEC",
    },
)


def of_files() -> list[str]:
    """The judges that need no study."""
    return [name for name, spec in JUDGES.items() if not spec.of_forms]


class _Metrics(Mapping[str, Metric]):
    """The metrics of all judges by key, in the order in which they are shown."""

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
    """The metrics made from a judge's verdicts."""
    return list(JUDGES[judge].metrics)
