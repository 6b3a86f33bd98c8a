"""Forms of evaluation."""

from evaluation.forms.reports import ReportFilterForm
from evaluation.forms.runs import RunForm

__all__ = ["ReportFilterForm", "RunForm"]
