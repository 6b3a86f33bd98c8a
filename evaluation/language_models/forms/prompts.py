"""Forms of prompts: fields, or a file."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from evaluation.language_models.asking.prompts import (
    PLACES,
    PromptStyle,
    StyleError,
    read_style,
    written_style,
)
from evaluation.language_models.study_prompts import MOST_CHARS

ANSWERS = {
    "value": "the answer",
    "probabilities": "a probability for each choice (gives scores)",
}


class PromptForm(forms.Form):
    """The parts of a prompt's file."""

    name = forms.CharField(
        max_length=40,
        help_text="Lower-case letters, digits, - and _. An existing name creates its next version.",
    )
    title = forms.CharField(max_length=60)
    about = forms.CharField(
        label="Description",
        required=False,
        max_length=200,
        help_text="A few words, shown under New run.",
    )
    answer = forms.ChoiceField(
        label="Model returns", choices=list(ANSWERS.items()), widget=forms.RadioSelect
    )
    reason_first = forms.BooleanField(label="Ask for the reason before the answer", required=False)
    system = forms.CharField(
        label="System message",
        max_length=MOST_CHARS,
        widget=forms.Textarea(attrs={"rows": 8, "class": "code"}),
        help_text="The same for all dimensions. Servers cache it.",
    )
    user = forms.CharField(
        label="User message for each dimension",
        max_length=MOST_CHARS,
        widget=forms.Textarea(attrs={"rows": 22, "class": "code"}),
        help_text=f"Placeholders: {', '.join(f'{{{one}}}' for one in sorted(PLACES))}.",
    )

    def clean(self) -> dict[str, Any]:
        """Show the fault of a text at its field."""
        given = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                read_style(given["name"], self.text())
            except StyleError as error:
                self.add_error(error.part if error.part in self.fields else None, str(error))
        return given

    def style(self) -> PromptStyle:
        """Return the style that the form describes; the study numbers its versions."""
        given = self.cleaned_data
        return PromptStyle(
            key=given["name"],
            title=given["title"],
            about=given["about"],
            version=1,
            system=given["system"].replace("\r\n", "\n"),
            user=given["user"].replace("\r\n", "\n"),
            reason_first=given["reason_first"],
            shares=given["answer"] == "probabilities",
        )

    def text(self) -> str:
        """Return the prompt's file."""
        return written_style(self.style())


def initial_of(style: PromptStyle, name: str) -> dict[str, Any]:
    """Return the form's values for a style."""
    return {
        "name": name,
        "title": style.title,
        "about": style.about,
        "answer": "probabilities" if style.shares else "value",
        "reason_first": style.reason_first,
        "system": style.system,
        "user": style.user,
    }


class PromptFileForm(forms.Form):
    """A prompt's file and its name in the study."""

    name = forms.CharField(max_length=40, help_text="An existing name creates its next version.")
    file = forms.FileField(
        max_length=200, widget=forms.ClearableFileInput(attrs={"accept": ".md,.txt"})
    )

    def clean_file(self) -> str:
        """Return the file's text."""
        file = self.cleaned_data["file"]
        assert isinstance(file, UploadedFile)
        try:
            text = file.read(4 * MOST_CHARS + 1).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError(
                f"Expected text in UTF-8; found another byte at place {error.start}."
            ) from None
        return str(text)
