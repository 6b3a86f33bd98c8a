"""The only door to what belongs to evaluation, as `annotate.access` is to the rest."""

from django.http import Http404

from annotate.access import Access
from annotate.models import User
from evaluation.models import Connection, Report, ReportLink, Run


def run_of(access: Access, run_id: int) -> Run:
    """A run of the study that was entered."""
    runs = Run.objects.filter(study=access.study).select_related("study", "judge", "batch")
    found = runs.filter(pk=run_id).first()
    if found is None:
        raise Http404("No such run in this study.")
    return found


def report_of(access: Access, report_id: int) -> Report:
    """A report of the study that was entered, as it was built."""
    found = Report.objects.filter(study=access.study, pk=report_id).exclude(body="").first()
    if found is None:
        raise Http404(
            "No such report in this study: it was replaced by a newer one. Open the report's page."
        )
    return found


def link_of(access: Access, link_id: int) -> ReportLink:
    """A share link of the study that was entered."""
    found = ReportLink.objects.filter(study=access.study, pk=link_id).first()
    if found is None:
        raise Http404("No such link in this study.")
    return found


def connection_of(user: User, connection_id: int) -> Connection:
    """A connection of one's own."""
    found = Connection.objects.filter(owner=user, pk=connection_id).first()
    if found is None:
        raise Http404("No such connection of yours.")
    return found
