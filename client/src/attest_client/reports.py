"""A report, its tables, and its numbers with their intervals."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of one system, with the interval that was printed beside it."""

    system: str
    judge: str
    """Its whole name; empty is what people said."""

    key: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str
    """Why there is no number, or no interval."""


class Report(Mapping[str, Any]):
    """A report as Attest tells it (`manage.py report --schema`)."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._body = body

    def __getitem__(self, key: str) -> Any:
        return self._body[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._body)

    def __len__(self) -> int:
        return len(self._body)

    @property
    def headline(self) -> list[str]:
        """What it says first, in sentences."""
        return [sentence["text"] for sentence in self["headline"]]

    @property
    def judges(self) -> dict[str, str]:
        """The judges by their short names within the report."""
        return {one["id"]: one["name"] for one in self["judges"]}

    def figures(self) -> list[Figure]:
        """Every number of every system."""
        found = []
        for row in self["systems"]["rows"]:
            for key, told in row["people"].items():
                found.append(_figure(row["system"], "", key, told))
            for name, told in row["automatic"].items():
                judge, _, key = name.partition("/")
                found.append(_figure(row["system"], self.judges.get(judge, judge), key, told))
        return found

    def table(self, name: str) -> "pd.DataFrame":
        """One of its tables: `systems` (a row for each number of each system), or any list of the
        report by its key."""
        import pandas as pd

        if name == "systems":
            return pd.DataFrame([_row(one) for one in self.figures()])
        found = self[name]
        if not isinstance(found, list):
            lists = ", ".join(key for key, value in self.items() if isinstance(value, list))
            raise KeyError(f"{name} is no table; tables are systems, {lists}")
        return pd.json_normalize(found)


def _row(figure: Figure) -> dict[str, Any]:
    return {name: getattr(figure, name) for name in Figure.__slots__}


def _figure(system: str, judge: str, key: str, told: Mapping[str, Any]) -> Figure:
    low, high = told.get("low"), told.get("high")
    reason = told.get("reason") or told.get("interval_reason") or ""
    return Figure(system, judge, key, told["value"], low, high, told.get("n", 0), reason)
