"""The filter of the list of responses, and the note on one."""

from collections.abc import Iterable
from itertools import chain, groupby
from typing import Any

from django import forms

from annotate.content import responses_by_label
from annotate.content.notes import MOST_CHARS
from annotate.content.questions import slice_choices
from annotate.models import IMPERSONAL, PEOPLE, Judge, Study, System

SHOWN = [
    ("", "all responses"),
    ("uncited", "with statements that cite nothing"),
    ("out-of-range", "with marks that have no passage"),
    ("positional", "with citations inside sentences"),
    ("cut", "cut at a new line"),
    ("empty", "empty"),
]
APART = [
    ("", "any"),
    ("any", "in either direction"),
    ("people-yes", "people yes, judge no"),
    ("people-no", "people no, judge yes"),
]
JUDGED = [("", "any"), ("yes", "judged"), ("no", "not judged")]

OF_LABELS = ("by", "label", "judged", "apart", "low", "high")
"""The fields about labels."""


class JudgeChoice(forms.ModelChoiceField[Judge]):
    def label_from_instance(self, judge: Judge) -> str:
        return judge.title


def _label_choices(study: Study) -> list[Any]:
    """Return all labels in groups. Each group begins with a choice for any of its labels."""
    found: list[Any] = [("", "any")]
    for item in responses_by_label.items(study):
        own = [(f"{item.key}:{value}", f"{item.title}: {label}") for value, label in item.choices]
        found.append((item.title, [(item.key, f"{item.title}: any"), *own]))
    return found


class ResponseFilterForm(forms.Form):
    q = forms.CharField(
        label="Search",
        required=False,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": "Question or answer"}),
    )
    system = forms.ModelChoiceField(
        queryset=System.objects.none(), required=False, empty_label="all systems"
    )
    slice = forms.ChoiceField(required=False)
    show = forms.ChoiceField(choices=SHOWN, required=False)
    by = JudgeChoice(
        label="Judge",
        queryset=Judge.objects.none(),
        required=False,
        empty_label="people (their majority)",
    )
    label = forms.ChoiceField(required=False)
    judged = forms.ChoiceField(label="Judged", choices=JUDGED, required=False)
    apart = forms.ChoiceField(label="Disagrees with people", choices=APART, required=False)
    low = forms.FloatField(label="Score from", min_value=0, max_value=1, required=False)
    high = forms.FloatField(label="Score to", min_value=0, max_value=1, required=False)

    def __init__(self, study: Study, *args: Any, named: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        label = self.fields["label"]
        assert isinstance(label, forms.ChoiceField)
        label.choices = _label_choices(study)
        for name in ("low", "high"):
            self.fields[name].widget.attrs["step"] = "any"
        system, by = self.fields["system"], self.fields["by"]
        assert isinstance(system, forms.ModelChoiceField)
        assert isinstance(by, JudgeChoice)
        system.queryset = System.objects.loaded().filter(study=study)
        part = self.fields["slice"]
        assert isinstance(part, forms.ChoiceField)
        part.choices = lambda: [("", "all questions"), *slice_choices(study)]  # read when rendered
        judges = study.judges.exclude(kind=Judge.Kind.TRAINEE)
        if not named:
            judges = judges.filter(kind__in=IMPERSONAL)
        by.queryset = judges
        by.choices = lambda: _grouped(judges, by.empty_label)

    def clean(self) -> dict[str, Any]:
        given = dict(self.cleaned_data)
        not_judged = given.get("judged") == "no"
        if not_judged and ":" in (given.get("label") or ""):
            self.add_error("label", "Units that were not judged have no label. Choose “any”.")
        for name in ("apart", "low", "high"):
            if given.get(name) not in (None, ""):
                if not given.get("by"):
                    self.add_error(name, "Choose of whom you ask it, under “Said by”.")
                elif not_judged:
                    self.add_error(
                        name, "Units that were not judged have no answer. Remove this filter."
                    )
        return given

    @property
    def of_labels(self) -> list[forms.BoundField]:
        return [self[name] for name in OF_LABELS]

    @property
    def asks_of_labels(self) -> bool:
        """Whether a field about labels is filled in."""
        return any(self.data.get(name) for name in OF_LABELS)

    @property
    def said(self) -> list[tuple[str, str]]:
        """The chosen filters as names and values."""
        given = self.cleaned_data if self.is_valid() else {}
        return [
            (str(self[name].label), _words(self.fields[name], value))
            for name, value in given.items()
            if value not in (None, "")
        ]


def _words(field: forms.Field, value: Any) -> str:
    """Return a chosen value as the form shows it."""
    if isinstance(value, Judge):
        return value.title
    if not isinstance(field, forms.ChoiceField) or isinstance(value, System):
        return str(value)
    choices: Any = field.choices
    groups = [label if isinstance(label, list) else [(key, label)] for key, label in choices]
    return str(dict(chain(*groups))[value])


def _grouped(judges: Iterable[Judge], nobody: Any) -> list[Any]:
    """Return judges and then raters as groups of choices."""
    found: list[Any] = [("", nobody)]
    ordered = sorted(judges, key=lambda judge: (judge.kind in PEOPLE, judge.title))
    for are_people, own in groupby(ordered, key=lambda judge: judge.kind in PEOPLE):
        title = "Raters" if are_people else "Judges"
        found.append((title, [(judge.pk, judge.title) for judge in own]))
    return found


class NoteForm(forms.Form):
    text = forms.CharField(
        label="Note", max_length=MOST_CHARS, widget=forms.Textarea(attrs={"rows": 3})
    )
