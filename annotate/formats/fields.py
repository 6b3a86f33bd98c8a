"""Read a JSON object field by field, and collect its problems."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotate.formats.limits import NAME_CHARS, RAISE_PASSAGES, Limits
from annotate.formats.problems import listed, shown
from annotate.formats.records import Problem, Where

LARGEST_NUMBER = 2**53 - 1
"""JSON libraries disagree about whole numbers above this."""

_ABSENT = object()


class Fields:
    """The fields of one object. `rest` returns the fields that were not read."""

    def __init__(
        self,
        members: Mapping[str, Any],
        where: Where,
        problems: list[Problem],
        *,
        prefix: str = "",
    ) -> None:
        self.where = where
        self.problems = problems
        self._members = members
        self._prefix = prefix
        self._taken: set[str] = set()

    @classmethod
    def of(cls, value: Any, where: Where, problems: list[Problem]) -> "Fields | None":
        """Return the fields of a whole record; add a problem if it is not an object."""
        if isinstance(value, dict):
            return cls(value, where, problems)
        problems.append(Problem(where, "an object", shown(value)))
        return None

    def complain(self, name: str, expected: str, found: str, advice: str = "") -> None:
        """Add a problem with a field of this object."""
        place = self.where.at(self._path(name))
        self.problems.append(Problem(place, expected, found, advice))

    def _path(self, name: str) -> str:
        return f"{self._prefix}.{name}" if self._prefix and name else self._prefix or name

    def has(self, name: str) -> bool:
        """Return whether the field is present and not null."""
        return self._members.get(name) is not None

    def absent(self, name: str) -> bool:
        """Return whether the field is missing. Null counts as present."""
        return name not in self._members

    def take(self, name: str) -> Any:
        """Return the raw value of a field; None if it is absent."""
        self._taken.add(name)
        return self._members.get(name)

    def text(self, name: str, *, blank: bool = True) -> str:
        """Return a required text. With `blank=False`, it must have more than white space."""
        value = self._required(name, "a text")
        if value is _ABSENT:
            return ""
        if not isinstance(value, str):
            self.complain(name, "a text", shown(value))
            return ""
        if not blank and not value.strip():
            self.complain(name, "a text that is not blank", shown(value))
        return value

    def optional_text(self, name: str) -> str:
        """Return a text; empty if it is absent."""
        return self.text(name) if self._present(name) else ""

    def name(
        self,
        name: str,
        *,
        longest: int = NAME_CHARS,
        required: bool = False,
        blank: bool = False,
    ) -> str:
        """Return an identifier: a short text, or a whole number as a text."""
        if not required and not self._present(name):
            return ""
        value = self._members.get(name)
        if isinstance(value, str) and len(value) <= longest:
            self._taken.add(name)
            if required and not blank and not value.strip():
                self.complain(name, "an id that is not blank", shown(value))
            return value
        expected = f"a text of at most {longest} characters or a whole number"
        value = self._required(name, expected)
        if value is _ABSENT:
            return ""
        number = whole_number(value)
        if number is not None and abs(number) <= LARGEST_NUMBER:
            return str(number)
        found = f"{len(value):,} characters" if isinstance(value, str) else shown(value)
        self.complain(name, expected, found)
        return ""

    def object(self, name: str) -> dict[str, Any]:
        """Return an object; empty if it is absent."""
        if not self._present(name):
            return {}
        value = self._members[name]
        if isinstance(value, dict):
            return value
        self.complain(name, "an object", shown(value))
        return {}

    def inside(self, name: str) -> "Fields":
        """Return the fields of a nested object; empty if it is absent."""
        return Fields(self.object(name), self.where, self.problems, prefix=self._path(name))

    def items(self, name: str, *, required: bool = True) -> list[Any]:
        """Return a list."""
        if not required and not self._present(name):
            return []
        value = self._required(name, "a list")
        if value is _ABSENT:
            return []
        if isinstance(value, list):
            return value
        self.complain(name, "a list", shown(value))
        return []

    def objects(self, name: str, *, required: bool = True) -> "Iterator[Fields]":
        """Yield the objects of a list as fields."""
        for index, value in enumerate(self.items(name, required=required)):
            if isinstance(value, dict):
                place = self._path(f"{name}[{index}]")
                yield Fields(value, self.where, self.problems, prefix=place)
            else:
                self.complain(f"{name}[{index}]", "an object", shown(value))

    def passages(self, name: str, limits: Limits) -> "list[Fields]":
        """Return the objects of a list of passages, unless there are too many."""
        self._taken.add(name)
        return list(self.objects(name)) if self.is_short(name, limits) else []

    def is_short(self, name: str, limits: Limits) -> bool:
        """Return whether a list has at most as many passages as a response may have."""
        value = self._members.get(name)
        if not isinstance(value, list) or len(value) <= limits.max_passages:
            return True
        expected = f"at most {limits.max_passages:,} passages"
        self.complain(name, expected, f"{len(value):,}", RAISE_PASSAGES)
        return False

    def rest(self) -> dict[str, Any]:
        """Return the fields that were not read."""
        return {k: v for k, v in self._members.items() if k not in self._taken}

    def _present(self, name: str) -> bool:
        self._taken.add(name)
        return self._members.get(name) is not None

    def _required(self, name: str, expected: str) -> Any:
        self._taken.add(name)
        value = self._members.get(name, _ABSENT)
        if value is _ABSENT:
            fields = listed(self._members) if self._members else "none"
            self.complain(name, expected, f"no such field (fields: {fields})")
        return value


def whole_number(value: Any) -> int | None:
    """Return the value as an integer, or None. In JSON, 2 and 2.0 are the same."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None


def merged(metadata: Mapping[str, Any], unknown: Mapping[str, Any]) -> dict[str, Any]:
    """Merge metadata and unknown fields. A duplicate name gets an underscore."""
    together = dict(metadata)
    for key, value in unknown.items():
        while key in together:
            key += "_"
        together[key] = value
    return together
