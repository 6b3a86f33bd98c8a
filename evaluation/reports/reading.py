"""Read a built report from its JSON."""

import json
from typing import cast

from evaluation.reports.shape.report import FORMAT, VERSION, Report

NEEDED = ("study", "judges", "items", "systems", "people", "agreement", "correlations")


class ReportError(ValueError):
    """A file is not a report of this version. The message says what to do."""


def read_report(text: str) -> Report:
    """Read a report of the present version, as `report --json` writes it."""
    try:
        found = json.loads(text)
    except ValueError:
        raise ReportError("The report cannot be read: expected JSON.") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ReportError(f"Expected a report of Attest, with the format “{FORMAT}”.")
    if found.get("version") != VERSION:
        raise ReportError(
            f"Expected a report of version {VERSION}, found {found.get('version')}: build it again "
            "from its study or bundle."
        )
    if missing := [name for name in NEEDED if name not in found]:
        raise ReportError(f"The report is not whole: it lacks {', '.join(missing)}.")
    return cast(Report, found)
