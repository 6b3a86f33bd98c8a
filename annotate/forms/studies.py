"""Forms about a study as a whole."""

from typing import Any

from django import forms

from annotate.models import Study, System
from annotate.protocol.dimensions import asked
from annotate.protocol.presets import PRESETS
from annotate.segment import SPLITTERS, available_splitters


def _dimension_choices() -> list[tuple[str, str]]:
    return [(d.key, f"{d.title} — {d.question}") for d in asked().values()]


class NewStudyForm(forms.Form):
    name = forms.CharField(max_length=200, widget=forms.TextInput(attrs={"autofocus": True}))
    preset = forms.ChoiceField(
        choices=[(p.key, f"{p.title} — {p.summary}") for p in PRESETS.values()],
        widget=forms.RadioSelect,
        initial="alce",
        label="Protocol",
        help_text="Sets the questions, the raters per unit and the first guidelines.",
    )
    description = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Members read it on the study's first page.",
    )


class StudySettingsForm(forms.ModelForm[Study]):
    dimensions = forms.MultipleChoiceField(
        choices=_dimension_choices, widget=forms.CheckboxSelectMultiple, label="Questions asked"
    )
    splitter = forms.ChoiceField(
        label="Sentence splitter",
        help_text="Fixed once responses were loaded.",
    )
    raters_per_unit = forms.IntegerField(min_value=1, max_value=100)
    citation_cap = forms.IntegerField(
        label="Citations per statement that count",
        min_value=1,
        max_value=100,
        help_text="ALCE counts the first 3.",
    )

    class Meta:
        model = Study
        fields = [
            "name",
            "description",
            "dimensions",
            "raters_per_unit",
            "citation_cap",
            "shared_words",
            "reading",
            "splitter",
        ]
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}
        labels = {"reading": "Reading of marks", "shared_words": "Raters may mark shared words"}
        help_texts = {"reading": "Fixed once responses were loaded."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ready = set(available_splitters())
        splitter = self.fields["splitter"]
        assert isinstance(splitter, forms.ChoiceField)
        splitter.choices = [
            (name, name if name in ready else f"{name} (its data is not installed here)")
            for name in SPLITTERS
        ]

    def clean_splitter(self) -> str:
        name: str = self.cleaned_data["splitter"]
        if name not in available_splitters():
            raise forms.ValidationError(
                f"The data of “{name}” is not installed on this machine. Choose another splitter."
            )
        return name


class DeleteStudyForm(forms.Form):
    slug = forms.CharField(label="The study's address, to make sure")

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study
        self.fields["slug"].help_text = f"Type {study.slug}"

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if slug.strip() != self.study.slug:
            raise forms.ValidationError(f"Type {self.study.slug} to delete the study.")
        return slug


class GuidelinesForm(forms.Form):
    text = forms.CharField(
        label="Guidelines (Markdown)",
        widget=forms.Textarea(attrs={"rows": 28, "class": "code"}),
        help_text="Saving makes a new version; each judgment names the version its rater saw.",
    )


class SystemForm(forms.ModelForm[System]):
    class Meta:
        model = System
        fields = ["name", "description", "uses_autoais"]
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}
