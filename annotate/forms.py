"""The forms that pages show."""

from datetime import timedelta
from math import ceil
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.password_validation import validate_password
from django.db.models import Q
from django.http import HttpRequest
from django.template.defaultfilters import pluralize

from annotate.dimensions import DIMENSIONS
from annotate.formats import FORMATS
from annotate.models import Role, Study, System, User
from annotate.presets import PRESETS
from annotate.segment import SPLITTERS, available_splitters
from annotate.services import sign_in_brake
from annotate.services.members import ADDRESS_CHARS


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


def _dimension_choices() -> list[tuple[str, str]]:
    return [(d.key, f"{d.title} — {d.question}") for d in DIMENSIONS.values()]


class NewStudyForm(forms.Form):
    name = forms.CharField(max_length=200, widget=forms.TextInput(attrs={"autofocus": True}))
    preset = forms.ChoiceField(
        choices=[(p.key, f"{p.title} — {p.summary}") for p in PRESETS.values()],
        widget=forms.RadioSelect,
        initial="alce",
        label="Protocol",
        help_text="Sets the questions, the raters per unit and the first guidelines.",
    )
    description = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Members read it on the study's first page.",
    )


class StudySettingsForm(forms.ModelForm[Study]):
    dimensions = forms.MultipleChoiceField(
        choices=_dimension_choices, widget=forms.CheckboxSelectMultiple, label="Questions asked"
    )
    splitter = forms.ChoiceField(
        label="Sentence splitter",
        help_text="Fixed once responses were loaded.",
    )
    raters_per_unit = forms.IntegerField(min_value=1, max_value=100)
    citation_cap = forms.IntegerField(
        label="Citations per statement that count",
        min_value=1,
        max_value=100,
        help_text="ALCE counts the first 3.",
    )

    class Meta:
        model = Study
        fields = [
            "name",
            "description",
            "dimensions",
            "raters_per_unit",
            "citation_cap",
            "reading",
            "splitter",
        ]
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}
        labels = {"reading": "Reading of marks"}
        help_texts = {"reading": "Fixed once responses were loaded."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ready = set(available_splitters())
        splitter = self.fields["splitter"]
        assert isinstance(splitter, forms.ChoiceField)
        splitter.choices = [
            (name, name if name in ready else f"{name} (its data is not installed here)")
            for name in SPLITTERS
        ]

    def clean_splitter(self) -> str:
        name: str = self.cleaned_data["splitter"]
        if name not in available_splitters():
            raise forms.ValidationError(
                f"The data of “{name}” is not installed on this machine. Choose another splitter."
            )
        return name


class DeleteStudyForm(forms.Form):
    slug = forms.CharField(label="The study's address, to make sure")

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study
        self.fields["slug"].help_text = f"Type {study.slug}"

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if slug.strip() != self.study.slug:
            raise forms.ValidationError(f"Type {self.study.slug} to delete the study.")
        return slug


class GuidelinesForm(forms.Form):
    text = forms.CharField(
        label="Guidelines (Markdown)",
        widget=forms.Textarea(attrs={"rows": 28, "class": "code"}),
        help_text="Saving makes a new version; each judgment names the version its rater saw.",
    )


class SystemForm(forms.ModelForm[System]):
    class Meta:
        model = System
        fields = ["name", "description", "uses_autoais"]
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}


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


_MODES = [
    ("auto", "As the file suggests"),
    ("sentences", "Sentences"),
    ("list", "List of entities (QAMPARI)"),
]


class UploadForm(forms.Form):
    file = forms.FileField(
        label="File",
        help_text="JSON, JSON Lines or CSV; the format is recognised from its content.",
        widget=forms.ClearableFileInput(attrs={"accept": ".json,.jsonl,.csv"}),
        error_messages={"empty": "This file is empty."},
    )
    passages = forms.FileField(
        label="Passages file",
        required=False,
        help_text="Only for Attributed QA predictions whose passages are in a file of their own.",
        widget=forms.ClearableFileInput(attrs={"accept": ".jsonl"}),
    )
    system = forms.CharField(
        label="System",
        max_length=200,
        required=False,
        help_text="Where the file does not name it. Empty: as the file suggests.",
    )
    run = forms.CharField(
        max_length=100, required=False, help_text="Seed or name of the run, if you have several."
    )
    mode = forms.ChoiceField(label="Divide answers into", choices=_MODES, initial="auto")
    format = forms.ChoiceField(
        choices=[("", "Recognise it"), *((f.key, f.title) for f in FORMATS.values())],
        required=False,
    )


class UploadNamesForm(forms.Form):
    system = forms.CharField(label="System", max_length=200, required=False)
    run = forms.CharField(max_length=100, required=False)
    mode = forms.ChoiceField(label="Divide answers into", choices=_MODES)


SHOWN = [
    ("", "all responses"),
    ("uncited", "with statements that cite nothing"),
    ("out-of-range", "with marks that have no passage"),
    ("positional", "with citations inside sentences"),
    ("cut", "cut at a new line"),
    ("empty", "empty"),
]


class ResponseFilterForm(forms.Form):
    q = forms.CharField(
        label="Search",
        required=False,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": "Question or answer"}),
    )
    system = forms.ModelChoiceField(
        queryset=System.objects.none(), required=False, empty_label="all systems"
    )
    show = forms.ChoiceField(choices=SHOWN, required=False)

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        system = self.fields["system"]
        assert isinstance(system, forms.ModelChoiceField)
        system.queryset = System.objects.loaded().filter(study=study)
