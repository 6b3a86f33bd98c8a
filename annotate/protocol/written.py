"""Protocol files: YAML that says a whole form. Whatever is wrong is told with its line and field.

A file is data alone: no tags, no anchors, and every value is taken as the text that stands there,
so that `yes` is an answer and not a truth. What a field means is said in `docs/protocols.md`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import yaml

from annotate.protocol.dimensions import (
    KEY,
    Asked,
    Choice,
    Condition,
    Derived,
    Dimension,
    LabelBy,
    Of,
    Scale,
    Sight,
    UnitKind,
)
from annotate.protocol.formulas import FormulaError, parse
from annotate.protocol.protocol import Protocol, ProtocolFile, Variant

MAX_CHARS = 400_000
MAX_DIMENSIONS = 60
MAX_CHOICES = 30
MAX_TEXT = 2_000
MAX_GUIDELINES = 200_000

Lines = Literal["all", "first", "flat"]
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The one in C, where the library has it."""


@dataclass(frozen=True, slots=True)
class FileFault:
    """One thing that is wrong with a protocol file."""

    line: int
    field: str
    expected: str
    found: str

    def __str__(self) -> str:
        place = f"line {self.line}, {self.field}" if self.field else f"line {self.line}"
        return f"{place}: expected {self.expected}; found {self.found}."


class NotAProtocol(Exception):  # noqa: N818  (it says what the file is not)
    """A file that cannot be used; `faults` says all that is wrong with it, in order of lines."""

    def __init__(self, faults: Sequence[FileFault]) -> None:
        self.faults = sorted(faults, key=lambda fault: fault.line)
        super().__init__("\n".join(map(str, self.faults)))


def read(text: str) -> ProtocolFile:
    """The protocol that a file holds; raises `NotAProtocol`."""
    if len(text) > MAX_CHARS:
        expected = f"at most {MAX_CHARS:,} characters"
        raise NotAProtocol([FileFault(1, "", expected, f"{len(text):,}")])
    faults: list[FileFault] = []
    fields = _Fields(_tree(text), "", faults)
    dimensions = [
        made
        for each in fields.objects("dimensions", most=MAX_DIMENSIONS, least=1)
        if (made := _dimension(each)) is not None
    ]
    known = {each.key: each for each in dimensions}
    numbers = [
        number
        for each in fields.objects("derived", most=MAX_DIMENSIONS)
        if (number := _derived(each, known)) is not None
    ]
    protocol = Protocol(dimensions, numbers)
    found = ProtocolFile(
        key=fields.name("protocol"),
        version=fields.number("version", 1, 9_999),
        title=fields.text("title", required=True),
        protocol=protocol,
        summary=fields.text("summary"),
        source=fields.text("source"),
        guidelines=fields.text("guidelines", most=MAX_GUIDELINES),
        raters=fields.number("raters", 1, 99, default=3),
        lines=fields.one_of("lines", Lines, "all"),
        frozen=fields.flag("frozen"),
        variants=[_variant(each) for each in fields.objects("variants", most=20)],
    )
    fields.refuse_others()
    _together(fields, protocol, len(dimensions), faults)
    if faults:
        raise NotAProtocol(faults)
    return found


def _tree(text: str) -> yaml.MappingNode:
    try:
        for token in yaml.scan(text, Loader=_Loader):
            if isinstance(token, yaml.AnchorToken | yaml.AliasToken | yaml.TagToken):
                found = "an anchor, an alias or a tag"
                raise NotAProtocol([FileFault(token.start_mark.line + 1, "", "plain data", found)])
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        found = error.problem or "something else"
        raise NotAProtocol([FileFault(line, "", "YAML", found)]) from error
    except (yaml.YAMLError, RecursionError) as error:
        found = str(error).partition("\n")[0] or "lists within lists without end"
        raise NotAProtocol([FileFault(1, "", "YAML", found)]) from error
    if not isinstance(root, yaml.MappingNode):
        raise NotAProtocol([FileFault(1, "", "fields such as “protocol: mine”", _shown(root))])
    return root


