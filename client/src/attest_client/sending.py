"""What is brought, as a file."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    import pandas as pd

Content = Union[str, Path, bytes, Sequence[Mapping[str, Any]], "pd.DataFrame"]
"""A file by its path, its bytes, rows, or a DataFrame."""


GUESS = "guess"
"""In the place of a mapping: take the one that is guessed."""


def as_file(content: Content) -> tuple[str, bytes]:
    """Its name and its bytes."""
    if isinstance(content, (str, Path)):
        path = Path(content)
        return path.name, path.read_bytes()
    if isinstance(content, bytes):
        return "file", content
    if hasattr(content, "to_dict"):  # a DataFrame, whose `to_json` would round its numbers
        return "table.jsonl", _lines(_plain(content.to_dict("records")))
    return "rows.jsonl", _lines(dict(row) for row in content)


def _lines(rows: Iterable[Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _plain(value: Any) -> Any:
    """What a cell holds, as JSON has it: what is missing is null, a date is text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if type(value).__name__ in {"NAType", "NaTType"}:
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value if isinstance(value, (str, int, bool, type(None))) else str(value)


def as_mapping(mapping: Any) -> str:
    """A mapping as JSON: it is one already, or stands in a file."""
    if mapping is None or mapping == GUESS:
        return ""
    if isinstance(mapping, (str, Path)):
        return Path(mapping).read_text(encoding="utf-8")
    return json.dumps(mapping, ensure_ascii=False)
