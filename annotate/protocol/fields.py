"""Read the fields of YAML files and collect faults with their line and field.

Only plain data is allowed: no tags and no anchors. Values are read as text, so `yes` is an answer
and not a boolean.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from re import compile as pattern
from typing import Any, get_args

import yaml

from annotate.protocol.dimensions import KEY

MAX_CHARS = 400_000
MAX_TEXT = 2_000

_DECIMAL = pattern(r"-?[0-9]{1,9}(\.[0-9]{1,6})?\Z")
_SHARE = pattern(r"(0|[1-9][0-9]{0,3})(\.[0-9]{1,4})?\Z")
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C implementation if it is installed."""

_DEEPEST = 20
"""The composer is recursive, so a much deeper file would crash the process."""
_OPENING = (
    yaml.BlockSequenceStartToken,
    yaml.BlockMappingStartToken,
    yaml.FlowSequenceStartToken,
    yaml.FlowMappingStartToken,
)
_CLOSING = (yaml.BlockEndToken, yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken)


@dataclass(frozen=True, slots=True)
class FileFault:
    """A fault of a protocol file."""

    line: int
    field: str
    expected: str
    found: str

    def __str__(self) -> str:
        place = f"line {self.line}, {self.field}" if self.field else f"line {self.line}"
        return f"{place}: expected {self.expected}; found {self.found}."


class NotAProtocol(Exception):  # noqa: N818  (it says what the file is not)
    """A file that cannot be used, with all its `faults` in the order of lines."""

    def __init__(self, faults: Sequence[FileFault]) -> None:
        self.faults = sorted(faults, key=lambda fault: fault.line)
        super().__init__("\n".join(map(str, self.faults)))


