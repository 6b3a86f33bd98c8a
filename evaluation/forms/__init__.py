"""Forms of evaluation."""

from evaluation.forms.comparing import CompareFileForm, CompareForm
from evaluation.forms.connections import ConnectionForm
from evaluation.forms.reports import ReportFilterForm
from evaluation.forms.runs import RunForm
from evaluation.forms.sharing import ReportLinkForm
from evaluation.forms.thresholds import ThresholdForm

__all__ = [
    "CompareFileForm",
    "CompareForm",
    "ConnectionForm",
    "ReportFilterForm",
    "ReportLinkForm",
    "RunForm",
    "ThresholdForm",
]
