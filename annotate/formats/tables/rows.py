"""What every kind of table is read into: rows with their places, their cells as JSON has values."""

import base64
import math
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from annotate.formats.limits import RAISE_BYTES, Limits
from annotate.formats.problems import Unreadable
from annotate.formats.records import Problem, Where

UNPACKED = 4
"""How many times as large as a file may be is what it may hold unpacked."""

MOST_RATIO, FREE_BYTES = 500, 10 * 2**20
"""What is beyond so many bytes, and so many times as large unpacked, is no table."""

Row = tuple[Where, dict[str, Any]]
Rows = Iterator[Row | Problem]


def at_row(number: int, field: str = "") -> Where:
    """The place of a row in a file that has no lines."""
    return Where(index=f"row {number}", field=field)


def plain(value: Any) -> Any:
    """A cell as JSON would hold it; what is no number is nothing."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value)


def refuse_swollen(size: int, packed: int, where: Where) -> None:
    """Ends the reading of a file that seems made to fill memory or disk."""
    if size > FREE_BYTES + MOST_RATIO * packed:
        expected = f"at most {MOST_RATIO} times as large unpacked"
        found = f"{size // max(packed, 1):,} times as large"
        raise Unreadable(Problem(where, expected, found))


def refuse_unpacked(size: int, limits: Limits) -> None:
    """Ends the reading of a file that holds more than is allowed."""
    most = UNPACKED * limits.max_bytes
    if size > most:
        raise Unreadable(
            Problem(Where(), f"at most {most:,} bytes unpacked", f"{size:,} bytes", RAISE_BYTES)
        )
