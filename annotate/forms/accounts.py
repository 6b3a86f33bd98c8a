"""Forms about one's own account."""

from datetime import timedelta
from math import ceil
from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.password_validation import validate_password
from django.db.models import Q
from django.http import HttpRequest
from django.template.defaultfilters import pluralize

from annotate.models import User
from annotate.services.people import sign_in_brake
from annotate.services.people.members import ADDRESS_CHARS


class SignInForm(forms.Form):
    username = forms.CharField(
        label="E-mail address or user name",
        widget=forms.TextInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(
        strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request
        self.user: User | None = None

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if found.get("username") and found.get("password"):
            self._refuse_while_braked(found["username"])
            user = authenticate(
                self.request, username=found["username"], password=found["password"]
            )
            if not isinstance(user, User):
                sign_in_brake.note_failure(self.request, found["username"])
                raise forms.ValidationError(
                    "No account has this name and password. Check both; capitals count in the "
                    "password."
                )
            sign_in_brake.note_success(found["username"])
            self.user = user
        return found

    def _refuse_while_braked(self, username: str) -> None:
        wait = sign_in_brake.wait_before(self.request, username)
        if wait > timedelta(0):
            raise forms.ValidationError(
                f"Too many wrong passwords. Wait {_in_words(wait)} and try again."
            )


def _in_words(wait: timedelta) -> str:
    seconds = ceil(wait.total_seconds())
    if seconds < 90:
        return f"{seconds} second{pluralize(seconds)}"
    return f"{ceil(seconds / 60)} minutes"


class SignUpForm(forms.Form):
    name = forms.CharField(
        max_length=100,
        required=False,
        help_text="Shown to the study's researchers only.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    email = forms.EmailField(
        label="E-mail address",
        max_length=ADDRESS_CHARS,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password = forms.CharField(
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 8 characters, not a common one.",
    )

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        validate_password(password, User(email=self.cleaned_data.get("email", "")))
        return password


class PasswordForm(forms.Form):
    old = forms.CharField(
        label="Present password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    new = forms.CharField(
        label="New password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 8 characters, not a common one.",
    )
    again = forms.CharField(
        label="New password, again",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_old(self) -> str:
        old: str = self.cleaned_data["old"]
        if not self.user.check_password(old):
            raise forms.ValidationError("This is not your present password.")
        return old

    def clean_new(self) -> str:
        new: str = self.cleaned_data["new"]
        validate_password(new, self.user)
        return new

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if found.get("new") and found["new"] != found.get("again"):
            self.add_error("again", "The two new passwords differ.")
        return found


class AccountForm(forms.ModelForm[User]):
    email = forms.EmailField(label="E-mail address", max_length=ADDRESS_CHARS, required=False)

    class Meta:
        model = User
        fields = ["name", "email"]

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"].lower()
        theirs = Q(email__iexact=email) | Q(username__iexact=email)
        if email and User.objects.filter(theirs).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError("Another account has this address.")
        return email


class TokenForm(forms.Form):
    label = forms.CharField(max_length=100, label="What is it for?")
