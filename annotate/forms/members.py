"""Forms about who takes part."""

from typing import Any

from django import forms
from django.conf import settings

from annotate.models import Role


class InvitationForm(forms.Form):
    role = forms.ChoiceField(
        choices=[(Role.RATER, "Rater"), (Role.RESEARCHER, "Researcher")], initial=Role.RATER
    )
    label = forms.CharField(
        max_length=100, required=False, help_text="For your own overview, e.g. “pilot round”."
    )
    max_uses = forms.IntegerField(
        label="For how many people",
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text="Empty: any number.",
    )
    days = forms.IntegerField(label="Days it works", min_value=1, max_value=365)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["days"].initial = settings.ATTEST_INVITATION_DAYS


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)
