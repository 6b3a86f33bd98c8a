"""Forms for uploads and for the column mappings of tables."""

from collections.abc import Mapping
from itertools import chain
from typing import Any, get_args

from django import forms

from annotate.formats import formats_listed
from annotate.formats.records import JudgeKind
from annotate.formats.tables.mapping import (
    ABOUT,
    TARGETS,
    VALUE,
    ColumnMapping,
    MappingError,
    Rows,
    mapping_in,
    mapping_of,
)
from annotate.formats.tables.sampling import MOST_VALUES
from annotate.models import Upload

MAPPING_BYTES = 1_000_000

_MODES = [
    ("auto", "As the file suggests"),
    ("sentences", "Sentences"),
    ("list", "List of entities (QAMPARI)"),
]


def format_choices() -> list[tuple[str, str]]:
    """Return all formats, and the choice to recognise it."""
    return [("", "Detect automatically"), *((each.key, each.title) for each in formats_listed())]


def accepted() -> str:
    """Return the file name extensions that a browser offers."""
    ends = (end for each in formats_listed() for end in each.extensions)
    return ",".join(dict.fromkeys(ends))


class UploadForm(forms.Form):
    file = forms.FileField(
        label="File",
        help_text="JSON, JSON Lines, CSV, Parquet, Arrow, Excel or a zip of tables; the format is "
        "recognised from its content.",
        error_messages={"empty": "This file is empty."},
    )
    passages = forms.FileField(
        label="Passages file",
        required=False,
        help_text="Texts by id or URL, for files that only name their passages.",
    )
    system = forms.CharField(
        label="System",
        max_length=200,
        required=False,
        help_text="Where the file does not name it. Empty: as the file suggests. Of TREC's "
        "judgments, the judge.",
    )
    run = forms.CharField(
        max_length=100, required=False, help_text="Seed or name of the run, if you have several."
    )
    mode = forms.ChoiceField(label="Divide answers into", choices=_MODES, initial="auto")
    format = forms.ChoiceField(choices=format_choices, required=False)
    mapping = forms.FileField(
        label="Mapping of columns",
        required=False,
        help_text="Of a table: a mapping that was saved as a file. Without it a page asks.",
        widget=forms.ClearableFileInput(attrs={"accept": ".json"}),
    )

    def clean_mapping(self) -> ColumnMapping | None:
        """Return the mapping in the file, if there is one."""
        file = self.cleaned_data["mapping"]
        if not file:
            return None
        if file.size > MAPPING_BYTES:
            raise forms.ValidationError(f"A mapping has at most {MAPPING_BYTES:,} bytes.")
        try:
            return mapping_in(file.read())
        except MappingError as error:
            raise forms.ValidationError(str(error)) from None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].widget.attrs["accept"] = accepted()


class UploadNamesForm(forms.Form):
    system = forms.CharField(label="System", max_length=200, required=False)
    run = forms.CharField(max_length=100, required=False)
    mode = forms.ChoiceField(label="Divide answers into", choices=_MODES)


GIVEN: Mapping[Rows, tuple[str, ...]] = {
    "outputs": ("dataset", "language"),
    "judgments": ("dimension", "unit", "judge", "judge_kind", "system", "run"),
}
"""Fields that may have one value for all rows. For responses, the upload has system and run."""


