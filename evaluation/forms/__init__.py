"""Forms of evaluation."""

from evaluation.forms.connections import ConnectionForm
from evaluation.forms.reports import ReportFilterForm
from evaluation.forms.runs import RunForm

__all__ = ["ConnectionForm", "ReportFilterForm", "RunForm"]
