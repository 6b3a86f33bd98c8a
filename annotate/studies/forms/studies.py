"""Forms for a study, its guidelines, its systems, and protocol files."""

from typing import Any, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet

from annotate.models import Judge, Study, System
from annotate.protocol.fields import MAX_CHARS
from annotate.protocol.presets import CUSTOM, PRESETS, grouped
from annotate.protocol.protocol import ProtocolFile
from annotate.protocol.shipped import FIRST, SHIPPED
from annotate.protocol.written import NotAProtocol, read
from annotate.text import SPLITTERS, Division, available_splitters, is_language


class ProtocolFileField(forms.FileField):
    """A YAML file, cleaned to its text."""

    def __init__(self, **options: Any) -> None:
        widget = forms.ClearableFileInput(attrs={"accept": ".yaml,.yml"})
        super().__init__(widget=widget, max_length=200, **options)

    def clean(self, data: Any, initial: Any = None) -> str:
        file = super().clean(data, initial)
        if not isinstance(file, UploadedFile):
            return ""
        try:
            return str(file.read(4 * MAX_CHARS + 1).decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            fault = f"Expected text in UTF-8; found another byte at place {error.start}."
            raise forms.ValidationError(fault) from None


def protocol_of_text(text: str) -> ProtocolFile:
    """Return the protocol of a file, or raise all its faults with line and field."""
    try:
        return read(text)
    except NotAProtocol as error:
        faults = [str(fault)[0].upper() + str(fault)[1:] for fault in error.faults]
        raise forms.ValidationError(faults) from None


class ProtocolFileForm(forms.Form):
    """A file or, after the preview, its text."""

    file = ProtocolFileField(label="Protocol file", error_messages={"required": "Choose a file."})
    text = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].required = not self.data.get("text")

    def clean(self) -> dict[str, Any]:
        given = dict(self.cleaned_data)
        text = given.get("file") or given.get("text") or ""
        if not self.errors:
            try:
                given["protocol"] = protocol_of_text(text)
            except forms.ValidationError as error:
                self.add_error("file", error)
        return given | {"text": text}


def _dimension_choices() -> list[tuple[str, str]]:
    return [(d.key, f"{d.title} — {d.question}") for d in SHIPPED.asked.values()]


def _protocol_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the three papers' protocols first, then the others by kind."""
    papers = [PRESETS[key] for key in FIRST]
    groups = {"The papers": papers} | grouped()
    groups["As in the paper"] = [one for one in groups["As in the paper"] if one not in papers]
    return [
        (group, [(one.key, f"{one.title} — {one.summary}") for one in presets])
        for group, presets in groups.items()
    ]


