"""Rows of choices in a form: answers, severities, and automatic judges' answers."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from annotate.protocol.answers import Choice
from annotate.protocol.written import MAX_CHOICES

MORE = 3
"""Empty rows below the choices."""


def identifier_from(text: str, most: int) -> str:
    """Return the identifier of a title or a label in files."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:most].strip("_")


@dataclass(slots=True)
class ChoiceInput:
    """One choice as the user typed it."""

    value: str = ""
    label: str = ""
    help: str = ""
    degree: str = ""
    positive: bool = False
    key: str = ""
    errors: list[str] = field(default_factory=list)

    @property
    def is_filled(self) -> bool:
        return bool(self.value or self.label or self.help)


@dataclass(slots=True)
class ChoiceRows:
    """One list of choices, with its name in a protocol file."""

    name: str
    rows: list[ChoiceInput]
    errors: list[str] = field(default_factory=list)

    @property
    def prefix(self) -> str:
        """The prefix of its inputs' names."""
        return "" if self.name == "choices" else f"{self.name}-"

    @property
    def noun(self) -> str:
        return {"choices": "Answer", "severities": "Severity"}.get(self.name, "Automatic answer")

    @property
    def filled(self) -> list[ChoiceInput]:
        return [row for row in self.rows if row.is_filled]

    @property
    def has_faults(self) -> bool:
        return bool(self.errors) or any(row.errors for row in self.rows)

    def as_fields(self) -> list[dict[str, Any]]:
        """Return them in the format of a protocol file. Empty values are made from the labels."""
        for row in self.filled:
            row.value = row.value or identifier_from(row.label, 20)
        named = ("value", "label", "help", "key")
        return [{name: getattr(row, name) for name in named} for row in self.filled]

    def low_to_high(self) -> list[str]:
        """Return the values in the order of the degrees or, without degrees, of the rows."""
        filled = self.filled
        degrees = [row.degree for row in filled]
        if any(degrees) and sorted(degrees) != sorted(str(n + 1) for n in range(len(filled))):
            self.errors.append(
                f"Degrees: expected 1 to {len(filled)}, each once, or none; "
                f"found {', '.join(degree or 'nothing' for degree in degrees)}."
            )
        elif any(degrees):
            filled.sort(key=lambda row: int(row.degree))
        return [row.value for row in filled]


def rows_for(
    name: str,
    choices: Iterable[Choice],
    *,
    order: Sequence[str] = (),
    positive: Collection[str] = (),
) -> ChoiceRows:
    """Return the rows of existing choices, with some empty ones."""
    rows = [
        ChoiceInput(
            one.value,
            one.label,
            one.help,
            str(order.index(one.value) + 1) if one.value in order else "",
            one.value in positive,
            one.key,
        )
        for one in choices
    ]
    more = MORE if rows or name != "choices" else MORE + 1
    return ChoiceRows(name, [*rows, *(ChoiceInput() for _ in range(more))])


def submitted_rows(name: str, data: QueryDict) -> ChoiceRows:
    """Return the rows of a submitted form, after the effect of a row's button."""
    submitted = ChoiceRows(name, [])
    at = submitted.prefix
    count = data.get(f"{at}rows", "")
    known = min(int(count), MAX_CHOICES + MORE) if count.isdecimal() and len(count) < 4 else MORE

    def typed(part: str, n: int) -> str:
        return data.get(f"{at}{part}-{n}", "").strip()

    rows = [
        ChoiceInput(
            value=typed("value", n),
            label=typed("label", n),
            help=typed("help", n),
            degree=typed("degree", n),
            positive=f"{at}positive-{n}" in data,
            key=typed("key", n),
        )
        for n in range(known)
    ]
    button = data.get("row", "")
    submitted.rows = _changed(rows, button.removeprefix(at)) if button.startswith(at) else rows
    return submitted


def _changed(rows: list[ChoiceInput], button: str) -> list[ChoiceInput]:
    """Return the rows after the button `up-2`, `down-2`, `remove-2` or `more`."""
    what, _, number = button.partition("-")
    at = int(number) if number.isdecimal() and len(number) < 4 else 0
    if what == "more":
        rows += [ChoiceInput() for _ in range(MORE)]
    elif at < len(rows) and what == "remove":
        del rows[at]
    elif what in {"up", "down"}:
        to = at - 1 if what == "up" else at + 1
        if 0 <= to < len(rows) > at:
            rows[at], rows[to] = rows[to], rows[at]
    return rows
