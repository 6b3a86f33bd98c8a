"""How a study divides an output into statements and citations.

A study that asks about whole responses only does not divide them, nor cut them at a new line.
Every citation becomes a unit; how many of a statement count is the study's setting, which may
change later without dividing anything anew.
"""

from typing import Any

from annotate.formats.division import MAX_CITATIONS, TooManyCitations, divide_record, undivided
from annotate.formats.records import ResponseRecord
from annotate.models import Study
from annotate.segment import Segmentation

__all__ = ["MAX_CITATIONS", "TooManyCitations", "divide", "division_settings"]


def divide(study: Study, record: ResponseRecord) -> Segmentation:
    """The record's statements: those of its file where it names them, else the study's way."""
    if record.statements is None and not study.has_statements:
        return undivided(record)
    return divide_record(
        record,
        reading="strict" if study.reading == Study.Reading.STRICT else "repaired",
        splitter=study.splitter,
    )


def division_settings(study: Study) -> dict[str, Any]:
    """The settings that `divide` goes by; another one may divide a record otherwise."""
    return {
        "has_statements": study.has_statements,
        "reading": study.reading,
        "splitter": study.splitter,
    }
