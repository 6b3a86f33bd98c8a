"""The log: one line for each event, as text or JSON, with its context."""

import logging
import re
from typing import Any

from annotate.work.telemetry import known

LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s%(about)s"
FIELDS = "%(asctime)s %(levelname)s %(name)s %(message)s"


CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Characters that would end a line or control a terminal."""


class OneLine(logging.Formatter):
    """A formatter that escapes control characters, because visitors choose parts of messages."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's own)
        record.message = CONTROLS.sub(lambda found: ascii(found[0])[1:-1], record.message)
        return super().formatMessage(record)


def about(record: logging.LogRecord) -> bool:
    """Add the context to a record, as fields and as the end of the line (a logging filter)."""
    context = known()
    for name, value in context.items():
        setattr(record, name, value)
    record.about = "".join(f" {name}={value}" for name, value in context.items())
    return True


def logging_settings(form: str, level: str) -> dict[str, Any]:
    """Return the value of Django's LOGGING."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"about": {"()": lambda: about}},
        "formatters": {
            "line": {"()": OneLine, "fmt": LINE},
            "json": {
                "()": "pythonjsonlogger.json.JsonFormatter",
                "format": FIELDS,
                "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
                "reserved_attrs": [*_RESERVED, "about"],
            },
        },
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": form,
                "filters": ["about"],
            }
        },
        # Do not log refusals (403, 404 …), only server errors.
        "loggers": {"django.request": {"level": "ERROR"}},
        "root": {"handlers": ["console"], "level": level},
    }


_RESERVED = [*vars(logging.makeLogRecord({})), "message", "asctime"]
