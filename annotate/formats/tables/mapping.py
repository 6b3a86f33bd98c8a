"""A column mapping: the field of Attest that each column of a table holds.

It is stored with an upload, offered again for a file with the same columns, and written as a small
JSON file for commands and programs.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from annotate.formats.judgment_fields import CLAIM, COUNTED, REQUIRED, STANDING
from annotate.formats.judgment_fields import VERSION as VERSION_OF_WORDS
from annotate.formats.limits import LONG_NAME_CHARS
from annotate.formats.problems import listed, quoted, shown

Rows = Literal["outputs", "judgments"]
SIGN, VERSION = "attest_mapping", 1
MOST_COLUMNS = 1_000

METADATA, LEFT_OUT, VALUE = "metadata", "", "value"

ABOUT = ("dimension", "judge", "unit")
"""Fields that may differ between columns of values."""

SINGLE_VALUE_FIELDS = ("score", "skipped_reason", "seconds", CLAIM, VERSION_OF_WORDS)
"""Fields that belong to a single column of values."""


@dataclass(frozen=True, slots=True)
class Target:
    """A field for a column. With `many`, several columns may hold it."""

    key: str
    title: str
    help: str
    many: bool = False
    required: bool = False


def _by_key(*targets: Target) -> dict[str, Target]:
    return {target.key: target for target in targets}


TARGETS: Final[Mapping[Rows, Mapping[str, Target]]] = {
    "outputs": _by_key(
        Target("question", "Question", "Its text.", required=True),
        Target(
            "output", "Answer", "What the system wrote, with its marks as [1].", required=True
        ),
        Target("passage", "Passages", "A list of passages, or one in each of several columns.",
               many=True),
        Target("passage_title", "Titles of passages", "As many as passages.", many=True),
        Target("passage_id", "Ids of passages", "In addition to passages; without passages, texts "
                                                "come from the passages file.", many=True),
        Target("passage_url", "Addresses of passages", "As many as passages.", many=True),
        Target("question_id", "Question's id", "The same in all files about it."),
        Target("system", "System", "Its name; else the one given for the file."),
        Target("run", "Run", "Seed or name of the run."),
        Target("reference", "Reference answer", "A text, or a list of accepted answers."),
        Target("claims", "Reference claims", "A list of texts."),
        Target("language", "Language", "The code of the answer's language."),
        Target("dataset", "Data set", "Which data set the question is from."),
        Target("citations", "Citations", "A list of places: start, end and the passages' numbers."),
        Target("statements", "Statements", "The answer as it is divided: a list of texts with the "
               "numbers of passages."),
        Target("is_list", "Is a list", "Whether the answer is a list of entities."),
        Target("question_metadata", "About the question", "Kept with the question.", many=True),
        Target(METADATA, "Kept as metadata", "Of the response.", many=True),
        Target(LEFT_OUT, "Left out", "Not read.", many=True),
    ),
    "judgments": _by_key(
        Target("question_id", "Question's id", "Which question.", required=True),
        Target("system", "System", "Which system's response.", required=True),
        Target("run", "Run", "Which run of it."),
        Target("unit", "Unit", "r, s1, s1.c2 …", required=True),
        Target("dimension", "Dimension", "The key of the question that was asked.", required=True),
        Target("judge", "Judge", "Who judged.", required=True),
        Target("judge_kind", "Kind of judge", "human, automatic …", required=True),
        Target(VALUE, "Value", "The answer; several columns for several answers.", many=True),
        Target("score", "Score", "A number from 0 to 1."),
        Target("skipped_reason", "Reason", "Why there is no value."),
        Target("seconds", "Seconds", "The time that it took."),
        Target("note", "Note", "Any text."),
        Target("created", "Time", "Date and time."),
        Target("other_system", "Other system", "Of a pair."),
        Target("other_run", "Other run", "Of a pair."),
        Target(STANDING, "Standing", "Of the rater: active, paused or excluded."),
        Target(COUNTED, "Counted", "Whether the answer counts: yes, unfinished or excluded."),
        Target(CLAIM, "Claim", "That a person wrote, as JSON."),
        Target(VERSION_OF_WORDS, "Version", "Which wording of the question was answered."),
        Target(LEFT_OUT, "Left out", "Not read.", many=True),
    ),
}  # fmt: skip
assert {key for key, each in TARGETS["judgments"].items() if each.required} == set(REQUIRED)

FORMAT_OF: Final[Mapping[Rows, str]] = {"outputs": "table", "judgments": "table-judgments"}


class MappingError(ValueError):
    """A mapping that cannot be used, with a message for its author."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ColumnMapping:
    """Which column is which field.

    `columns` names the field of each column; the default is metadata of a response, or left out of
    a judgment. `given` fills fields without a column with the same value in every row. `values`
    translates values of the value columns, and `about` says what each value column is about.
    """

    rows: Rows
    columns: Mapping[str, str]
    given: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def format(self) -> str:
        return FORMAT_OF[self.rows]

    def of(self, target: str) -> tuple[str, ...]:
        """Return the columns with this field, in order."""
        return tuple(column for column, key in self.columns.items() if key == target)

    def one(self, target: str) -> str | None:
        return next(iter(self.of(target)), None)

    def missing(self) -> list[Target]:
        """Return the required fields that nothing fills."""
        filled = {*self.columns.values(), *self.given, *self._about_every_column()}
        return [
            each for each in TARGETS[self.rows].values() if each.required and each.key not in filled
        ]

    def _about_every_column(self) -> set[str]:
        """Return the fields that `about` fills for every value column."""
        said = [
            {key for key, text in self.about.get(c, {}).items() if text} for c in self.of(VALUE)
        ]
        return set.intersection(*said) if said else set()

    def fits(self, columns: Iterable[str]) -> bool:
        """Return whether the mapping was made for these columns."""
        return set(self.columns) == set(columns)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON value that `mapping_of` reads."""
        about = {column: dict(said) for column, said in self.about.items()}
        more = {"given": dict(self.given), "values": dict(self.values), "about": about}
        return {
            SIGN: VERSION,
            "rows": self.rows,
            "columns": dict(self.columns),
            **{key: value for key, value in more.items() if value},
        }


def mapping_of(value: Any, *, whole: bool = True) -> ColumnMapping:
    """Return the mapping in a JSON value, or raise `MappingError`. Unless `whole`, required
    fields may be missing, as in a guess."""
    if not isinstance(value, dict) or value.get(SIGN) != VERSION:
        raise MappingError(f"Expected an object with {SIGN}: {VERSION}, found {shown(value)}.")
    if others := value.keys() - {SIGN, "rows", "columns", "given", "values", "about"}:
        raise MappingError(
            f"Expected the keys {SIGN}, rows, columns, given, values and about, found "
            f"{listed(others)}."
        )
    rows: Rows | None = next((key for key in TARGETS if key == value.get("rows")), None)
    if rows is None:
        raise MappingError(
            f"rows: expected {' or '.join(TARGETS)}, found {shown(value.get('rows'))}."
        )
    texts = {name: _texts(name, value.get(name, {})) for name in ("columns", "given", "values")}
    about = value.get("about", {})
    if not isinstance(about, dict) or len(about) > MOST_COLUMNS:
        raise MappingError(f"about: expected an object of objects, found {shown(about)}.")
    said = {column: _texts("about", one) for column, one in about.items()}
    mapping = ColumnMapping(rows=rows, **texts, about=said)
    _check(mapping)
    _check_about(mapping)
    if whole and (missing := mapping.missing()):
        names = ", ".join(f"{each.key} ({each.title.lower()})" for each in missing)
        raise MappingError(f"columns: expected a column for {names}, found none.")
    return mapping


def mapping_in(text: str | bytes) -> ColumnMapping:
    """Return the mapping in a file."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MappingError(f"Expected a mapping as JSON, found something else ({error}).") from None
    return mapping_of(value)


