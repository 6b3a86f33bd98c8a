"""Forms of evaluation."""

from evaluation.forms.budgets import budget_in
from evaluation.forms.comparing import CompareFileForm, CompareForm
from evaluation.forms.connections import ConnectionForm
from evaluation.forms.corpora import CorpusForm, SearchForm
from evaluation.forms.generating import GenerateForm
from evaluation.forms.improving import ImproveForm
from evaluation.forms.juries import JuryForm, UseJuryForm
from evaluation.forms.prompts import PromptFileForm, PromptForm
from evaluation.forms.reports import ReportFilterForm
from evaluation.forms.runs import RunForm
from evaluation.forms.sharing import ReportLinkForm
from evaluation.forms.thresholds import ThresholdForm
