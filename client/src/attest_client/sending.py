"""What is brought, as a file."""

import json
from collections.abc import Mapping, Sequence
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
    if hasattr(content, "to_json"):  # a DataFrame: its lists and numbers stay what they are
        text = content.to_json(orient="records", lines=True, force_ascii=False, date_format="iso")
        return "table.jsonl", text.encode()
    rows = (json.dumps(dict(row), ensure_ascii=False) + "\n" for row in content)
    return "rows.jsonl", "".join(rows).encode()


def as_mapping(mapping: Any) -> str:
    """A mapping as JSON: it is one already, or stands in a file."""
    if mapping is None or mapping == GUESS:
        return ""
    if isinstance(mapping, (str, Path)):
        return Path(mapping).read_text(encoding="utf-8")
    return json.dumps(mapping, ensure_ascii=False)
