"""The filters that a report or a link was made with, where this version of Attest knows them."""

from annotate.services.errors import Refused
from evaluation.models import Report, ReportLink
from evaluation.reports.filters import FilterError, Filters


def kept_filters(row: Report | ReportLink) -> Filters:
    """Refused where another version wrote what is not known here."""
    try:
        return Filters.from_json(row.filters)
    except FilterError as problem:
        raise Refused(
            f"The filters of this report are not known to this version of Attest: {problem} "
            "Choose them anew on the report's page."
        ) from None
