"""The forms of the disputes' pages."""

from collections.abc import Mapping
from typing import Any

from django import forms

from annotate.forms.answers import AnswerField
from annotate.models import Batch, Study
from annotate.protocol.dimensions import Dimension

STATES = [("", "still open"), ("decided", "decided"), ("all", "all")]


class DisputeFilterForm(forms.Form):
    dimension = forms.ChoiceField(label="Dimension", required=False)
    batch = forms.ModelChoiceField(
        queryset=Batch.objects.none(), required=False, empty_label="all batches"
    )
    state = forms.ChoiceField(label="Show", choices=STATES, required=False)

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        dimension, batch = self.fields["dimension"], self.fields["batch"]
        assert isinstance(dimension, forms.ChoiceField)
        assert isinstance(batch, forms.ModelChoiceField)
        dimension.choices = [
            ("", "all questions"),
            *(
                (key, d.title)
                for key, d in study.protocol.asked.items()
                if key in study.protocol.offered
            ),
        ]
        batch.queryset = Batch.objects.work().filter(study=study).exclude(state=Batch.State.DRAFT)


class DecisionForm(forms.Form):
    """The answer to one question. Of choices only those that people have are offered."""

    note = forms.CharField(required=False, max_length=5_000)
    base = forms.CharField(required=False, max_length=36)

    def __init__(
        self, dimension: Dimension, texts: Mapping[int, str], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        told = {"required": "Choose an answer." if dimension.is_choice else "Give an answer."}
        self.fields["value"] = AnswerField(dimension, texts, error_messages=told)
