"""Protocol files that somebody brings: the whole file is read, and all that is wrong told."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from annotate.protocol.fields import MAX_CHARS
from annotate.protocol.protocol import ProtocolFile
from annotate.protocol.written import NotAProtocol, read


class ProtocolFileField(forms.FileField):
    """A file of YAML; what is cleaned is its text."""

    def __init__(self, **options: Any) -> None:
        widget = forms.ClearableFileInput(attrs={"accept": ".yaml,.yml"})
        super().__init__(widget=widget, max_length=200, **options)

    def clean(self, data: Any, initial: Any = None) -> str:
        file = super().clean(data, initial)
        if not isinstance(file, UploadedFile):
            return ""
        try:
            return str(file.read(4 * MAX_CHARS + 1).decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            said = f"Expected text in UTF-8; found another byte at place {error.start}."
            raise forms.ValidationError(said) from None


def protocol_of_text(text: str) -> ProtocolFile:
    """What a file says, or everything that is wrong with it, by line and field."""
    try:
        return read(text)
    except NotAProtocol as error:
        said = [str(fault)[0].upper() + str(fault)[1:] for fault in error.faults]
        raise forms.ValidationError(said) from None


class ProtocolFileForm(forms.Form):
    """A file, or once it was looked at, its text."""

    file = ProtocolFileField(label="Protocol file", error_messages={"required": "Choose a file."})
    text = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].required = not self.data.get("text")

    def clean(self) -> dict[str, Any]:
        given = dict(self.cleaned_data)
        text = given.get("file") or given.get("text") or ""
        if not self.errors:
            try:
                given["protocol"] = protocol_of_text(text)
            except forms.ValidationError as error:
                self.add_error("file", error)
        return given | {"text": text}
