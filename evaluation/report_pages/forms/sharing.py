"""The form that makes a share link."""

from django import forms

DAYS = 30


class ReportLinkForm(forms.Form):
    purpose = forms.CharField(
        label="For whom or what",
        max_length=100,
        required=False,
        help_text="For your own overview, e.g. “reviewers”. Who opens the link does not see it.",
    )
    days = forms.IntegerField(label="Days it works", min_value=1, max_value=365, initial=DAYS)
    with_texts = forms.BooleanField(
        label="Include texts",
        required=False,
        help_text="Words of questions, responses and passages, which the report shows where people "
        "and judges disagree. Without it, numbers alone leave the study.",
    )
