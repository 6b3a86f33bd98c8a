"""A connection of a researcher's own."""

from typing import Any

from django import forms

from evaluation.models import Connection


class ConnectionForm(forms.ModelForm[Connection]):
    """Where a model answers, and with which key; the key is never shown again."""

    key = forms.CharField(
        required=False,
        max_length=500,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    class Meta:
        model = Connection
        fields = ["name", "url", "mode", "model"]
        labels = {"url": "Address"}
        widgets = {"url": forms.TextInput(attrs={"inputmode": "url"})}
        help_texts = {
            "url": "The whole address, such as https://model.example.org/v1/chat/completions.",
            "model": "Its name at that address; all modes but pairs need it.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["key"].help_text = "It is kept encrypted, sent there alone and never shown."
        if self.instance.pk is not None:
            del self.fields["name"]  # judges are named by it
            if self.instance.sealed_key:
                self.fields["key"].help_text += " Empty: the key that is kept."

    @property
    def given_key(self) -> str | None:
        """The key that was given; None where the one that is kept is to stay."""
        key: str = self.cleaned_data["key"].strip()
        return key or (None if self.instance.pk is not None else "")
