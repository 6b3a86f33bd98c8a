"""Which report this is: noted in every report, in its row and in its key.

A report of another version is never read by this one's tables: it is built again.
"""

from typing import Final

FORMAT: Final = "attest-report"

VERSION: Final = 17
"""Raised with every change of what stands in a report."""
