"""Forms of evaluation."""

from evaluation.forms.runs import RunForm

__all__ = ["RunForm"]
