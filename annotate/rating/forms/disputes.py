"""The forms of the disputes' pages."""

from collections.abc import Mapping
from typing import Any

from django import forms

from annotate.models import Batch, Study
from annotate.protocol.dimensions import Dimension
from annotate.rating.forms.answers import AnswerField

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
        batches = Batch.objects.work().filter(study=study).exclude(state=Batch.State.DRAFT)
        put = {*study.dimensions}.union(*batches.values_list("dimensions", flat=True))
        titles = [(one.key, one.title) for one in study.protocol.of(put) if one.of_people]
        dimension.choices = [("", "all dimensions"), *titles]
        batch.queryset = batches


class DecisionForm(forms.Form):
    """The answer to one dimension. Of choices only those that people have are offered."""

    note = forms.CharField(required=False, max_length=5_000)
    base = forms.CharField(required=False, max_length=36)

    def __init__(
        self, dimension: Dimension, texts: Mapping[int, str], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        told = {"required": "Choose an answer." if dimension.is_choice else "Give an answer."}
        self.fields["value"] = AnswerField(dimension, texts, on_text=True, error_messages=told)