class ProtocolChoices(forms.RadioSelect):
    """The first group as cards with the raters' questions, the others folded."""

    template_name = "studies/protocol_choices.html"

    def create_option(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(*args, **kwargs)
        preset = PRESETS[str(option["value"])]
        asked = SHIPPED.of(preset.dimensions)
        return option | {"preset": preset, "asked": asked}

    def get_context(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context(*args, **kwargs)
        folded = [option for _, group, _ in context["widget"]["optgroups"][1:] for option in group]
        return context | {"is_unfolded": any(option["selected"] for option in folded)}


class NewStudyForm(forms.Form):
    name = forms.CharField(max_length=200, widget=forms.TextInput(attrs={"autofocus": True}))
    preset = forms.ChoiceField(
        choices=_protocol_choices,
        widget=ProtocolChoices,
        initial=FIRST[0],
        label="Protocol",
        help_text="Sets the dimensions, the raters per unit and the first guidelines.",
    )
    dimensions = forms.MultipleChoiceField(
        choices=_dimension_choices,
        widget=forms.CheckboxSelectMultiple,
        label="Dimensions asked",
        required=False,
        help_text="For a custom protocol. Other protocols have their own dimensions.",
    )
    file = ProtocolFileField(
        label="Protocol file",
        required=False,
        help_text="Replaces the protocol chosen above.",
    )
    template = forms.ModelChoiceField(
        queryset=Study.objects.none(),
        required=False,
        empty_label="None",
        help_text="Asks the same as this study, with its guidelines and settings, instead of the "
        "protocol chosen above.",
    )
    description = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Members read it on the study's first page.",
    )

    def __init__(self, templates: QuerySet[Study], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if templates.exists():
            field = cast("forms.ModelChoiceField[Study]", self.fields["template"])
            field.queryset = templates
        else:
            del self.fields["template"]

    def clean_file(self) -> ProtocolFile | None:
        text = self.cleaned_data["file"]
        return protocol_of_text(text) if text else None

    def clean(self) -> dict[str, Any]:
        """Add the prerequisites of a custom protocol's dimensions."""
        given = dict(self.cleaned_data)
        chosen = given.get("dimensions") or []
        if given.get("file") and given.get("template"):
            self.add_error("template", "Choose either a protocol file or a template.")
        if given.get("file") or given.get("template") or given.get("preset") != CUSTOM:
            return given | {"dimensions": None}
        if not chosen and not self.errors:
            self.add_error("dimensions", "Choose at least one.")
        return given | {"dimensions": SHIPPED.with_conditions(chosen)}


class StudySettingsForm(forms.ModelForm[Study]):
    splitter = forms.ChoiceField(
        label="Sentence splitter",
        help_text="Of English answers. Another choice divides all answers again.",
    )
    raters_per_unit = forms.IntegerField(min_value=1, max_value=100)
    citation_cap = forms.IntegerField(
        label="Citations counted per statement",
        min_value=1,
        max_value=100,
        help_text="ALCE counts the first 3.",
    )

    primary_judge = forms.ChoiceField(
        required=False,
        help_text="The one that reports speak of first, unless their filter names another. None: "
        "the one that agrees most with people, which then was chosen on the same answers.",
    )

    class Meta:
        model = Study
        fields = [
            "name",
            "description",
            "raters_per_unit",
            "citation_cap",
            "primary_judge",
            "tags",
            "is_template",
            "shared_words",
            "lines",
            "reading",
            "language",
            "splitter",
        ]
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}
        labels = {
            "lines": "What of an answer is read",
            "reading": "Reading of marks",
            "language": "Language of the answers",
            "shared_words": "Raters may mark shared words",
        }
        help_texts = {
            "lines": "Another choice divides all answers again, after showing what would be lost.",
            "reading": "As above.",
            "language": (
                "A code such as zh or pt-BR, for questions that name none. Empty: the script of "
                "each paragraph decides."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        primary = self.fields["primary_judge"]
        assert isinstance(primary, forms.ChoiceField)
        judges = self.instance.judges.filter(kind=Judge.Kind.AUTOMATIC)
        primary.choices = [("", "none"), *((judge.name, judge.title) for judge in judges)]
        ready = set(available_splitters())
        splitter = self.fields["splitter"]
        assert isinstance(splitter, forms.ChoiceField)
        splitter.choices = [
            (name, name if name in ready else f"{name} (its data is not installed here)")
            for name in SPLITTERS
        ]

    def clean_language(self) -> str:
        code: str = self.cleaned_data["language"].strip()
        if code and not is_language(code):
            raise forms.ValidationError("Give the code of a language, such as zh or pt-BR.")
        return code

    def settings(self) -> dict[str, Any]:
        """Return the values, with those of the division as one `Division`."""
        chosen = dict(self.cleaned_data)
        names = ("lines", "reading", "splitter", "language")
        division = Division(**{name: chosen.pop(name) for name in names})
        return {**chosen, "division": division}

    def clean_splitter(self) -> str:
        name: str = self.cleaned_data["splitter"]
        if name not in available_splitters():
            raise forms.ValidationError(
                f"The data of “{name}” is not installed on this machine. Choose another splitter."
            )
        return name


class CopyStudyForm(forms.Form):
    name = forms.CharField(max_length=200, label="Name of the copy")
    with_responses = forms.BooleanField(
        required=False,
        label="Copy responses",
        help_text="Systems, questions, answers and passages. They are checked as a file is, and "
        "loaded when you say so.",
    )
    with_batches = forms.BooleanField(
        required=False,
        label="Copy batch designs",
        help_text="Each batch becomes a draft with the same name, choice of questions, seed and "
        "terms, and without a task. Once responses are loaded, you draw its tasks on its page. "
        "Raters, ratings and known answers stay here.",
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].initial = f"{study.name} (copy)"[:200]


class DeleteStudyForm(forms.Form):
    slug = forms.CharField(label="Type the study's address to confirm")

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
        fields = ["name", "display_name", "description", "uses_autoais"]
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}
