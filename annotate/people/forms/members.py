"""Forms about who takes part."""

from typing import Any

from django import forms
from django.conf import settings

from annotate.models import Role


class InvitationForm(forms.Form):
    role = forms.ChoiceField(
        choices=[(role, role.label) for role in (Role.RATER, Role.VIEWER, Role.RESEARCHER)],
        initial=Role.RATER,
        help_text="Viewers read systems, answers and reports, and change nothing.",
    )
    label = forms.CharField(
        max_length=100, required=False, help_text="For your own overview, e.g. “pilot round”."
    )
    max_uses = forms.IntegerField(
        label="Maximum number of people",
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text="Empty: any number.",
    )
    days = forms.IntegerField(label="Valid for (days)", required=False, min_value=1, max_value=365)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["days"].initial = settings.ATTEST_INVITATION_DAYS


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)