class MappingForm(UploadNamesForm):
    """One choice for each column, and fields for values without a column. `mapping` is the
    current mapping."""

    passages = UploadForm.base_fields["passages"]

    def __init__(
        self, upload: Upload, before: ColumnMapping, data: Any = None, files: Any = None
    ) -> None:
        initial = {"system": upload.system, "run": upload.run, "mode": upload.mode}
        super().__init__(data, files, initial=initial)
        self.before = before
        self.table = (upload.columns or {}).get("columns", [])
        choices = [(target.key, target.title) for target in TARGETS[before.rows].values()]
        for n, column in enumerate(self.table):
            self.fields[f"column-{n}"] = forms.ChoiceField(
                label=column["name"],
                choices=choices,
                required=False,
                initial=before.columns.get(column["name"], ""),
            )
        if before.rows == "judgments":
            for name in ("system", "run", "mode", "passages"):
                del self.fields[name]
        for name in GIVEN[before.rows]:
            self.fields[f"given-{name}"] = self._given(upload, name, before.given.get(name, ""))
        for n, column in self._columns_of_values:
            for name in ABOUT:
                field = self._given(upload, name, before.about.get(column, {}).get(name, ""))
                field.widget.attrs["form"] = "mapping-form"
                self.fields[f"about-{n}-{name}"] = field
        for n, value in enumerate(self.values):
            self.fields[f"value-{n}"] = forms.CharField(
                label=value,
                required=False,
                max_length=200,
                initial=before.values.get(value, ""),
                widget=forms.TextInput(attrs={"form": "mapping-form"}),
            )

    def _given(self, upload: Upload, name: str, initial: str) -> forms.Field:
        target = TARGETS[self.before.rows][name]
        kept: dict[str, Any] = {
            "label": target.title,
            "required": False,
            "initial": initial,
        }
        if name == "dimension":
            asked = [(key, one.title) for key, one in upload.study.protocol.items()]
            return forms.ChoiceField(choices=[("", "From a column"), *asked], **kept)
        if name == "judge_kind":
            kinds = [(kind, kind) for kind in get_args(JudgeKind)]
            return forms.ChoiceField(choices=[("", "From a column"), *kinds], **kept)
        return forms.CharField(max_length=200, help_text=target.help, **kept)

    @property
    def values(self) -> list[str]:
        """The values in the value columns, if they are few enough to translate."""
        if self.before.rows != "judgments":
            return []
        chosen = self.chosen
        held = [
            column.get("values", []) for column in self.table if chosen[column["name"]] == VALUE
        ]
        every = [*dict.fromkeys(chain(*held))]
        return every if all(held) and len(every) <= MOST_VALUES else []

    @property
    def _columns_of_values(self) -> list[tuple[int, str]]:
        """The value columns, if there are several."""
        chosen = self.chosen
        names = [column["name"] for column in self.table]
        found = [(n, name) for n, name in enumerate(names) if chosen[name] == VALUE]
        return found if len(found) > 1 else []

    @property
    def chosen(self) -> dict[str, str]:
        """The field of each column, as sent or else as before."""
        return {
            column["name"]: self.data.get(f"column-{n}", "")
            if self.is_bound
            else self.before.columns.get(column["name"], "")
            for n, column in enumerate(self.table)
        }

    @property
    def rows(self) -> list[tuple[dict[str, Any], forms.BoundField]]:
        """Each column with its choice."""
        return [(column, self[f"column-{n}"]) for n, column in enumerate(self.table)]

    @property
    def given(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("given-")]

    @property
    def about(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The value columns, if there are several, with what each is about."""
        return [
            (column, [self[f"about-{n}-{name}"] for name in ABOUT])
            for n, column in self._columns_of_values
        ]

    @property
    def meanings(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("value-")]

    @property
    def mapping(self) -> ColumnMapping:
        """The current mapping. Required fields may be missing."""
        said = self.data if self.is_bound else {}
        columns = self.chosen
        given, values = dict(self.before.given), dict(self.before.values)
        about: dict[str, Mapping[str, str]] = dict(self.before.about)
        if self.is_bound:
            given = {
                name: said.get(f"given-{name}", "").strip() for name in GIVEN[self.before.rows]
            }
            texts = ((value, said.get(f"value-{n}", "")) for n, value in enumerate(self.values))
            values = {value: text.strip() for value, text in texts}
            about = {
                column: {name: said.get(f"about-{n}-{name}", "").strip() for name in ABOUT}
                for n, column in self._columns_of_values
            }
        return ColumnMapping(
            rows=self.before.rows,
            columns=columns,
            given={k: v for k, v in given.items() if v and k not in columns.values()},
            values={value: text for value, text in values.items() if text},
            about={
                column: {k: v for k, v in one.items() if v and k not in columns.values()}
                for column, one in about.items()
            },
        )

    def clean(self) -> dict[str, Any]:
        super().clean()
        try:
            mapping_of(self.mapping.as_json())
        except MappingError as error:
            self.add_error(None, str(error))
        return self.cleaned_data
