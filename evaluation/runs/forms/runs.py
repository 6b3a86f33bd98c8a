"""The form of a new run."""

from abc import abstractmethod
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.http import QueryDict
from django.utils.html import format_html

from annotate.access import Access
from annotate.models import Batch, System
from evaluation.judges import JUDGES, VARIANTS, Spec
from evaluation.judges.entailment import ADVICE, DEFAULT_SCORER, SCORERS, ScorerError
from evaluation.judges.judge import cap_of
from evaluation.judges.settings import NO_CAP, JudgeSettings
from evaluation.language_models.asking_models import BATCHES
from evaluation.language_models.connections import allowed_models, help_without, parsers, usable
from evaluation.language_models.forms.budgets import BudgetField
from evaluation.language_models.study_prompts import MOST, known_styles


def judge_choices() -> list[tuple[str, str]]:
    """Return every judge with its description and price."""
    card = "<b>{}</b> <span>{}. {}.</span>"
    return [
        (
            name,
            format_html(
                card, spec.title, spec.about[:1].upper() + spec.about[1:].rstrip("?"), _price(spec)
            ),
        )
        for name, spec in JUDGES.items()
    ]


def _price(spec: Spec) -> str:
    if spec.of_forms:
        return "Paid by call, or free with a model on this machine"
    return "Free" + (" with the built-in scorer" if spec.asks else "")


def scorer_choices(*, outside: bool = True) -> list[tuple[str, str]]:
    """Return every scorer with its description; without `outside` only local ones."""
    known = [(name, spec) for name, spec in SCORERS.items() if outside or not spec.connects]
    return [(name, f"{name}: {spec.about}") for name, spec in known]


SCORES = {
    "": "only if the prompt asks for it",
    "logprobs=yes": "by log-probabilities",
    **{f"samples={n}": f"by {n} samples" for n in (3, 5, 10)},
}
"""Sources of scores, by the option that selects each."""


def usual_caps() -> str:
    """Return the default citation caps by judge, for a sentence."""
    return ", ".join(
        f"{spec.title} {cap_of(spec.takes['cap'].default)}"
        for spec in JUDGES.values()
        if "cap" in spec.takes
    )


class OptionsField(forms.CharField):
    """`name=value`, one per line."""

    widget = forms.Textarea(attrs={"rows": 3, "class": "code"})

    def clean(self, value: Any) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in super().clean(value).splitlines():
            if not line.strip():
                continue
            name, sign, given = line.partition("=")
            if not sign or not name.strip():
                raise forms.ValidationError(f"Expected name=value, found “{line.strip()}”.")
            found[name.strip()] = given.strip()
        return found


class CapField(forms.CharField):
    """A number from 1 on, or “none”."""

    def clean(self, value: Any) -> int | str | None:
        text = super().clean(value).strip()
        if not text:
            return None
        if text == NO_CAP:
            return NO_CAP
        if text.isdecimal() and len(text) < 8 and 1 <= int(text) <= 1_000_000:
            return int(text)
        raise forms.ValidationError(f"Expected a number from 1 on, or none; found “{text[:80]}”.")


