"""Divide an output into statements and citations by a study's settings.

A study with dimensions only for whole responses does not divide them, and does not cut them at a
line break. Every citation becomes a unit. How many citations of a statement count is a setting of
the study, which may change later without a new division.
"""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from annotate.formats.division import divide_record, undivided
from annotate.formats.records import ResponseRecord
from annotate.models import Study, Upload
from annotate.text import Division, Segmentation, signature_of

Divider = Callable[[ResponseRecord], Segmentation]


def divide(record: ResponseRecord, division: Division, *, has_statements: bool) -> Segmentation:
    """Return the record's statements, from its file or else by the study's settings."""
    if record.statements is None and not has_statements:
        return undivided(record)
    return divide_record(record, division)


def divider_of(upload: Upload) -> Divider:
    """Return the function that divides the outputs of an upload."""
    return partial(
        divide, division=upload.chosen_division, has_statements=upload.study.has_statements
    )


def is_divided_by(study: Study, record: ResponseRecord, division: Division, signature: str) -> bool:
    """Return whether a response with this signature is divided as `divide` would do it."""
    if record.statements is not None or not study.has_statements:
        return True
    language = record.question.language
    return signature == signature_of(division, is_list=record.is_list, language=language)


def division_settings(study: Study, division: Division) -> dict[str, Any]:
    """Return the settings that `divide` depends on."""
    return {"has_statements": study.has_statements, **asdict(division)}
