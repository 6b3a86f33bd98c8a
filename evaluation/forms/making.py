"""What a researcher says of what is to be made, and what can be made of a study."""

from typing import Any, cast

from django import forms

from annotate.access import Access
from annotate.formats.limits import NAME_CHARS
from annotate.models import System
from evaluation.claims.parsing import BUILT_IN
from evaluation.forms.runs import ScorerForm
from evaluation.judges.settings import JudgeSettings
from evaluation.outside.allowed import allowed_models, parsers
from evaluation.running import makers
from evaluation.running.claims import remembered_parser
from evaluation.running.making import Maker
from evaluation.running.postediting import WAYS

OF_SCORERS = ("scorer", "connection", "model", "threshold", "variant", "cap", "options")

BY = {"recall": "has the best citation recall", "probability": "has the highest probability"}


class PostEditForm(ScorerForm):
    """Which system is edited, how, and by which scorer."""

    system = forms.ModelChoiceField(
        queryset=System.objects.none(),
        to_field_name="name",
        empty_label="Choose one",
        help_text="It stays as it is.",
    )
    way = forms.ChoiceField(label="What is done", choices=list(WAYS.items()))
    name = forms.CharField(label="Name of the new system", max_length=NAME_CHARS)
    by = forms.ChoiceField(
        label="Of the samples, keep the one that",
        choices=list(BY.items()),
        initial="recall",
        required=False,
        help_text="For samples. Recall is found by the scorer.",
    )
    encoder = forms.CharField(
        label="Folder of a sentence encoder",
        required=False,
        max_length=500,
        help_text="For citing. Empty: BM25, by words.",
    )

    groups = (
        ("The new system", ("system", "way", "name", "by", "encoder")),
        ("Scorer, where entailment decides", OF_SCORERS),
    )

    def __init__(self, access: Access, *args: Any, **kwargs: Any) -> None:
        super().__init__(access, *args, **kwargs)
        systems = cast("forms.ModelChoiceField[System]", self.fields["system"])
        systems.queryset = System.objects.loaded().filter(study=access.study).order_by("name")
        encoder = self.fields["encoder"]
        encoder.help_text = f"{encoder.help_text} {allowed_models()}"

    def settings(self) -> JudgeSettings:
        return JudgeSettings(judge="alce", **self._scorer())

    def _scorer(self) -> dict[str, Any]:
        given = self.cleaned_data
        chosen = {name: given[name] for name in OF_SCORERS}
        return {**chosen, "model": given["model"].strip() or None}

    def kept(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {
            "system": given["system"].name,
            "way": given["way"],
            "name": given["name"].strip(),
            "by": given["by"] or "recall",
            "encoder": given["encoder"].strip() if given["way"] == "postcite" else "",
            "scorer": self._scorer(),
        }


class ClaimsForm(forms.Form):
    """By which parser claims are made."""

    parser = forms.CharField(required=False, max_length=500)
    remake = forms.BooleanField(
        label="Make all claims again, where another parser made them",
        required=False,
        help_text="Refused once judges or raters answered about them. Without a parser named "
        "above, the study's is forgotten, too.",
    )

    groups = (("Claims", ("parser", "remake")),)

    def __init__(self, access: Access, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        present = remembered_parser(access.study)
        usual = f"the study's own, {present}" if present else f"{BUILT_IN}, or the site's"
        self.fields["parser"].help_text = f"One of {', '.join(parsers())}. Empty: {usual}."

    def kept(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {"parser": given["parser"].strip(), "remake": given["remake"]}


Maker(
    key="post-edit",
    title="Post-edit a system",
    about="A new system out of an old one: the best of several samples, citations added "
    "afterwards, or passages in another order. Raters and judges can then compare the two.",
    document="postediting",
    form=PostEditForm,
    make=makers.make_system,
    page="system",
    leads_to_row=True,
    queue=makers.queue_of_system,
    take_back=makers.take_system_back,
)
Maker(
    key="claims",
    title="Make claims",
    about="Every cited statement divided into atomic claims, each with its citations, for judges "
    "and raters who are asked about claims. Responses that have theirs keep them.",
    document="claims",
    form=ClaimsForm,
    make=makers.make_study_claims,
    page="responses",
    queue=makers.queue_of_claims,
)
