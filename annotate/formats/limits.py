"""Limits on the contents of a file, each with the setting that raises it."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotate.protocol.dimensions import Dimension
from annotate.protocol.shipped import SHIPPED

NAME_CHARS = 200
"""Maximum length of a system's name, a question's id or the reason for a skipped judgment."""

RUN_CHARS = 100
LONG_NAME_CHARS = 500
"""Maximum length of a judge's name or a passage's id, which may be an address."""

MAX_DEPTH = 64
"""Maximum depth of nested lists and objects in one record."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a reader accepts. Messages about a limit name its setting."""

    max_bytes: int = 1_000_000_000
    max_records: int = 1_000_000
    max_field_chars: int = 1_000_000
    max_passages: int = 1_000
    dimensions: Mapping[str, Dimension] = SHIPPED
    """The dimensions that may be judged."""

    @property
    def max_record_chars(self) -> int:
        """The length of a record at which reading stops, to bound memory."""
        return 16 * self.max_field_chars


RAISE_BYTES = "The setting ATTEST_MAX_UPLOAD_BYTES raises the limit."
RAISE_RECORDS = "The setting ATTEST_MAX_RECORDS raises the limit."
RAISE_FIELD_CHARS = "The setting ATTEST_MAX_FIELD_CHARS raises the limit."
RAISE_PASSAGES = "The setting ATTEST_MAX_PASSAGES raises the limit."
