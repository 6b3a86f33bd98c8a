"""The form of a researcher's own connection."""

from decimal import Decimal
from typing import Any, cast

from django import forms

from evaluation.models import Connection
from evaluation.models.connections import HALF


class ConnectionForm(forms.ModelForm[Connection]):
    """The address of a model, and its key, which is never shown again."""

    key = forms.CharField(
        required=False,
        max_length=500,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    class Meta:
        model = Connection
        fields = [
            "name", "url", "mode", "model", "family",
            "price_asked", "price_cached", "price_written", "price_batches",
        ]  # fmt: skip
        labels = {
            "url": "URL",
            "price_asked": "Price per million input tokens (USD)",
            "price_cached": "Price per million cached input tokens (USD)",
            "price_written": "Price per million output tokens (USD)",
            "price_batches": "Batch price (share of these prices)",
        }
        widgets = {"url": forms.TextInput(attrs={"inputmode": "url"})}
        help_texts = {
            "url": "The full URL, such as https://model.example.org/v1/chat/completions.",
            "model": "The model's name at that URL. Every mode except pairs needs it.",
            "family": "The model's maker. Reports say whether it prefers systems of its own "
            "family. Empty: unknown.",
            "price_asked": "With input and output prices, runs show their cost and keep a budget.",
            "price_cached": "Empty: the price of input tokens.",
            "price_batches": "Empty: 0.5, half the price.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["price_batches"].required = False
        modes = cast("forms.ChoiceField", self.fields["mode"])
        modes.choices = [one for one in Connection.Mode.choices if one[0] != Connection.Mode.LOCAL]
        self.fields["key"].help_text = "Stored encrypted, sent only to this URL and never shown."
        if self.instance.pk is not None:
            del self.fields["name"]  # judges' names contain it
            if self.instance.sealed_key:
                self.fields["key"].help_text += " Empty: the key that is kept."

    def clean_price_batches(self) -> Decimal:
        """Default to half the price."""
        given: Decimal | None = self.cleaned_data["price_batches"]
        return HALF if given is None else given

    @property
    def given_key(self) -> str | None:
        """Return the new key; None to keep the stored one."""
        key: str = self.cleaned_data["key"].strip()
        return key or (None if self.instance.pk is not None else "")
