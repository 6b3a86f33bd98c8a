"""The form that says which column of a table is what."""

from collections.abc import Mapping
from itertools import chain
from typing import Any, get_args

from django import forms

from annotate.formats.records import JudgeKind
from annotate.formats.tables.mapping import (
    ABOUT,
    TARGETS,
    VALUE,
    ColumnMapping,
    MappingError,
    Rows,
    mapping_of,
)
from annotate.formats.tables.sampling import MOST_VALUES
from annotate.models import Upload
from annotate.uploads.forms.uploads import UploadForm, UploadNamesForm

GIVEN: Mapping[Rows, tuple[str, ...]] = {
    "outputs": ("dataset", "language"),
    "judgments": ("dimension", "unit", "judge", "judge_kind", "system", "run"),
}
"""The fields that may be alike in every row; of responses, system and run are the upload's."""


class MappingForm(UploadNamesForm):
    """One choice for each column, and what no column says. `mapping` is what it says so far."""

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
            return forms.ChoiceField(choices=[("", "As a column says"), *asked], **kept)
        if name == "judge_kind":
            kinds = [(kind, kind) for kind in get_args(JudgeKind)]
            return forms.ChoiceField(choices=[("", "As a column says"), *kinds], **kept)
        return forms.CharField(max_length=200, help_text=target.help, **kept)

    @property
    def values(self) -> list[str]:
        """What the columns of values hold, where that is little enough to say what it means."""
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
        """Where there are several: what each is about is asked."""
        chosen = self.chosen
        names = [column["name"] for column in self.table]
        found = [(n, name) for n, name in enumerate(names) if chosen[name] == VALUE]
        return found if len(found) > 1 else []

    @property
    def chosen(self) -> dict[str, str]:
        """Column -> field, as sent, else as before."""
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
        """The columns of values, where there are several, with what each is about."""
        return [
            (column, [self[f"about-{n}-{name}"] for name in ABOUT])
            for n, column in self._columns_of_values
        ]

    @property
    def meanings(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("value-")]

    @property
    def mapping(self) -> ColumnMapping:
        """What is said, though fields may be missing."""
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
