"""The form field of an answer, and the forms that have one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms.widgets import Script

from annotate.content.judgments import people_answer
from annotate.models import Batch, Study
from annotate.protocol.answers import (
    NOTHING,
    MarkedSpan,
    NotAnAnswerError,
    format_spans,
    parse_spans,
)
from annotate.protocol.dimensions import Dimension
from annotate.rating.answer_fields import fields_of
from annotate.text.shown_passages import pieces
from annotate.web.errors import Refused

_SCRIPTS = (
    "claims.js",
    "desk/lit.js",
    "desk/fields.js",
    "desk/field.js",
    "desk/spans.js",
    "desk/selecting.js",
)

EMPTY_ROWS = 3
"""Empty rows for more words."""


class AnswerField(forms.Field):
    """The answer to one dimension.

    `texts` are the texts to mark, by passage number, the judged text as 0. `nothing` is the label
    of an empty answer; without it, an answer is required. With `on_text`, words are marked on these
    texts; a page has at most one such field.
    """

    def __init__(
        self,
        dimension: Dimension,
        texts: Mapping[int, str],
        *,
        nothing: str = "",
        on_text: bool = False,
        **options: Any,
    ) -> None:
        self.dimension = dimension
        widget = _widget(dimension, texts, nothing)
        if isinstance(widget, SpansWidget):
            widget.on_text = on_text
        super().__init__(widget=widget, required=not nothing, **options)

    def clean(self, value: Any) -> str:
        if isinstance(value, Unplaced):
            raise forms.ValidationError(value.said)
        text = str(value or "")
        if not text:
            if self.required:
                raise forms.ValidationError(self.error_messages["required"], code="required")
            return ""
        try:
            return people_answer(self.dimension, text)
        except Refused as refusal:
            raise forms.ValidationError(str(refusal)) from None


def _widget(dimension: Dimension, texts: Mapping[int, str], nothing: str) -> forms.Widget:
    if dimension.answer == "number":
        step = 10**-dimension.decimals
        bounds = {"min": dimension.low, "max": dimension.high, "step": step}
        return forms.NumberInput(attrs=bounds)
    if dimension.answer == "several":
        return SeveralWidget(choices=_choices(dimension, of_none=not dimension.least))
    if dimension.answer == "text":
        return forms.Textarea(attrs={"rows": 4, "maxlength": dimension.most or None})
    if dimension.answer == "spans":
        return SpansWidget(dimension, texts)
    none = [("", nothing)] if nothing else []
    return forms.RadioSelect(choices=[*none, *_choices(dimension)])


def _choices(dimension: Dimension, *, of_none: bool = False) -> list[tuple[str, str]]:
    given = [(choice.value, choice.label) for choice in dimension.choices]
    return [*given, (NOTHING, dimension.called(NOTHING))] if of_none else given


class SeveralWidget(forms.CheckboxSelectMultiple):
    """Several choices; the last one means none of them."""

    def format_value(self, value: Any) -> list[str]:
        return str(value).split("|") if value else []

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        return "|".join(data.getlist(name) if hasattr(data, "getlist") else data.get(name, []))


@dataclass(frozen=True, slots=True)
class SpanRow:
    """One typed stretch of words.

    `place` is its earlier place. `which` selects one of several occurrences.
    """

    words: str = ""
    passage: str = ""
    which: str = ""
    label: str = ""
    severity: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Rows of which some have no place, and the error messages."""

    rows: tuple[SpanRow, ...]
    is_nothing: bool
    said: str