def tree(text: str) -> yaml.MappingNode:
    """Return the fields of a file with their lines; raise `NotAProtocol`."""
    try:
        depth = 0
        for token in yaml.scan(text, Loader=Loader):
            depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
            if depth > _DEEPEST:
                expected = f"at most {_DEEPEST} lists and fields within each other"
                raise NotAProtocol([FileFault(token.start_mark.line + 1, "", expected, "more")])
            if isinstance(token, yaml.AnchorToken | yaml.AliasToken | yaml.TagToken):
                found = "an anchor, an alias or a tag"
                raise NotAProtocol([FileFault(token.start_mark.line + 1, "", "plain data", found)])
        root = yaml.compose(text, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        found = error.problem or "something else"
        raise NotAProtocol([FileFault(line, "", "YAML", found)]) from error
    except (yaml.YAMLError, UnicodeError) as error:
        found = str(error).partition("\n")[0]
        raise NotAProtocol([FileFault(1, "", "YAML", found)]) from error
    if not isinstance(root, yaml.MappingNode):
        raise NotAProtocol([FileFault(1, "", "fields such as “protocol: mine”", _shown(root))])
    return root


class YamlFields:
    """The fields of one object of a file, read one by one."""

    def __init__(self, node: yaml.MappingNode, path: str, faults: list[FileFault]) -> None:
        self.line = node.start_mark.line + 1
        self.path = path
        self.faults = faults
        self._nodes: dict[str, yaml.Node] = {}
        self._lines: dict[str, int] = {}
        self._asked: set[str] = set()
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            line = key.start_mark.line + 1
            if not name:
                faults.append(FileFault(line, path, "the name of a field", _shown(key)))
            elif name in self._nodes:
                faults.append(FileFault(line, self._field(name), "each field once", "it again"))
            else:
                self._nodes[name], self._lines[name] = value, line

    def _field(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def line_of(self, name: str) -> int:
        """Return the line of a field, or of the object without it."""
        return self._lines.get(name, self.line)

    def complain(self, name: str, expected: str, found: str) -> None:
        self.faults.append(FileFault(self.line_of(name), self._field(name), expected, found))

    def _take(self, name: str) -> yaml.Node | None:
        self._asked.add(name)
        return self._nodes.get(name)

    def text(self, name: str, *, required: bool = False, most: int = MAX_TEXT) -> str:
        node = self._take(name)
        if node is None:
            if required:
                self.complain(name, "a text", "nothing")
            return ""
        if not isinstance(node, yaml.ScalarNode):
            self.complain(name, "a text", _shown(node))
            return ""
        value = str(node.value)
        if required and not value.strip():
            self.complain(name, "a text", "nothing")
        if len(value) > most or "\0" in value:
            self.complain(name, f"at most {most:,} characters", f"{len(value):,}")
        return value

    def name(self, name: str) -> str:
        value = self.text(name, required=True)
        if value.strip() and not KEY.match(value):
            self.complain(name, "a-z, then at most 23 of a-z, 0-9 and _", f"“{value[:60]}”")
        return value

    def number(self, name: str, low: int, high: int, *, default: int | None = None) -> int:
        if self._take(name) is None and default is not None:
            return default
        value = self.text(name, required=True)
        if value.isascii() and value.isdigit() and low <= int(value[:9]) <= high:
            return int(value)
        if value.strip():
            expected = f"a whole number from {low:,} to {high:,}"
            self.complain(name, expected, f"“{value[:60]}”")
        return low

    def decimal(self, name: str, *, required: bool = False) -> float:
        if self._take(name) is None and not required:
            return 0.0
        value = self.text(name, required=True)
        if _DECIMAL.match(value):
            return float(value)
        if value.strip():
            self.complain(name, "a number such as 100 or -0.5", f"“{value[:60]}”")
        return 0.0

    def flag(self, name: str) -> bool:
        value = self.text(name) or "no"
        if value not in {"yes", "no", "true", "false"}:
            self.complain(name, "yes or no", f"“{value[:60]}”")
        return value in {"yes", "true"}

    def has(self, name: str) -> bool:
        return name in self._nodes

    def share(self, name: str, *, required: bool = False, most: int = 1) -> float | None:
        """Return a number from 0 to 1 or to `most`."""
        if self._take(name) is None and not required:
            return None
        value = self.text(name, required=True)
        if _SHARE.match(value) and float(value) <= most:
            return float(value)
        if value.strip():
            expected = f"a number from 0 to {most:,}, such as 0.5"
            self.complain(name, expected, f"“{value[:60]}”")
        return None

    def names(self, name: str) -> frozenset[str]:
        """Return the names of the fields of an object."""
        node = self._take(name)
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        return frozenset(str(key.value) for key, _ in pairs if isinstance(key, yaml.ScalarNode))

    def shares(
        self, name: str, values: Sequence[str] | None, *, most: int = 1
    ) -> tuple[tuple[str, float], ...]:
        """Return a number from 0 to 1 or to `most` for each of these values, in their order."""
        node = self._take(name)
        if not isinstance(node, yaml.MappingNode):
            self.complain(name, "a number for each answer", _shown(node))
            return ()
        each = YamlFields(node, self._field(name), self.faults)
        if values is None:
            return ()
        found = tuple(
            (value, each.share(value, required=True, most=most) or 0.0) for value in values
        )
        each.refuse_others()
        return found

    def one_of(self, name: str, among: Any, default: str | None = None) -> Any:
        known = get_args(among) or tuple(among)
        value = self.text(name, required=default is None) or default or known[0]
        if value not in known:
            self.complain(name, f"one of {', '.join(known)}", f"“{value[:60]}”")
            return known[0]
        return value

    def texts(self, name: str) -> tuple[str, ...] | None:
        """Return a list of texts; None without the field."""
        node = self._take(name)
        if node is None:
            return None
        if not isinstance(node, yaml.SequenceNode) or not all(
            isinstance(each, yaml.ScalarNode) for each in node.value
        ):
            self.complain(name, "a list of texts", _shown(node))
            return ()
        return tuple(str(each.value) for each in node.value)

    def objects(self, name: str, *, most: int, least: int = 0) -> "list[YamlFields]":
        node = self._take(name)
        if node is None:
            if least:
                self.complain(name, "a list", "nothing")
            return []
        if not isinstance(node, yaml.SequenceNode) or not least <= len(node.value) <= most:
            found = _shown(node) if not isinstance(node, yaml.SequenceNode) else len(node.value)
            self.complain(name, f"a list of {least} to {most}", str(found))
            return []
        made = []
        for place, each in enumerate(node.value):
            path = f"{self._field(name)}[{place}]"
            if isinstance(each, yaml.MappingNode):
                made.append(YamlFields(each, path, self.faults))
            else:
                line = each.start_mark.line + 1
                self.faults.append(FileFault(line, path, "fields", _shown(each)))
        return made

    def refuse_others(self) -> None:
        """Complain about fields that were not read."""
        for name in self._nodes.keys() - self._asked:
            known = ", ".join(sorted(self._asked))
            self.complain(name, f"one of the fields {known}", f"“{name[:60]}”")


def _shown(node: yaml.Node | None) -> str:
    if isinstance(node, yaml.ScalarNode):
        return f"“{str(node.value)[:60]}”"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return "nothing" if node is None else "fields"
