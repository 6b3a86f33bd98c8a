"""Rows of a form in which choices are typed: answers, severities, what automatic judges say."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from annotate.protocol.answers import Choice
from annotate.protocol.written import MAX_CHOICES

MORE = 3
"""Empty rows that wait for another choice."""


def as_name(text: str, most: int) -> str:
    """What a title or a label is called in files."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:most].strip("_")


@dataclass(slots=True)
class TypedChoice:
    """One choice as it is typed."""

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
    """One list of choices, by the name that it has in a protocol file."""

    name: str
    rows: list[TypedChoice]
    errors: list[str] = field(default_factory=list)

    @property
    def prefix(self) -> str:
        """Before the names of its inputs."""
        return "" if self.name == "choices" else f"{self.name}-"

    @property
    def noun(self) -> str:
        return {"choices": "Answer", "severities": "Severity"}.get(self.name, "Automatic answer")

    @property
    def filled(self) -> list[TypedChoice]:
        return [row for row in self.rows if row.is_filled]

    @property
    def has_faults(self) -> bool:
        return bool(self.errors) or any(row.errors for row in self.rows)

    def as_fields(self) -> list[dict[str, Any]]:
        """As a protocol file says them; a value that was left empty is made of the label."""
        for row in self.filled:
            row.value = row.value or as_name(row.label, 20)
        named = ("value", "label", "help", "key")
        return [{name: getattr(row, name) for name in named} for row in self.filled]

    def low_to_high(self) -> list[str]:
        """As the degrees say, or where none is given, as the choices stand."""
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


def rows_of(
    name: str,
    choices: Iterable[Choice],
    *,
    order: Sequence[str] = (),
    positive: Collection[str] = (),
) -> ChoiceRows:
    """Choices that are there, to be changed."""
    rows = [
        TypedChoice(
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
    return ChoiceRows(name, [*rows, *(TypedChoice() for _ in range(more))])


def rows_typed(name: str, data: QueryDict) -> ChoiceRows:
    """Choices as somebody typed them, moved as a button beside one asks."""
    found = ChoiceRows(name, [])
    at = found.prefix
    count = data.get(f"{at}rows", "")
    known = min(int(count), MAX_CHOICES + MORE) if count.isdecimal() and len(count) < 4 else MORE

    def typed(part: str, n: int) -> str:
        return data.get(f"{at}{part}-{n}", "").strip()

    rows = [
        TypedChoice(
            value=typed("value", n),
            label=typed("label", n),
            help=typed("help", n),
            degree=typed("degree", n),
            positive=f"{at}positive-{n}" in data,
            key=typed("key", n),
        )
        for n in range(known)
    ]
    wish = data.get("row", "")
    found.rows = _moved(rows, wish.removeprefix(at)) if wish.startswith(at) else rows
    return found


def _moved(rows: list[TypedChoice], wish: str) -> list[TypedChoice]:
    """As a button beside a row asks: `up-2`, `down-2`, `remove-2`, or `more` of them."""
    what, _, number = wish.partition("-")
    at = int(number) if number.isdecimal() and len(number) < 4 else 0
    if what == "more":
        rows += [TypedChoice() for _ in range(MORE)]
    elif at < len(rows) and what == "remove":
        del rows[at]
    elif what in {"up", "down"}:
        to = at - 1 if what == "up" else at + 1
        if 0 <= to < len(rows) > at:
            rows[at], rows[to] = rows[to], rows[at]
    return rows
