"""How a study divides an output into statements and citations.

A study that asks about whole responses only does not divide them, nor cut them at a new line.
Every citation becomes a unit; how many of a statement count is the study's setting, which may
change later without dividing anything anew.
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
    """The record's statements: those of its file where it names them, else the study's way."""
    if record.statements is None and not has_statements:
        return undivided(record)
    return divide_record(record, division)


def divider_of(upload: Upload) -> Divider:
    """How the outputs of an upload are divided."""
    return partial(
        divide, division=upload.chosen_division, has_statements=upload.study.has_statements
    )


def is_divided_so(study: Study, record: ResponseRecord, division: Division, signature: str) -> bool:
    """Whether a response that was signed so is divided as `divide` would divide its record."""
    if record.statements is not None or not study.has_statements:
        return True
    language = record.question.language
    return signature == signature_of(division, is_list=record.is_list, language=language)


def division_settings(study: Study, division: Division) -> dict[str, Any]:
    """The settings that `divide` goes by; another one may divide a record otherwise."""
    return {"has_statements": study.has_statements, **asdict(division)}
