"""Judgments, one row each."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


class Judgments:
    """Every judgment of a study, in the long form."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._rows: list[dict[str, Any]] = [json.loads(line) for line in lines if line.strip()]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def to_pandas(self) -> "pd.DataFrame":
        """A row each."""
        import pandas as pd

        return pd.DataFrame(self._rows)
