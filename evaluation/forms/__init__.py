"""Forms of evaluation."""

from evaluation.forms.connections import ConnectionForm
from evaluation.forms.reports import ReportFilterForm
from evaluation.forms.runs import RunForm
from evaluation.forms.sharing import ReportLinkForm
from evaluation.forms.thresholds import ThresholdForm

__all__ = ["ConnectionForm", "ReportFilterForm", "ReportLinkForm", "RunForm", "ThresholdForm"]
