"""Numbers written in CSV fields."""

import math


def number_in(text: str, low: float, high: float) -> float | None:
    """The plain decimal number that a text is, when it lies within bounds; else None."""
    if "_" in text or not text.isascii() or text != text.strip():
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if low <= number <= high and math.isfinite(number) else None
