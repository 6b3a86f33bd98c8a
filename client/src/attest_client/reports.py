"""Reports with tables and numbers, and judgments."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of one system, with its interval."""

    system: str
    judge: str
    """The judge's full name; empty for people."""

    key: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str
    """Why there is no number, or no interval."""


class Report(Mapping[str, Any]):
    """A report (`manage.py report --schema`)."""

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
        """The sentences of its headline."""
        return [sentence["text"] for sentence in self["headline"]]

    @property
    def judges(self) -> dict[str, str]:
        """The names of judges by their ids within the report."""
        return {one["id"]: one["name"] for one in self["judges"]}

    def figures(self) -> list[Figure]:
        """Return every number of every system."""
        found = []
        for row in self["systems"]["rows"]:
            for key, cell in row["people"].items():
                found.append(_figure(row["system"], "", key, cell))
            for name, cell in row["automatic"].items():
                judge, _, key = name.partition("/")
                found.append(_figure(row["system"], self.judges.get(judge, judge), key, cell))
        return found

    def table(self, name: str) -> "pd.DataFrame":
        """Return a table: `systems` (one row for each number), or a list of the report by key."""
        import pandas as pd

        if name == "systems":
            return pd.DataFrame(self.figures())
        found = self[name]
        if not isinstance(found, list):
            lists = ", ".join(key for key, value in self.items() if isinstance(value, list))
            raise KeyError(f"{name} is no table; tables are systems, {lists}")
        return pd.json_normalize(found)


def _figure(system: str, judge: str, key: str, cell: Mapping[str, Any]) -> Figure:
    low, high = cell.get("low"), cell.get("high")
    reason = cell.get("reason") or cell.get("interval_reason") or ""
    return Figure(system, judge, key, cell["value"], low, high, cell.get("n", 0), reason)


if TYPE_CHECKING:
    import pandas as pd


class Judgments:
    """The judgments of a study, one row each."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._rows: list[dict[str, Any]] = [json.loads(line) for line in lines if line.strip()]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def to_pandas(self) -> "pd.DataFrame":
        """Return a DataFrame with one row for each judgment."""
        import pandas as pd

        return pd.DataFrame(self._rows)
