"""A JSON object taken apart field by field; whatever is wrong with it becomes a problem."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotate.formats.limits import NAME_CHARS, RAISE_PASSAGES, Limits
from annotate.formats.problems import listed, shown
from annotate.formats.records import Problem, Where

LARGEST_NUMBER = 2**53 - 1
"""Whole numbers beyond it are not the same in every JSON library."""

_ABSENT = object()


class Fields:
    """The fields of one object. `rest` gives those that nobody asked for, to be kept."""

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
        """The fields of a whole record, or a problem where it is no object."""
        if isinstance(value, dict):
            return cls(value, where, problems)
        problems.append(Problem(where, "an object", shown(value)))
        return None

    def complain(self, name: str, expected: str, found: str, advice: str = "") -> None:
        """Notes a problem with a field of this object."""
        place = self.where.at(self._path(name))
        self.problems.append(Problem(place, expected, found, advice))

    def _path(self, name: str) -> str:
        return f"{self._prefix}.{name}" if self._prefix and name else self._prefix or name

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self._members.get(name) is not None

    def absent(self, name: str) -> bool:
        """Whether the field is not there at all, not even as null."""
        return name not in self._members

    def take(self, name: str) -> Any:
        """The raw value of a field, None where it is absent."""
        self._taken.add(name)
        return self._members.get(name)

    def text(self, name: str, *, blank: bool = True) -> str:
        """A text that must be there; with `blank=False` it must hold more than white space."""
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
        """A text, or nothing."""
        return self.text(name) if self._present(name) else ""

    def name(
        self,
        name: str,
        *,
        longest: int = NAME_CHARS,
        required: bool = False,
        blank: bool = False,
    ) -> str:
        """An identifier: a short text, or a whole number written out as one."""
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
        """An object, or nothing."""
        if not self._present(name):
            return {}
        value = self._members[name]
        if isinstance(value, dict):
            return value
        self.complain(name, "an object", shown(value))
        return {}

    def inside(self, name: str) -> "Fields":
        """The fields of an object; none where there is no such object."""
        return Fields(self.object(name), self.where, self.problems, prefix=self._path(name))

    def items(self, name: str, *, required: bool = True) -> list[Any]:
        """A list."""
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
        """The objects of a list, each as its own fields."""
        for index, value in enumerate(self.items(name, required=required)):
            if isinstance(value, dict):
                place = self._path(f"{name}[{index}]")
                yield Fields(value, self.where, self.problems, prefix=place)
            else:
                self.complain(f"{name}[{index}]", "an object", shown(value))

    def passages(self, name: str, limits: Limits) -> "list[Fields]":
        """The objects of a list of passages, when there are not too many."""
        self._taken.add(name)
        return list(self.objects(name)) if self.is_short(name, limits) else []

    def is_short(self, name: str, limits: Limits) -> bool:
        """Whether what is under a name is no list of more passages than a response may have."""
        value = self._members.get(name)
        if not isinstance(value, list) or len(value) <= limits.max_passages:
            return True
        expected = f"at most {limits.max_passages:,} passages"
        self.complain(name, expected, f"{len(value):,}", RAISE_PASSAGES)
        return False

    def rest(self) -> dict[str, Any]:
        """The fields that were not asked for."""
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
    """The value as an integer, where it is one; JSON does not tell 2 from 2.0."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None


def merged(metadata: Mapping[str, Any], unknown: Mapping[str, Any]) -> dict[str, Any]:
    """Given metadata and unknown fields together; a name used by both gets an underscore."""
    together = dict(metadata)
    for key, value in unknown.items():
        while key in together:
            key += "_"
        together[key] = value
    return together
