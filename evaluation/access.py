"""The only door to what belongs to evaluation, as `annotate.access` is to the rest."""

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
    """A run of the study that was entered."""
    runs = Run.objects.filter(study=access.study).select_related("study", "judge", "batch")
    found = runs.filter(pk=run_id).first()
    if found is None:
        raise Http404("No such run in this study.")
    return found


def making_of(access: Access, making_id: int) -> Making:
    """What is made of the study that was entered."""
    found = Making.objects.filter(study=access.study, pk=making_id).select_related("study").first()
    if found is None:
        raise Http404("Nothing that is made of this study.")
    return found


def generation_of(access: Access, generation_id: int) -> Generation:
    """A system of the study that was entered, as it is or was made."""
    rows = Generation.objects.filter(study=access.study)
    found = rows.select_related("study", "system", "connection").filter(pk=generation_id).first()
    if found is None:
        raise Http404("No such generation in this study.")
    return found


def automatic_judge_of(access: Access, judge_id: int) -> Judge:
    """An automatic judge of the study that was entered."""
    judges = Judge.objects.filter(study=access.study, kind=Judge.Kind.AUTOMATIC)
    found = judges.select_related("study").filter(pk=judge_id).first()
    if found is None:
        raise Http404("No such automatic judge in this study.")
    return found


def report_of(access: Access, report_id: int) -> Report:
    """A report of the study that was entered, as it was built."""
    found = Report.objects.filter(study=access.study, pk=report_id).exclude(body="").first()
    if found is None:
        raise Http404(
            "No such report in this study: it was replaced by a newer one. Open the report's page."
        )
    return found


def comparison_of(access: Access, comparison_id: int) -> ReportComparison:
    """A comparison of the study that was entered, to whoever may read all that it is of: other
    studies, too. An old one with a file that somebody sent is theirs."""
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
    """A corpus of the study that was entered."""
    found = Corpus.objects.filter(study=access.study, pk=corpus_id).first()
    if found is None:
        raise Http404("No such corpus in this study.")
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
