"""The form of a generation."""

from collections.abc import Mapping
from typing import Any, cast

from django import forms

from annotate.access import Access
from annotate.formats.limits import NAME_CHARS
from annotate.models import System
from evaluation.generating.generation_settings import MOST_SEEDS, GenerationSettings
from evaluation.generating.systems.shipped import SYSTEMS
from evaluation.generating.systems.spec import AFTERWARDS
from evaluation.judges.entailment import DEFAULT_SCORER
from evaluation.language_models.connections import help_without, usable
from evaluation.language_models.forms.budgets import BudgetField
from evaluation.models import Corpus
from evaluation.runs.forms.runs import OptionsField, scorer_choices


def system_choices() -> list[tuple[str, str]]:
    return [(key, f"{spec.title}: {spec.about}") for key, spec in SYSTEMS.items()]


class SeedsField(forms.CharField):
    """Whole numbers separated by white space."""

    def clean(self, value: Any) -> tuple[int, ...]:
        words = str(super().clean(value)).replace(",", " ").split() or ["1"]
        if len(words) > MOST_SEEDS or not all(w.isascii() and w.isdigit() for w in words):
            raise forms.ValidationError(f"Expected up to {MOST_SEEDS} whole numbers.")
        return tuple(int(word[:9]) for word in words)


class GenerateForm(forms.Form):
    """A system, its model and passages, and the decoding."""

    system = forms.ChoiceField(
        choices=system_choices, widget=forms.RadioSelect, initial=next(iter(SYSTEMS))
    )
    name = forms.CharField(label="Name of the new system", max_length=NAME_CHARS)
    connection = forms.ChoiceField(help_text="How Attest reaches the model.")
    passages_of = forms.ModelChoiceField(
        label="Passages from",
        queryset=System.objects.none(),
        required=False,
        empty_label="each question",
        help_text="The question's own passages, else the passages of its responses. For a system: "
        "its questions, with its passages in its order.",
    )
    corpus = forms.ChoiceField(required=False, help_text="Search this corpus instead.")
    questions = forms.IntegerField(
        label="Maximum number of questions",
        required=False,
        min_value=1,
        help_text="Drawn by the study's seed. Empty: all.",
    )
    afterwards = forms.ChoiceField(
        choices=[("", "nothing"), *((key, f"{key}: {about}") for key, about in AFTERWARDS.items())],
        required=False,
        help_text="rerank and postcite for the systems of ALCE and ALiiCE (CLOSEDBOOK has no "
        "citations to rerank by), autoais for those of Attributed QA.",
    )
    scorer = forms.ChoiceField(
        label="Entailment scorer",
        choices=lambda: scorer_choices(outside=False),
        initial=DEFAULT_SCORER,
        help_text="For rerank and autoais, and for ORACLE where questions have claims.",
    )
    scorer_model = forms.CharField(label="Its model", required=False, max_length=500)
    samples = forms.IntegerField(
        required=False, min_value=2, max_value=20, help_text="For rerank. Empty: 4."
    )
    seeds = SeedsField(
        required=False, initial="1", help_text="One run per seed. The papers use three: 1 2 3."
    )
    temperature = forms.FloatField(
        required=False,
        min_value=0,
        max_value=2,
        help_text="Empty: 0.5, or 1 for models on this machine.",
    )
    nucleus = forms.FloatField(
        required=False,
        min_value=0,
        max_value=1,
        help_text="Empty: none, or 0.95 for models on this machine.",
    )
    context = forms.IntegerField(
        label="Context (tokens)",
        required=False,
        min_value=0,
        help_text="How much the model reads; what is longer is cut, and the number of passages "
        "(ndoc) follows where you name none. Empty: not known, or as a model of this machine says "
        "itself.",
    )
    options = OptionsField(
        required=False,
        help_text="One per line, as shots=2, ndoc=5, shorten=snippet, "
        "ranked_by=meaning, most_tokens=300, at_once=8.",
    )
    filled = OptionsField(required=False, widget=forms.HiddenInput)
    """Options that the form filled in, and for which system: nobody typed them."""

    examples = forms.CharField(
        label="Your own examples",
        required=False,
        max_length=1_000_000,
        widget=forms.Textarea(attrs={"rows": 4, "class": "code"}),
        help_text="A JSON list of demonstrations, or of questions with answers. Empty: Attest's.",
    )
    budget = BudgetField("it pauses")

    def __init__(self, access: Access, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        study = self._study = access.study
        systems = cast("forms.ModelChoiceField[System]", self.fields["passages_of"])
        systems.queryset = System.objects.loaded().filter(study=study).order_by("name")
        connection = cast("forms.ChoiceField", self.fields["connection"])
        names = list(usable(study, access.user).values_list("name", flat=True).distinct())
        connection.choices = [(name, name) for name in names]
        if not names:
            connection.help_text = help_without(access.user)
        ready = Corpus.objects.filter(study=study, state=Corpus.State.READY)
        if known := list(ready.values_list("name", flat=True)):
            corpus = cast("forms.ChoiceField", self.fields["corpus"])
            corpus.choices = [("", "none"), *((name, name) for name in known)]
        else:
            del self.fields["corpus"]

    def fill_in(self, options: Mapping[str, str]) -> None:
        """Show the proposed options next to the typed ones."""
        told = {
            "options": {**self._named, **options},
            "filled": {"system": self.cleaned_data["system"], **options},
        }
        shown = {
            field: "\n".join(f"{name}={value}" for name, value in some.items())
            for field, some in told.items()
        }
        self.data = {**{name: self.data.get(name) for name in self.data}, **shown}

    @property
    def _named(self) -> dict[str, str]:
        """The options that the user typed or, when starting, has seen for this system."""
        given, filled = self.cleaned_data["options"], self.cleaned_data["filled"]
        if "begin" in self.data and filled.get("system") == self.cleaned_data["system"]:
            return dict(given)
        return {name: value for name, value in given.items() if filled.get(name) != value}

    def settings(self) -> GenerationSettings:
        """Return the generation's settings from the valid form."""
        given = self.cleaned_data
        told = {
            "options": self._named,
            "context": given["context"] or 0,
            "samples": given["samples"] or 4,
            "scorer_model": given["scorer_model"].strip() or None,
            "examples": given["examples"].strip(),
            "passages_of": given["passages_of"] and given["passages_of"].name,
        }
        return GenerationSettings.of(self._study, {**given, **told})
