"""The common form of all tables: rows with their places, and cells as JSON values."""

import base64
import math
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from annotate.formats.limits import RAISE_BYTES, Limits
from annotate.formats.problems import Unreadable
from annotate.formats.records import Problem, Where

MAX_UNPACKED_RATIO = 4
"""Maximum unpacked size, as a multiple of the maximum size of a file."""

MOST_RATIO, FREE_BYTES = 500, 10 * 2**20
"""A file is refused if it is larger unpacked than FREE_BYTES and MOST_RATIO times its size."""

Row = tuple[Where, dict[str, Any]]
Rows = Iterator[Row | Problem]


def at_row(number: int, field: str = "") -> Where:
    """Return the place of a row in a file without lines."""
    return Where(index=f"row {number}", field=field)


def json_value(value: Any) -> Any:
    """Return a cell as a JSON value; NaN becomes null."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, dict):
        return {str(key): json_value(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(inner) for inner in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value)


def refuse_bomb(size: int, packed: int, where: Where) -> None:
    """Stop reading a file that expands suspiciously much."""
    if size > FREE_BYTES + MOST_RATIO * packed:
        expected = f"at most {MOST_RATIO} times as large unpacked"
        found = f"{size // max(packed, 1):,} times as large"
        raise Unreadable(Problem(where, expected, found))


def refuse_unpacked_size(size: int, limits: Limits) -> None:
    """Stop reading a file that is too large when unpacked."""
    most = MAX_UNPACKED_RATIO * limits.max_bytes
    if size > most:
        raise Unreadable(
            Problem(Where(), f"at most {most:,} bytes unpacked", f"{size:,} bytes", RAISE_BYTES)
        )
