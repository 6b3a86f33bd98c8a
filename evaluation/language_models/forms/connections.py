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
            "url": "Address",
            "price_asked": "Price of a million tokens read, in dollars",
            "price_cached": "… from the server's cache",
            "price_written": "… of those written",
            "price_batches": "Share of these prices for calls sent as batches",
        }
        widgets = {"url": forms.TextInput(attrs={"inputmode": "url"})}
        help_texts = {
            "url": "The whole address, such as https://model.example.org/v1/chat/completions.",
            "model": "Its name at that address; all modes but pairs need it.",
            "family": "Whose model it is, such as the maker's name: reports say whether it prefers "
            "systems of its own family. Empty: nobody says.",
            "price_asked": "With it and the last one, runs say what they cost and keep a budget.",
            "price_cached": "Empty: as those read.",
            "price_batches": "Empty: 0.5, half of them.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["price_batches"].required = False
        modes = cast("forms.ChoiceField", self.fields["mode"])
        modes.choices = [one for one in Connection.Mode.choices if one[0] != Connection.Mode.LOCAL]
        self.fields["key"].help_text = "It is kept encrypted, sent there alone and never shown."
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
