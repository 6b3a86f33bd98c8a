"""The form of a webhook."""

from typing import Any

from django import forms

from annotate.models import Webhook
from annotate.studies.webhooks import EVENTS


class WebhookForm(forms.Form):
    """A new webhook, or the settings of an existing one except its address."""

    url = forms.CharField(
        label="URL",
        max_length=2_000,
        widget=forms.TextInput(attrs={"inputmode": "url"}),
        help_text="The full URL, such as https://example.org/attest.",
    )
    events = forms.MultipleChoiceField(
        label="Events", choices=list(EVENTS.items()), widget=forms.CheckboxSelectMultiple
    )
    mark = forms.FloatField(
        label="Agreement threshold",
        required=False,
        min_value=-1,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="Krippendorff's alpha below which it has fallen, such as 0.6.",
    )
    is_on = forms.BooleanField(
        label="Active",
        required=False,
        help_text="If off, nothing is sent. Events in the meantime are not sent later.",
    )

    def __init__(self, *args: Any, webhook: Webhook | None = None, **kwargs: Any) -> None:
        if webhook is not None:
            names = ("events", "mark", "is_on")
            kwargs["initial"] = {name: getattr(webhook, name) for name in names}
        super().__init__(*args, **kwargs)
        del self.fields["is_on" if webhook is None else "url"]
