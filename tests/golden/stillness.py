"""What differs between two runs of the same code is held still, before any of it is imported.

- The clock stands, and moves by whole minutes when a capture says so. Durations are therefore 0.
- Pictures are not drawn: what is asked of the drawing library is kept in their place. Drawn ones
  depend on the fonts of a machine, and take ten times as long as all numbers together.
- What is drawn by chance (secrets, keys of answers) cannot be held; `normal.py` replaces it.
"""

import datetime as dates
import hashlib
import json
import time
from typing import Any

BEGIN = dates.datetime(2025, 6, 2, 9, 0, tzinfo=dates.UTC)


class Clock:
    """The time that everything reads."""

    def __init__(self) -> None:
        self.now = BEGIN

    def pass_minutes(self, minutes: int) -> None:
        self.now += dates.timedelta(minutes=minutes)


CLOCK = Clock()


class HeldDatetime(dates.datetime):
    """A datetime whose present is that of the clock."""

    @classmethod
    def now(cls, tz: dates.tzinfo | None = None) -> Any:
        return CLOCK.now.astimezone(tz) if tz else CLOCK.now.replace(tzinfo=None)


def hold() -> None:
    """Hold the clock and the drawing still, for the rest of this process."""
    import vl_convert
    from django.template import defaulttags
    from django.utils import timezone

    def seconds() -> float:
        return CLOCK.now.timestamp()

    instead: dict[Any, dict[str, Any]] = {
        time: dict.fromkeys(("time", "monotonic", "perf_counter"), seconds),
        timezone: {"datetime": HeldDatetime},
        defaulttags: {"datetime": HeldDatetime},
        vl_convert: {"vegalite_to_svg": _svg, "svg_to_png": _png},
    }
    for module, names in instead.items():
        for name, value in names.items():
            if not hasattr(module, name):
                raise AttributeError(f"{module.__name__} has no {name} to hold still.")
            setattr(module, name, value)


def _svg(spec: Any, **options: Any) -> str:
    asked = json.dumps([spec, options], sort_keys=True, ensure_ascii=False)
    return f'<svg class="not-drawn"><g>{_digest(asked)}</g></svg>'


def _png(picture: str, **options: Any) -> bytes:
    return f"PNG of {_digest(picture)}, {options}".encode()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
