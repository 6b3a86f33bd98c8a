"""The only access to objects of evaluation, as `annotate.access` is for the other objects."""

from django.http import Http404

from annotate.access import Access, memberships_of
from annotate.models import Judge, Role, User
from evaluation.models import (
    Connection,
    Corpus,
    Generation,
    Making,
    Report,
    ReportComparison,
    ReportLink,
    Run,
)


def run_of(access: Access, run_id: int) -> Run:
    """Return a run of the entered study, or answer 404."""
    runs = Run.objects.filter(study=access.study).select_related("study", "judge", "batch")
    found = runs.filter(pk=run_id).first()
    if found is None:
        raise Http404("No such run in this study.")
    return found


def making_of(access: Access, making_id: int) -> Making:
    """Return a job of a tool of the entered study, or answer 404."""
    found = Making.objects.filter(study=access.study, pk=making_id).select_related("study").first()
    if found is None:
        raise Http404("Nothing that is made of this study.")
    return found


def generation_of(access: Access, generation_id: int) -> Generation:
    """Return a generation of the entered study, or answer 404."""
    rows = Generation.objects.filter(study=access.study)
    found = rows.select_related("study", "system", "connection").filter(pk=generation_id).first()
    if found is None:
        raise Http404("No such generation in this study.")
    return found


def automatic_judge_of(access: Access, judge_id: int) -> Judge:
    """Return an automatic judge of the entered study, or answer 404."""
    judges = Judge.objects.filter(study=access.study, kind=Judge.Kind.AUTOMATIC)
    found = judges.select_related("study").filter(pk=judge_id).first()
    if found is None:
        raise Http404("No such automatic judge in this study.")
    return found


def report_of(access: Access, report_id: int) -> Report:
    """Return a built report of the entered study, or answer 404."""
    found = Report.objects.filter(study=access.study, pk=report_id).exclude(body="").first()
    if found is None:
        raise Http404(
            "No such report in this study: it was replaced by a newer one. Open the report's page."
        )
    return found


def comparison_of(access: Access, comparison_id: int) -> ReportComparison:
    """Return a comparison of the entered study, if the user may read all studies in it.

    Only its author may read an old one with an uploaded file.
    """
    found = ReportComparison.objects.filter(study=access.study, pk=comparison_id).first()
    if found is None or not _may_read(access.user, found):
        raise Http404(
            "No such comparison in this study that you may read. Comparisons are kept for a "
            "while: choose the two reports again."
        )
    return found


def _may_read(user: User, comparison: ReportComparison) -> bool:
    if comparison.is_sent and comparison.created_by_id != user.pk:
        return False
    entered = memberships_of(user).filter(study__in=comparison.studies).exclude(role=Role.RATER)
    return entered.count() == len(comparison.studies)


def corpus_of(access: Access, corpus_id: int) -> Corpus:
    """Return a corpus of the entered study, or answer 404."""
    found = Corpus.objects.filter(study=access.study, pk=corpus_id).first()
    if found is None:
        raise Http404("No such corpus in this study.")
    return found


def link_of(access: Access, link_id: int) -> ReportLink:
    """Return a share link of the entered study, or answer 404."""
    found = ReportLink.objects.filter(study=access.study, pk=link_id).first()
    if found is None:
        raise Http404("No such link in this study.")
    return found


def connection_of(user: User, connection_id: int) -> Connection:
    """Return one of the user's own connections, or answer 404."""
    found = Connection.objects.filter(owner=user, pk=connection_id).first()
    if found is None:
        raise Http404("No such connection of yours.")
    return found
