"""What a file may hold, and how much; each limit knows the setting that raises it."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotate.protocol.dimensions import Dimension
from annotate.protocol.shipped import SHIPPED

NAME_CHARS = 200
"""The most characters in a system's name, a question's id or the reason for a skipped judgment."""

RUN_CHARS = 100
LONG_NAME_CHARS = 500
"""The most characters in a judge's name or a passage's id, which may be an address."""

MAX_DEPTH = 64
"""How deep lists and objects may be nested within one record."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a reader accepts; a message about a limit names its setting."""

    max_bytes: int = 1_000_000_000
    max_records: int = 1_000_000
    max_field_chars: int = 1_000_000
    max_passages: int = 1_000
    dimensions: Mapping[str, Dimension] = SHIPPED
    """What may be judged."""

    @property
    def max_record_chars(self) -> int:
        """How long one record may be before reading stops, so that memory stays bounded."""
        return 16 * self.max_field_chars


RAISE_BYTES = "The setting ATTEST_MAX_UPLOAD_BYTES raises the limit."
RAISE_RECORDS = "The setting ATTEST_MAX_RECORDS raises the limit."
RAISE_FIELD_CHARS = "The setting ATTEST_MAX_FIELD_CHARS raises the limit."
RAISE_PASSAGES = "The setting ATTEST_MAX_PASSAGES raises the limit."
