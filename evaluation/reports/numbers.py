"""Numbers of a report as JSON: value or reason, n, and error.

Everything is rounded to six decimals. The last bits of a sum depend on the machine, but the same
bundle must give the same report to the byte.
"""

import json
import math
from collections.abc import Mapping
from typing import Any, overload

from evaluation.reports.shape.values import BareNumber, Number
from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.error_bars import ErrorBar
from evaluation.statistics.ratings import Figure

DECIMALS = 6
LAST_BITS = 10
"""Decimals that are the same on every machine. They are rounded first; otherwise the last bits
would decide how the middle of two rounded numbers is rounded."""


def number(
    figure: Figure,
    *,
    n: int,
    of: str,
    bar: ErrorBar | None = None,
    error: Figure | None = None,
    interval: Interval | None = None,
    signature: str = "",
) -> Number:
    """Return a number with its n, error, interval and signature.

    `n` counts the things named by `of`. An error bar adds its own signature. `error` and `interval`
    replace those of the error bar.
    """
    signatures = [signature, bar.signature if bar is not None and bar.resamples else ""]
    if bar is not None:
        error, interval = error or bar.standard_error, interval or bar.percentile
    return {
        "value": rounded(figure.value),
        "reason": figure.reason,
        "n": n,
        "of": of,
        "se": rounded(error.value) if error else None,
        "low": rounded(interval.low) if interval else None,
        "high": rounded(interval.high) if interval else None,
        "bca_low": rounded(bar.bca.low) if bar else None,
        "bca_high": rounded(bar.bca.high) if bar else None,
        "interval_reason": interval.reason if interval else "",
        "signature": "|".join(filter(None, signatures)),
    }


def figure_json(figure: Figure) -> BareNumber:
    """Return a number without interval."""
    return {"value": rounded(figure.value), "reason": figure.reason}


@overload
def rounded(value: float) -> float: ...


@overload
def rounded(value: None) -> None: ...


@overload
def rounded(value: float | None) -> float | None: ...


def rounded(value: float | None) -> float | None:
    """Round a number; keep None, turn -0.0 into 0.0, and refuse infinite values and NaN."""
    if value is None:
        return None
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be in a report. Give the reason why it is undefined.")
    return round(round(float(value), LAST_BITS), DECIMALS) + 0.0


MINUS = "\N{MINUS SIGN}"


def in_words(value: float, digits: int) -> str:
    """Return the number as text, rounded from the report's value so that all pages and files
    agree, with a true minus sign and no minus zero."""
    text = f"{rounded(value):.{digits}f}"
    if not text.startswith("-"):
        return text
    return MINUS + text[1:] if text.strip("-0.") else text[1:]


def dumps(report: Mapping[str, Any]) -> str:
    """Return the report as text: the same report gives the same bytes."""
    return json.dumps(report, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
