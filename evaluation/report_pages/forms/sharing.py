"""The form that makes a share link."""

from django import forms

DAYS = 30


class ReportLinkForm(forms.Form):
    purpose = forms.CharField(
        label="Purpose",
        max_length=100,
        required=False,
        help_text="Shown to researchers only, e.g. “reviewers”.",
    )
    days = forms.IntegerField(label="Valid for (days)", min_value=1, max_value=365, initial=DAYS)
    with_texts = forms.BooleanField(
        label="Include texts",
        required=False,
        help_text="Texts of questions, responses and passages where people and judges disagree. "
        "If off, only numbers are shared.",
    )
