"""How a study divides an output into statements and citations.

A study that asks about whole responses only does not divide them, nor cut them at a new line.
Every citation becomes a unit; how many of a statement count is the study's setting, which may
change later without dividing anything anew.
"""

from dataclasses import asdict
from typing import Any, Final

from annotate.formats.division import MAX_CITATIONS, TooManyCitations, divide_record, undivided
from annotate.formats.records import ResponseRecord
from annotate.models import Study, Upload
from annotate.segment import Division, Segmentation, signature_of
from annotate.segment.packed import packed, unpacked

__all__ = [
    "MAX_CITATIONS",
    "Divider",
    "TooManyCitations",
    "divide",
    "division_settings",
    "is_divided_so",
]

MOST_KEPT: Final = 32_000_000
"""Bytes of what was divided: some thirty thousand answers of a paragraph."""

_kept: dict[tuple[object, ...], bytes] = {}


def divide(study: Study, record: ResponseRecord, division: Division) -> Segmentation:
    """The record's statements: those of its file where it names them, else the study's way."""
    return _divided(record, division, has_statements=study.has_statements)


def _divided(record: ResponseRecord, division: Division, *, has_statements: bool) -> Segmentation:
    if record.statements is None and not has_statements:
        return undivided(record)
    return divide_record(record, division)


class Divider:
    """Divides the outputs of an upload, each once: what its check divided is kept for its load, as
    long as that works in the same process and there is room. Elsewhere it is divided again."""

    def __init__(self, upload: Upload) -> None:
        self.study = upload.study
        self.division = upload.chosen_division
        self.has_statements = self.study.has_statements
        self.room = MOST_KEPT - sum(map(len, _kept.values()))

    def keep(self, record: ResponseRecord, digest: str) -> Segmentation:
        """Divide what `take` will be asked for; `digest` is that of the response."""
        key = self._key(record, digest)
        if (known := _kept.get(key)) is not None:
            return unpacked(known)
        found = self._divided(record)
        made = packed(found)
        self.room -= len(made)
        if self.room >= 0:
            _kept[key] = made
        return found

    def take(self, record: ResponseRecord, digest: str) -> Segmentation:
        """What was kept, which is then no longer; otherwise divide."""
        known = _kept.pop(self._key(record, digest), None)
        return self._divided(record) if known is None else unpacked(known)

    def _key(self, record: ResponseRecord, digest: str) -> tuple[object, ...]:
        """All that the division depends on."""
        question = record.question
        return digest, question.text, question.language, self.division, self.has_statements

    def _divided(self, record: ResponseRecord) -> Segmentation:
        return _divided(record, self.division, has_statements=self.has_statements)


def is_divided_so(study: Study, record: ResponseRecord, division: Division, signature: str) -> bool:
    """Whether a response that was signed so is divided as `divide` would divide its record."""
    if record.statements is not None or not study.has_statements:
        return True
    language = record.question.language
    return signature == signature_of(division, is_list=record.is_list, language=language)


def division_settings(study: Study, division: Division) -> dict[str, Any]:
    """The settings that `divide` goes by; another one may divide a record otherwise."""
    return {"has_statements": study.has_statements, **asdict(division)}
