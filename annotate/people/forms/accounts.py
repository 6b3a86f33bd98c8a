"""Forms for accounts, in addition to allauth's, and for a study's members."""

from datetime import timedelta
from typing import Any

from allauth.account.forms import AddEmailForm, LoginForm
from allauth.account.forms import SignupForm as AllauthSignupForm
from django import forms
from django.conf import settings
from django.db.models import Q

from annotate.access import memberships_of
from annotate.models import Role, Scope, Study, User
from annotate.people.members import ADDRESS_CHARS

CHOOSING = "At least 8 characters, not a common one."


class SignInForm(LoginForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"] = forms.CharField(
            label="E-mail address or user name",
            widget=forms.TextInput(attrs={"autocomplete": "username", "autofocus": True}),
        )
        self.fields["password"] = forms.CharField(
            strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
        )

    def clean(self) -> dict[str, Any]:
        """Do not verify the address of an account without one (ATTEST_EMAIL_VERIFICATION)."""
        given: dict[str, Any] = super().clean()
        if self.user is not None and not self.user.email:
            self._login.email_verification = "none"
        return given


class SignUpForm(AllauthSignupForm):  # type: ignore[misc]
    """Sign-up, also by invitation."""

    field_order = ("name", "email", "password1")

    name = forms.CharField(
        max_length=100,
        required=False,
        help_text="Shown to the study's researchers only.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"] = forms.EmailField(
            label="E-mail address",
            max_length=ADDRESS_CHARS,
            widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        )
        self.fields["password1"] = forms.CharField(
            label="Password",
            strip=False,
            widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
            help_text=CHOOSING,
        )


class AddressForm(AddEmailForm):  # type: ignore[misc]
    """Another address for an account. It reveals taken addresses, but only to signed-in users."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"] = forms.EmailField(
            label="Another address",
            max_length=ADDRESS_CHARS,
            widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        )

    def clean_email(self) -> str:
        email: str = super().clean_email()
        theirs = Q(email__iexact=email) | Q(username__iexact=email)
        if User.objects.filter(theirs).exclude(pk=self.user.pk).exists():
            raise forms.ValidationError("Another account has this address.")
        return email


class AccountForm(forms.ModelForm[User]):
    class Meta:
        model = User
        fields = ["name"]


DAYS = (("30", "30 days"), ("90", "90 days"), ("365", "a year"), ("", "until it is deleted"))


class TokenForm(forms.Form):
    label = forms.CharField(max_length=100, label="Purpose")
    scopes = forms.MultipleChoiceField(
        label="Access",
        choices=Scope.choices,
        initial=[Scope.READ],
        widget=forms.CheckboxSelectMultiple,
    )
    study: forms.ModelChoiceField[Study] = forms.ModelChoiceField(
        label="Study",
        queryset=Study.objects.none(),
        required=False,
        empty_label="all my studies",
    )
    days = forms.ChoiceField(label="Valid for", choices=DAYS, initial="90", required=False)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        studies = memberships_of(user).values("study")
        self.fields["study"].queryset = Study.objects.filter(pk__in=studies)  # type: ignore[attr-defined]

    @property
    def lasts(self) -> timedelta | None:
        days = self.cleaned_data["days"]
        return timedelta(days=int(days)) if days else None


class ResetLinkForm(forms.Form):
    name = forms.CharField(label="User name or e-mail address", max_length=ADDRESS_CHARS)
    lost = forms.BooleanField(
        label="Also remove their second factor: passkeys, app and recovery codes", required=False
    )


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
