"""The form of a language model's variants."""

from collections.abc import Iterator
from typing import Any

from django import forms

from annotate.models import Study, System
from evaluation.language_models.asking.variants import CHOICES, MOST_REPEATS
from evaluation.language_models.connections import family_fault
from evaluation.models import SystemFamily
from evaluation.runs.varying import QUESTIONS, REPEATS

WORDS = {
    "choices": "Choices in reverse order",
    "passages": "Passages in reverse order",
    "padded": "Words without content after the answer",
    "system": "Name of the system shown",
}


class BiasesForm(forms.Form):
    """Variations, repeats, the number of questions, and the model family of each system."""

    kinds = forms.MultipleChoiceField(
        label="Changes to test",
        choices=[(kind, WORDS[kind]) for kind in CHOICES],
        initial=list(CHOICES),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Each change is a run of its own.",
    )
    repeats = forms.IntegerField(
        label="Repeats of the same question",
        initial=REPEATS,
        min_value=0,
        max_value=MOST_REPEATS,
    )
    questions = forms.IntegerField(
        label="Number of questions",
        initial=QUESTIONS,
        min_value=1,
        max_value=1_000_000,
        required=False,
        help_text="The same ones for all, with all systems' answers. Empty: all questions.",
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        said = dict(
            SystemFamily.objects.filter(system__study=study).values_list("system_id", "family")
        )
        self._systems = list(System.objects.loaded().filter(study=study).order_by("name"))
        for system in self._systems:
            self.fields[f"family-{system.pk}"] = forms.CharField(
                label=system.title,
                required=False,
                max_length=60,
                initial=said.get(system.pk, ""),
                validators=[_refuse_fault],
            )

    def family_fields(self) -> Iterator[forms.BoundField]:
        """Yield the fields of the systems' families."""
        for system in self._systems:
            yield self[f"family-{system.pk}"]

    def families(self) -> dict[int, str]:
        """Return the family of each system."""
        return {one.pk: self.cleaned_data[f"family-{one.pk}"].strip() for one in self._systems}

    @property
    def of_variants(self) -> int:
        """Return the number of runs."""
        return len(self._value("kinds") or ()) + (self._value("repeats") or 0)

    @property
    def of_questions(self) -> int | None:
        """Return the number of questions; None for all."""
        found: int | None = self._value("questions")
        return found

    def _value(self, name: str) -> Any:
        """Return a valid value, or the initial one of an unbound form."""
        if self.is_bound:
            self.is_valid()
            return self.cleaned_data.get(name)
        return self.fields[name].initial


def _refuse_fault(family: str) -> None:
    if fault := family_fault(family.strip()):
        raise forms.ValidationError(fault)