class _Fields:
    """The fields of one object of a file, taken one by one."""

    def __init__(self, node: yaml.MappingNode, path: str, faults: list[FileFault]) -> None:
        self.line = node.start_mark.line + 1
        self.path = path
        self.faults = faults
        self._nodes: dict[str, yaml.Node] = {}
        self._asked: set[str] = set()
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            line = key.start_mark.line + 1
            if not name:
                faults.append(FileFault(line, path, "the name of a field", _shown(key)))
            elif name in self._nodes:
                faults.append(FileFault(line, self._field(name), "each field once", "it again"))
            else:
                self._nodes[name] = value

    def _field(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def line_of(self, name: str) -> int:
        """Where a field stands, or else the object that lacks it."""
        node = self._nodes.get(name)
        return self.line if node is None else node.start_mark.line + 1

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

    def flag(self, name: str) -> bool:
        value = self.text(name) or "no"
        if value not in {"yes", "no", "true", "false"}:
            self.complain(name, "yes or no", f"“{value[:60]}”")
        return value in {"yes", "true"}

    def one_of(self, name: str, among: Any, default: str | None = None) -> Any:
        known = get_args(among) or tuple(among)
        value = self.text(name, required=default is None) or default or known[0]
        if value not in known:
            self.complain(name, f"one of {', '.join(known)}", f"“{value[:60]}”")
            return known[0]
        return value

    def texts(self, name: str) -> tuple[str, ...] | None:
        """A list of texts; None where the field is not there."""
        node = self._take(name)
        if node is None:
            return None
        if not isinstance(node, yaml.SequenceNode) or not all(
            isinstance(each, yaml.ScalarNode) for each in node.value
        ):
            self.complain(name, "a list of texts", _shown(node))
            return ()
        return tuple(str(each.value) for each in node.value)

    def objects(self, name: str, *, most: int, least: int = 0) -> "list[_Fields]":
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
                made.append(_Fields(each, path, self.faults))
            else:
                line = each.start_mark.line + 1
                self.faults.append(FileFault(line, path, "fields", _shown(each)))
        return made

    def refuse_others(self) -> None:
        """Fields that nobody asked for are mistakes."""
        for name in self._nodes.keys() - self._asked:
            known = ", ".join(sorted(self._asked))
            self.complain(name, f"one of the fields {known}", f"“{name[:60]}”")


def _shown(node: yaml.Node | None) -> str:
    if isinstance(node, yaml.ScalarNode):
        return f"“{str(node.value)[:60]}”"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return "nothing" if node is None else "fields"


def _dimension(fields: _Fields) -> Dimension | None:
    before = len(fields.faults)
    choices = _choices(fields, "choices")
    automatic = _choices(fields, "automatic_choices")
    asked_of = fields.texts("asked_of") or ("people",)
    for one in asked_of:
        if one not in get_args(Asked):
            fields.complain("asked_of", "people, automatic or both", f"“{one[:60]}”")
    made: dict[str, Any] = {
        "key": fields.name("key"),
        "unit_kind": UnitKind(fields.one_of("about", [kind.value for kind in UnitKind])),
        "title": fields.text("title", required=True, most=100),
        "question": fields.text("question", required=True),
        "help": fields.text("help"),
        "choices": choices,
        "automatic_choices": automatic,
        "low_to_high": fields.texts("low_to_high") or tuple(choice.value for choice in choices),
        "positive": frozenset(fields.texts("positive") or ()),
        "scale": fields.one_of("scale", Scale),
        "label_by": fields.one_of("label", LabelBy, "majority"),
        "sight": fields.one_of("sight", Sight),
        "asked_of": cast(tuple[Asked, ...], tuple(dict.fromkeys(asked_of))),
        "shown_when": tuple(_condition(each) for each in fields.objects("shown_when", most=10)),
        "unasked": fields.text("unasked"),
        "comes_last": fields.flag("comes_last"),
        "cited_only": fields.flag("cited_only"),
        "writes": fields.flag("writes"),
        "part_of": fields.text("part_of"),
        "detected": fields.text("detected", most=100),
        "told": fields.texts("told") or (),
        "version": fields.number("version", 1, 9_999, default=1),
    }
    fields.refuse_others()
    if len(fields.faults) > before:
        return None
    return _whole(Dimension, made, fields)


def _whole(kind: type[Dimension], made: dict[str, Any], fields: _Fields) -> Dimension | None:
    """The dimension, or what is wrong with it as a whole."""
    draft = object.__new__(kind)
    for name, value in made.items():
        object.__setattr__(draft, name, value)
    faults = list(draft.faults())
    for fault in faults:
        fields.complain(fault.field, fault.expected, fault.found)
    return None if faults else draft


def _choices(fields: _Fields, name: str) -> tuple[Choice, ...]:
    made = []
    for each in fields.objects(name, most=MAX_CHOICES):
        value, label = each.text("value", required=True), each.text("label", required=True)
        made.append(Choice(value, label, each.text("help")))
        each.refuse_others()
    return tuple(made)


def _condition(fields: _Fields) -> Condition:
    key = fields.text("dimension", required=True)
    values = fields.texts("is")
    if not values:
        fields.complain("is", "a list of answers", "nothing")
    of: Of = fields.one_of("of", Of, "unit")
    fields.refuse_others()
    return Condition(key, values or (), of)


def _derived(fields: _Fields, dimensions: Mapping[str, Dimension]) -> Derived | None:
    before = len(fields.faults)
    kind = UnitKind(fields.one_of("about", [kind.value for kind in UnitKind]))
    made = Derived(
        key=fields.name("key"),
        unit_kind=kind,
        title=fields.text("title", required=True, most=100),
        question=fields.text("question", required=True),
        formula=fields.text("formula", required=True),
        of_judges=fields.flag("of_judges"),
        decides_early=fields.flag("decides_early"),
        detected=fields.text("detected", most=100),
        told=fields.texts("told") or (),
    )
    for fault in made.faults():
        fields.complain(fault.field, fault.expected, fault.found)
    fields.refuse_others()
    if made.formula.strip():
        try:
            parse(made.formula).check(kind, dimensions)
        except FormulaError as error:
            fields.complain("formula", error.expected, error.found)
    return None if len(fields.faults) > before else made


def _variant(fields: _Fields) -> Variant:
    made = Variant(
        fields.name("key"),
        fields.text("title", required=True),
        fields.text("summary"),
        fields.one_of("lines", Lines),
    )
    fields.refuse_others()
    return made


def _together(fields: _Fields, protocol: Protocol, count: int, faults: list[FileFault]) -> None:
    """What is wrong with how the questions go together, where each is whole by itself."""
    if faults:
        return
    lines: dict[str, _Fields] = {}
    for name in ("dimensions", "derived"):
        for each in fields.objects(name, most=MAX_DIMENSIONS):
            key = each.text("key")
            if key in lines:
                each.complain("key", "each key once", f"“{key}” again")
            lines.setdefault(key, each)
    for key, fault in protocol.faults():
        lines[key].complain(fault.field, fault.expected, fault.found)


# Writing ----------------------------------------------------------------------------------------


def write(found: ProtocolFile) -> str:
    """A protocol as a file; `read` gives the same again."""
    whole: dict[str, Any] = {
        "protocol": found.key,
        "version": found.version,
        "title": found.title,
        **_told("summary", found.summary),
        **_told("source", found.source),
        **({"frozen": True} if found.frozen else {}),
        "raters": found.raters,
        **({"lines": found.lines} if found.lines != "all" else {}),
        "dimensions": [as_fields(each) for each in found.protocol.values()],
    }
    if found.variants:
        whole["variants"] = [
            {"key": v.key, "title": v.title, **_told("summary", v.summary), "lines": v.lines}
            for v in found.variants
        ]
    if found.protocol.derived:
        whole["derived"] = [derived_fields(each) for each in found.protocol.derived.values()]
    whole |= _told("guidelines", found.guidelines)
    return yaml.dump(whole, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=96)


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as such."""


def _as_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _as_text)


def _told(name: str, value: Any) -> dict[str, Any]:
    return {name: value} if value else {}


def as_fields(dimension: Dimension) -> dict[str, Any]:
    """A dimension as a file says it; what goes without saying is left out."""
    given = [choice.value for choice in dimension.choices]
    return {
        "key": dimension.key,
        **({"version": dimension.version} if dimension.version > 1 else {}),
        "about": dimension.unit_kind.value,
        "title": dimension.title,
        "question": dimension.question,
        **_told("help", dimension.help),
        "choices": _choice_fields(dimension.choices),
        **_told("low_to_high", [*dimension.low_to_high] * (given != [*dimension.low_to_high])),
        "positive": [value for value in dimension.values if value in dimension.positive],
        **_told("automatic_choices", _choice_fields(dimension.automatic_choices)),
        "scale": dimension.scale,
        **({"label": dimension.label_by} if dimension.label_by != "majority" else {}),
        "sight": dimension.sight,
        "asked_of": [*dimension.asked_of],
        **_told("shown_when", [_condition_fields(each) for each in dimension.shown_when]),
        **_told("unasked", dimension.unasked),
        **{
            name: True
            for name in ("comes_last", "cited_only", "writes")
            if getattr(dimension, name)
        },
        **_told("part_of", dimension.part_of),
        **_told("detected", dimension.detected),
        **_told("told", [*dimension.told]),
    }


def from_fields(fields: Any) -> Dimension:
    """The dimension that `as_fields` said, as the database keeps it; raises `NotAProtocol`."""
    faults: list[FileFault] = []
    node = yaml.compose(yaml.dump(fields, Dumper=_Dumper), Loader=_Loader)
    made = _dimension(_Fields(cast(yaml.MappingNode, node), "", faults))
    if made is None:
        raise NotAProtocol(faults)
    return made


def derived_from_fields(fields: Any, dimensions: Mapping[str, Dimension]) -> Derived:
    """The number that a study keeps; raises `NotAProtocol`."""
    faults: list[FileFault] = []
    node = yaml.compose(yaml.dump(fields, Dumper=_Dumper), Loader=_Loader)
    made = _derived(_Fields(cast(yaml.MappingNode, node), "", faults), dimensions)
    if made is None:
        raise NotAProtocol(faults)
    return made


def _choice_fields(choices: Iterable[Choice]) -> list[dict[str, str]]:
    return [{"value": one.value, "label": one.label, **_told("help", one.help)} for one in choices]


def _condition_fields(condition: Condition) -> dict[str, Any]:
    of = {} if condition.of == "unit" else {"of": condition.of}
    return {"dimension": condition.dimension, **of, "is": [*condition.values]}


def derived_fields(derived: Derived) -> dict[str, Any]:
    return {
        "key": derived.key,
        "about": derived.unit_kind.value,
        "title": derived.title,
        "question": derived.question,
        "formula": derived.formula,
        **({"of_judges": True} if derived.of_judges else {}),
        **({"decides_early": True} if derived.decides_early else {}),
        **_told("detected", derived.detected),
        **_told("told", [*derived.told]),
    }