class ScorerForm(forms.Form):
    """A scorer and how its answers are used."""

    advice = " ".join((*filter(None, (spec.caution for spec in SCORERS.values())), ADVICE))

    scorer = forms.ChoiceField(
        label="Entailment scorer",
        choices=scorer_choices,
        initial=DEFAULT_SCORER,
    )
    connection = forms.ChoiceField(required=False)
    model = forms.CharField(
        required=False,
        max_length=500,
    )
    threshold = forms.FloatField(
        required=False,
        min_value=0,
        max_value=1,
        help_text="Pairs from this probability on count as entailed. Empty: the scorer's own.",
    )
    variant = forms.ChoiceField(
        choices=[(name, name) for name in VARIANTS],
        initial=VARIANTS[0],
        help_text="As the published code computes it, or as the paper describes it.",
    )
    cap = CapField(
        label="Counted citations",
        required=False,
    )
    options = OptionsField(
        label="Other options",
        required=False,
        help_text="For the scorer or the language model, one per line, such as window=256.",
    )

    def __init__(self, access: Access, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer_connections(access)
        self._explain()

    def _offer_connections(self, access: Access) -> None:
        """Offer the usable connections; without any, say who creates them."""
        field = cast("forms.ChoiceField", self.fields["connection"])
        names = list(usable(access.study, access.user).values_list("name", flat=True).distinct())
        field.choices = [("", "none"), *((name, name) for name in names)]
        connected = ", ".join(name for name, spec in SCORERS.items() if spec.connects)
        field.help_text = f"For language models and {connected}: the way to what is asked."
        if not names:
            field.help_text = help_without(access.user)

    def _explain(self) -> None:
        """Add help texts that depend on the installation."""
        others = ", ".join(spec.title for spec in JUDGES.values() if not spec.asks)
        self.fields[
            "scorer"
        ].help_text = f"Decides whether a passage supports a text. Not used by: {others or 'none'}."
        self.fields["cap"].help_text = f"Of a statement or claim; none: all. Empty: {usual_caps()}."
        self.fields[
            "model"
        ].help_text = f"{allowed_models()} The built-in scorers need none, nor do connections."

    @abstractmethod
    def settings(self) -> JudgeSettings:
        """Return the judge that the form describes."""

    def clean(self) -> dict[str, Any]:
        """Refuse options that the scorer would refuse."""
        given = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                self.settings().check_options()
            except ScorerError as error:
                # Shown at the field with the fault.
                self.add_error("options" if given["options"] else None, str(error))
        return given


class RunForm(ScorerForm):
    """A judge, its scorer, and the responses to judge."""

    judge = forms.ChoiceField(
        choices=judge_choices,
        widget=forms.RadioSelect,
    )
    style = forms.ChoiceField(
        label="Prompt",
        required=False,
    )
    scores = forms.ChoiceField(
        label="Confidence score",
        choices=list(SCORES.items()),
        required=False,
        help_text="Needed for thresholds, AUC and calibration. Each sample is a call.",
    )
    batches = forms.BooleanField(
        label="Send the calls as batches: cheaper, answered within a day",
        required=False,
        help_text="Half the price. For connections of the modes chat and responses whose server "
        "has OpenAI's Batch API.",
    )
    dimensions = forms.MultipleChoiceField(
        label="Dimensions",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None ticked: every dimension that people answer, in the same words.",
    )
    examples = forms.IntegerField(
        label="Examples from people's labels",
        required=False,
        min_value=0,
        max_value=MOST,
        help_text="Number of labelled examples in the prompt, about other questions than the "
        "judged one. Shown units are left out of the judge's numbers. Empty: none.",
    )
    guideline_examples = forms.BooleanField(
        label="Include the examples of the guidelines",
        required=False,
        help_text="As raters see them, with the right answer and why.",
    )
    systems = forms.ModelMultipleChoiceField(
        queryset=System.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None ticked: all of them.",
    )
    batch = forms.ModelChoiceField(
        label="Answers",
        queryset=Batch.objects.none(),
        required=False,
        empty_label="All of these systems",
        help_text="Or only those in a batch.",
    )
    missing_only = forms.BooleanField(
        label="Only responses that this judge has not judged yet",
        required=False,
        initial=True,
        help_text="If off, everything is judged again; equal verdicts change nothing. Sources "
        "without a text support nothing, so judge everything again after adding texts.",
    )
    budget = BudgetField("the run pauses, and goes on with a higher one")
    parser = forms.CharField(
        required=False,
        max_length=500,
    )

    def __init__(self, access: Access, *args: Any, **kwargs: Any) -> None:
        super().__init__(access, *args, **kwargs)
        study = access.study
        systems = cast("forms.ModelMultipleChoiceField[System]", self.fields["systems"])
        systems.queryset = System.objects.loaded().filter(study=study).order_by("name")
        batch = cast("forms.ModelChoiceField[Batch]", self.fields["batch"])
        batch.queryset = Batch.objects.filter(study=study)
        dimensions = cast("forms.MultipleChoiceField", self.fields["dimensions"])
        styles = [(key, known.style) for key, known in known_styles(study).items()]
        cast("forms.ChoiceField", self.fields["style"]).choices = [
            (key, f"{one.title}: {one.about}" if one.about else one.title) for key, one in styles
        ]
        protocol = study.protocol
        dimensions.choices = [(d.key, d.title) for d in protocol.of(protocol.offered)]
        parsing = ", ".join(spec.title for spec in JUDGES.values() if "parser" in spec.takes)
        self.fields[
            "parser"
        ].help_text = f"For {parsing}: {', '.join(parsers())}. Empty: the study's own."

    def propose(self, budget: Decimal | None) -> str:
        """Fill in a budget unless the user changed the proposed one."""
        proposed = "" if budget is None else str(budget)
        if self.data.get("budget", "") == self.data.get("proposed", ""):
            data = cast("QueryDict", self.data).copy()
            data["budget"] = proposed
            self.data = data
        return proposed

    def settings(self) -> JudgeSettings:
        given = self.cleaned_data
        return JudgeSettings(
            judge=given["judge"],
            scorer=given["scorer"],
            model=given["model"].strip() or None,
            options=self._options(),
            threshold=given["threshold"],
            variant=given["variant"],
            cap=given["cap"],
            parser=given["parser"].strip(),
            connection=given["connection"],
            style=given["style"],
            dimensions=given["dimensions"],
            examples=given["examples"],
            guideline_examples=given["guideline_examples"] or None,
        )

    def _options(self) -> dict[str, str]:
        """Return the written options, after those selected elsewhere for a language model."""
        given = self.cleaned_data
        name, chosen, value = given["scores"].partition("=")
        asked = {name: value} if chosen else {}
        asked |= {BATCHES: "yes"} if given["batches"] else {}
        of_forms = JUDGES[given["judge"]].of_forms
        return {**(asked if of_forms else {}), **given["options"]}