class SpansWidget(forms.Widget):
    """Marked words: on the text with the page's script, or typed in rows without it."""

    template_name = "disputes/spans.html"
    use_fieldset = True
    on_text = False

    @property
    def media(self) -> forms.Media:
        if not self.on_text:
            return forms.Media()
        scripts: list[Any] = [Script(name, defer=True) for name in _SCRIPTS]
        return forms.Media(css={"all": ("desk.css", "answer_fields.css")}, js=scripts)

    def __init__(self, dimension: Dimension, texts: Mapping[int, str]) -> None:
        super().__init__()
        self.dimension, self.texts = dimension, texts

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        rows = [*value.rows] if isinstance(value, Unplaced) else self._rows(str(value or ""))
        context["widget"] |= {
            "rows": [*rows, *(SpanRow() for _ in range(EMPTY_ROWS))],
            "is_nothing": value.is_nothing if isinstance(value, Unplaced) else value == NOTHING,
            "passages": [*self.texts] if self.dimension.marks == "passages" else [],
            "labels": self.dimension.choices,
            "severities": self.dimension.severities,
            "may_be_nothing": not self.dimension.least,
        }
        return context | (self._marked(name, value) if self.on_text else {})

    def _marked(self, name: str, value: Any) -> dict[str, Any]:
        """Return the context for marking words on the texts."""
        known = "" if isinstance(value, Unplaced) else str(value or "")
        try:
            known = self.dimension.read(known)
        except NotAnAnswerError:
            known = ""
        return {
            "fields": fields_of(self.dimension, known, self.texts),
            "dimension": self.dimension,
            "step": {"name": name, "quoted": True},
            "marked_texts": [
                {"n": n, "text": text, "pieces": pieces(text, []) if n else []}
                for n, text in self.texts.items()
            ],
        }

    def _rows(self, value: str) -> list[SpanRow]:
        return [
            SpanRow(
                words=self.texts.get(span.passage, "")[span.start : span.end],
                passage=str(span.passage),
                label=span.label,
                severity=span.severity,
                place=f"{span.start}-{span.end}",
            )
            for span in (parse_spans(value) if value else [])
        ]

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str | Unplaced:
        if f"{name}-marked" in data:
            return str(data[f"{name}-marked"])
        count = data.get(f"{name}-rows", "")
        known = min(int(count), 250) if count.isdecimal() and len(count) < 4 else 0
        rows = tuple(
            row for n in range(known) if (row := self._typed(data, f"{name}-", n)).words.strip()
        )
        is_nothing = f"{name}-nothing" in data
        spans, faults = [], []
        for row in rows:
            found = self._place(row)
            spans += [found] if isinstance(found, MarkedSpan) else []
            faults += [found] if isinstance(found, str) else []
        if is_nothing and rows:
            faults.append("Either some words are marked, or nothing.")
        if faults:
            return Unplaced(rows, is_nothing, " ".join(faults))
        return NOTHING if is_nothing else format_spans(spans) if rows else ""

    def _typed(self, data: Any, prefix: str, n: int) -> SpanRow:
        parts = ("words", "passage", "which", "label", "severity", "place")
        return SpanRow(**{part: data.get(f"{prefix}{part}-{n}", "") for part in parts})

    def _place(self, row: SpanRow) -> MarkedSpan | str:
        """Return the place of a row's words, or an error message."""
        number = int(row.passage) if row.passage.isdecimal() and len(row.passage) < 7 else 0
        text = self.texts.get(number, "")
        begin, _, end = row.place.partition("-")
        if begin.isdecimal() and end.isdecimal() and len(row.place) < 18:
            start, stop = int(begin), int(end)
            if text[start:stop].split() == row.words.split():
                return MarkedSpan(number, start, stop, row.label, row.severity)
        pattern = r"\s+".join(map(re.escape, row.words.split()))
        places = [found.span() for found in re.finditer(pattern, text)]
        shown = f"“{row.words.strip()[:60]}”"
        if not places:
            return f"{shown} does not occur there in these words."
        which = int(row.which) if row.which.isdecimal() and len(row.which) < 5 else 0
        if len(places) > 1 and not 0 < which <= len(places):
            return f"{shown} occurs there {len(places)} times: say which one."
        start, stop = places[which - 1 if len(places) > 1 else 0]
        return MarkedSpan(number, start, stop, row.label, row.severity)


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
    """The answer to one dimension. Only people's choices are offered."""

    note = forms.CharField(required=False, max_length=5_000)
    base = forms.CharField(required=False, max_length=36)

    def __init__(
        self, dimension: Dimension, texts: Mapping[int, str], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        told = {"required": "Choose an answer." if dimension.is_choice else "Give an answer."}
        self.fields["value"] = AnswerField(dimension, texts, on_text=True, error_messages=told)


class AnswerForm(forms.Form):
    text = forms.CharField(
        label="Your answer", max_length=5_000, widget=forms.Textarea(attrs={"rows": 4})
    )
    shared = forms.BooleanField(
        label="Show it to all raters of the batch",
        required=False,
        help_text="With the question, without names. Raters who read it no longer judge this item "
        "independently.",
    )

    def __init__(
        self,
        dimension: Dimension,
        texts: Mapping[int, str],
        *args: Any,
        may_be_example: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        if may_be_example:
            self.fields["value"] = AnswerField(
                dimension,
                texts,
                nothing="No example",
                label="Make it an example in the guidelines",
                help_text="Choose the right answer; your text explains it. Empty: no example.",
            )


class ExampleForm(forms.Form):
    explanation = forms.CharField(
        label="Why it is right",
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="For raters, e.g. “the passage says 2016, the answer says 2018”.",
    )
    field_order = ("value", "explanation")

    def __init__(
        self, dimension: Dimension, texts: Mapping[int, str], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["value"] = AnswerField(dimension, texts, label="The right answer", on_text=True)
        self.order_fields(self.field_order)