def _texts(name: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or len(value) > MOST_COLUMNS:
        raise MappingError(f"{name}: expected an object of texts, found {shown(value)}.")
    for key, text in value.items():
        if not isinstance(text, str):
            raise MappingError(f"{name}: expected a text for {quoted(key)}, found {shown(text)}.")
        for one in (key, text):
            if len(one) > LONG_NAME_CHARS or "\0" in one:
                raise MappingError(
                    f"{name}: expected texts of at most {LONG_NAME_CHARS} characters without NUL, "
                    f"found {quoted(one)}."
                )
    return value


def _check(mapping: ColumnMapping) -> None:
    targets = TARGETS[mapping.rows]
    for column, key in mapping.columns.items():
        if key not in targets:
            known = ", ".join(filter(None, targets))
            raise MappingError(
                f"columns: expected for {quoted(column)} one of {known} or an empty text, found "
                f"{quoted(key)}."
            )
    for key, target in targets.items():
        columns = mapping.of(key)
        if len(columns) > 1 and not target.many:
            raise MappingError(f"columns: expected one column for {key}, found {listed(columns)}.")
        if columns and key in mapping.given:
            raise MappingError(f"given: expected a column or one value for {key}, found both.")
    for key in mapping.given:
        if key not in targets or (targets[key].many and key != VALUE):
            raise MappingError(f"given: expected a field that is one text, found {quoted(key)}.")


def _check_about(mapping: ColumnMapping) -> None:
    values = mapping.of(VALUE)
    for column, said in mapping.about.items():
        if column not in values:
            raise MappingError(f"about: expected a column of values, found {quoted(column)}.")
        for key in said:
            if key not in ABOUT:
                raise MappingError(f"about: expected {listed(ABOUT)}, found {quoted(key)}.")
            if mapping.of(key):
                raise MappingError(f"about: expected a column for {key} or this, found both.")
    beside = [key for key in SINGLE_VALUE_FIELDS if len(values) > 1 and mapping.of(key)]
    if beside:
        raise MappingError(f"columns: expected one column of values with {beside[0]}, found "
                           f"{listed(values)}.")  # fmt: skip
