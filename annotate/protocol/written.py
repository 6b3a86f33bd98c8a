"""Read and write protocol files (YAML). Each fault names its line and field.

`docs/protocols.md` describes the fields.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast, get_args

import yaml

from annotate.protocol.answers import AnswerType, Choice, Marks, format_number
from annotate.protocol.dimensions import (
    LABELS,
    OF_ANSWER,
    SCALES,
    Asked,
    Condition,
    Derived,
    Dimension,
    Of,
    Sight,
    Ties,
    UnitKind,
)
from annotate.protocol.faults import faults_of_derived, faults_of_dimension
from annotate.protocol.fields import MAX_CHARS, FileFault, Loader, NotAProtocol, YamlFields, tree
from annotate.protocol.formulas import FormulaError, parse
from annotate.protocol.protocol import Protocol, ProtocolFile, Variant, pools_with

__all__ = [
    "FileFault", "NotAProtocol", "as_fields", "derived_fields", "derived_from_fields",
    "from_fields", "read", "write",
]  # fmt: skip

MOST_VERSIONS = 9_999
MAX_DIMENSIONS = 60
MAX_EARLIER = 300
MAX_CHOICES = 30
MAX_GUIDELINES = 200_000

MOST_WEIGHT = 1_000
"""The highest weight where an answer may name several values."""

Lines = Literal["all", "first", "flat"]


def read(text: str) -> ProtocolFile:
    """Return the protocol of a file; raise `NotAProtocol` with all faults."""
    if len(text) > MAX_CHARS:
        expected = f"at most {MAX_CHARS:,} characters"
        raise NotAProtocol([FileFault(1, "", expected, f"{len(text):,}")])
    faults: list[FileFault] = []
    fields = YamlFields(tree(text), "", faults)
    dimensions = [
        made
        for each in fields.objects("dimensions", most=MAX_DIMENSIONS, least=1)
        if (made := _dimension(each)) is not None
    ]
    # If a dimension has faults, formulas are not checked against the others.
    known: dict[str, Dimension] | None = {each.key: each for each in dimensions}
    if faults or len(known or ()) < len(dimensions):
        known = None
    numbers = [
        number
        for each in fields.objects("derived", most=MAX_DIMENSIONS)
        if (number := _derived(each, known)) is not None
    ]
    protocol = Protocol(dimensions, numbers)
    before = fields.objects("earlier", most=MAX_EARLIER)
    earlier = [made for each in before if (made := _dimension(each)) is not None]
    found = ProtocolFile(
        key=fields.name("protocol"),
        version=fields.number("version", 1, MOST_VERSIONS),
        title=fields.text("title", required=True),
        protocol=protocol,
        summary=fields.text("summary"),
        source=fields.text("source"),
        guidelines=fields.text("guidelines", most=MAX_GUIDELINES),
        raters=fields.number("raters", 1, 99, default=3),
        citations=fields.number("citations", 1, 99, default=3),
        lines=fields.one_of("lines", Lines, "all"),
        frozen=fields.flag("frozen"),
        variants=[_variant(each) for each in fields.objects("variants", most=20)],
        earlier=tuple(earlier),
    )
    fields.refuse_others()
    _together(fields, protocol, len(dimensions), faults)
    if not faults:
        _before(zip(before, earlier, strict=True), protocol)
    if faults:
        raise NotAProtocol(faults)
    return found


def _dimension(fields: YamlFields) -> Dimension | None:
    before = len(fields.faults)
    choices = _choices(fields, "choices")
    automatic = _choices(fields, "automatic_choices")
    asked_of = fields.texts("asked_of") or ("people",)
    for one in asked_of:
        if one not in get_args(Asked):
            fields.complain("asked_of", "people, automatic or both", f"“{one[:60]}”")
    answer: AnswerType = fields.one_of("answer", AnswerType, "choice")
    scale = None if answer == "choice" else SCALES[answer][0]
    low_to_high = fields.texts("low_to_high")
    if low_to_high is None and answer == "choice":
        low_to_high = tuple(choice.value for choice in choices)
    made: dict[str, Any] = {
        "key": fields.name("key"),
        "unit_kind": UnitKind(fields.one_of("about", [kind.value for kind in UnitKind])),
        "title": fields.text("title", required=True, most=100),
        "question": fields.text("question", required=True),
        "help": fields.text("help"),
        "choices": choices,
        "automatic_choices": automatic,
        **_answer(fields, answer),
        "low_to_high": low_to_high or (),
        "positive": frozenset(fields.texts("positive") or ()),
        "scale": fields.one_of("scale", SCALES[answer], scale),
        "label_by": fields.one_of("label", LABELS[answer], LABELS[answer][0]),
        "ties": fields.one_of("ties", Ties, "low"),
        "sight": fields.one_of("sight", Sight),
        "asked_of": cast(tuple[Asked, ...], tuple(dict.fromkeys(asked_of))),
        "shown_when": tuple(_condition(each) for each in fields.objects("shown_when", most=10)),
        "unasked": fields.text("unasked"),
        "comes_last": fields.flag("comes_last"),
        "cited_only": fields.flag("cited_only"),
        "every": fields.flag("every"),
        "writes": fields.flag("writes"),
        "part_of": fields.text("part_of"),
        "detected": fields.text("detected", most=100),
        "told": fields.texts("told") or (),
        "version": fields.number("version", 1, MOST_VERSIONS, default=1),
    }
    fields.refuse_others()
    if len(fields.faults) > before:
        return None
    return _whole(Dimension(**made), fields)


def _answer(fields: YamlFields, answer: AnswerType) -> dict[str, Any]:
    """Read the fields about the format of an answer."""
    is_number = answer == "number"
    return {
        "answer": answer,
        "low": fields.decimal("low", required=is_number),
        "high": fields.decimal("high", required=is_number),
        "decimals": fields.number("decimals", 0, 6, default=0),
        "anchors": fields.texts("anchors") or (),
        "least": fields.number("least", 0, 9_999, default=0),
        "most": fields.number("most", 0, 9_999, default=0),
        "severities": _choices(fields, "severities"),
        "marks": fields.one_of("marks", Marks, "text"),
    }


def _whole(made: Dimension, fields: YamlFields) -> Dimension | None:
    """Return the dimension, or None with complaints if its fields contradict each other."""
    faults = list(faults_of_dimension(made))
    for fault in faults:
        fields.complain(fault.field, fault.expected, fault.found)
    return None if faults else made


def _choices(fields: YamlFields, name: str) -> tuple[Choice, ...]:
    made = []
    for each in fields.objects(name, most=MAX_CHOICES):
        value, label = each.text("value", required=True), each.text("label", required=True)
        made.append(Choice(value, label, each.text("help"), each.text("key")))
        each.refuse_others()
    return tuple(made)


def _condition(fields: YamlFields) -> Condition:
    key = fields.text("dimension", required=True)
    values = fields.texts("is")
    if not values:
        fields.complain("is", "a list of answers", "nothing")
    of: Of = fields.one_of("of", Of, "unit")
    fields.refuse_others()
    return Condition(key, values or (), of)


def _derived(fields: YamlFields, dimensions: Mapping[str, Dimension] | None) -> Derived | None:
    before = len(fields.faults)
    kind = UnitKind(fields.one_of("about", [kind.value for kind in UnitKind]))
    made = Derived(
        key=fields.name("key"),
        unit_kind=kind,
        title=fields.text("title", required=True, most=100),
        question=fields.text("question", required=True),
        detected=fields.text("detected", most=100),
        told=fields.texts("told") or (),
        **(_weighted if fields.has("weights") else _by_formula)(fields, kind, dimensions),
    )
    for fault in faults_of_derived(made):
        fields.complain(fault.field, fault.expected, fault.found)
    fields.refuse_others()
    return None if len(fields.faults) > before else made


def _by_formula(
    fields: YamlFields, kind: UnitKind, dimensions: Mapping[str, Dimension] | None
) -> dict[str, Any]:
    formula = fields.text("formula", required=True)
    if formula.strip():
        try:
            found = parse(formula)
            if dimensions is not None:
                found.check(kind, dimensions)
        except FormulaError as error:
            fields.complain("formula", error.expected, error.found)
    flags = {name: fields.flag(name) for name in ("of_judges", "decides_early")}
    return {"formula": formula, **flags}


def _weighted(
    fields: YamlFields, kind: UnitKind, dimensions: Mapping[str, Dimension] | None
) -> dict[str, Any]:
    of = fields.text("of", required=True)
    dimension = dimensions.get(of) if dimensions is not None else None
    if dimensions is not None and (dimension is None or dimension.unit_kind is not kind):
        known = [key for key, one in dimensions.items() if one.unit_kind is kind]
        fields.complain("of", f"one of {', '.join(known) or 'the dimensions of it'}", f"“{of}”")
        dimension = None
    if dimension and dimension.answer in {"number", "text"}:
        found = f"{of}, which is answered with {OF_ANSWER[dimension.answer]}"
        fields.complain("of", "a dimension that is answered by choosing", found)
        dimension = None
    weights = _weights(fields, dimension)
    uncited = fields.share("uncited")
    if uncited is not None and dimension and dimension.every:
        fields.complain("uncited", f"nothing, since {of} is asked of every statement", "a number")
    if uncited is not None and kind is not UnitKind.STATEMENT:
        fields.complain("uncited", "only with a number about statements", kind.value)
    of_judges = fields.flag("of_judges")
    return {"of": of, "weights": weights, "uncited": uncited, "of_judges": of_judges}


def _weights(fields: YamlFields, dimension: Dimension | None) -> tuple[tuple[str, float], ...]:
    if dimension is None or dimension.is_choice:
        return fields.shares("weights", dimension.low_to_high if dimension else None)
    labels, severities = (
        [one.value for one in some] for some in (dimension.choices, dimension.severities)
    )
    of = severities if fields.names("weights") & {*severities} else labels
    return fields.shares("weights", of, most=MOST_WEIGHT)


def _variant(fields: YamlFields) -> Variant:
    made = Variant(
        fields.name("key"),
        fields.text("title", required=True),
        fields.text("summary"),
        fields.one_of("lines", Lines),
    )
    fields.refuse_others()
    return made


def _together(fields: YamlFields, protocol: Protocol, count: int, faults: list[FileFault]) -> None:
    """Complain about faults between dimensions, if each one has none."""
    if faults:
        return
    lines: dict[str, YamlFields] = {}
    for name in ("dimensions", "derived"):
        for each in fields.objects(name, most=MAX_DIMENSIONS):
            key = each.text("key")
            if key in lines:
                each.complain("key", "each key once", f"“{key}” again")
            lines.setdefault(key, each)
    for key, fault in protocol.faults():
        lines[key].complain(fault.field, fault.expected, fault.found)


def _before(earlier: Iterable[tuple[YamlFields, Dimension]], protocol: Protocol) -> None:
    """Complain about earlier wordings that do not fit the current ones."""
    seen = set[tuple[str, int]]()
    for fields, one in earlier:
        now = protocol.get(one.key)
        if now is None:
            fields.complain("key", "the key of a dimension above", f"“{one.key}”")
        elif one.version >= now.version or (one.key, one.version) in seen:
            expected = f"each version before {now.version} once"
            fields.complain("version", expected, str(one.version))
        elif not pools_with(one, now):
            expected = f"the answers of version {now.version}, in other words alone"
            fields.complain("key", expected, "other answers, or another unit")
        seen.add((one.key, one.version))


# Writing ----------------------------------------------------------------------------------------


def write(found: ProtocolFile) -> str:
    """Return a protocol as the text of a file, which `read` turns into the same protocol."""
    whole: dict[str, Any] = {
        "protocol": found.key,
        "version": found.version,
        "title": found.title,
        **_given("summary", found.summary),
        **_given("source", found.source),
        **({"frozen": True} if found.frozen else {}),
        "raters": found.raters,
        **({"citations": found.citations} if found.citations != 3 else {}),
        **({"lines": found.lines} if found.lines != "all" else {}),
        "dimensions": [as_fields(each) for each in found.protocol.values()],
        **_given("earlier", [as_fields(each) for each in found.earlier]),
    }
    if found.variants:
        whole["variants"] = [
            {"key": v.key, "title": v.title, **_given("summary", v.summary), "lines": v.lines}
            for v in found.variants
        ]
    if found.protocol.derived:
        whole["derived"] = [derived_fields(each) for each in found.protocol.derived.values()]
    whole |= _given("guidelines", found.guidelines)
    return yaml.dump(whole, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=96)


class _Dumper(yaml.SafeDumper):
    """A dumper that writes texts of several lines as blocks."""


def _as_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _as_text)


def _given(name: str, value: Any) -> dict[str, Any]:
    return {name: value} if value else {}


def as_fields(dimension: Dimension) -> dict[str, Any]:
    """Return a dimension's fields as in a file, without defaults."""
    given = [choice.value for choice in dimension.choices]
    return {
        "key": dimension.key,
        **({"version": dimension.version} if dimension.version > 1 else {}),
        "about": dimension.unit_kind.value,
        "title": dimension.title,
        "question": dimension.question,
        **_given("help", dimension.help),
        **_answer_fields(dimension),
        **_given("low_to_high", [*dimension.low_to_high] * (given != [*dimension.low_to_high])),
        **_positive_fields(dimension),
        **_given("automatic_choices", _choice_fields(dimension.automatic_choices)),
        "scale": dimension.scale,
        **_given("label", dimension.label_by * (dimension.label_by != LABELS[dimension.answer][0])),
        **_given("ties", dimension.ties * (dimension.ties != "low")),
        "sight": dimension.sight,
        "asked_of": [*dimension.asked_of],
        **_given("shown_when", [_condition_fields(each) for each in dimension.shown_when]),
        **_given("unasked", dimension.unasked),
        **{
            name: True
            for name in ("comes_last", "cited_only", "every", "writes")
            if getattr(dimension, name)
        },
        **_given("part_of", dimension.part_of),
        **_given("detected", dimension.detected),
        **_given("told", [*dimension.told]),
    }


def _answer_fields(dimension: Dimension) -> dict[str, Any]:
    if dimension.is_choice:
        return {"choices": _choice_fields(dimension.choices)}
    is_number = dimension.answer == "number"
    bounds = {name: format_number(getattr(dimension, name)) for name in ("low", "high")}
    return {
        "answer": dimension.answer,
        **_given("choices", _choice_fields(dimension.choices)),
        **(bounds if is_number else {}),
        **_given("decimals", dimension.decimals),
        **_given("anchors", [*dimension.anchors]),
        **_given("least", dimension.least),
        **_given("most", dimension.most),
        **_given("severities", _choice_fields(dimension.severities)),
        **_given("marks", dimension.marks * (dimension.marks != "text")),
    }


def _positive_fields(dimension: Dimension) -> dict[str, Any]:
    given = [
        *dict.fromkeys(one.value for one in (*dimension.choices, *dimension.automatic_choices))
    ]
    positive = [value for value in given if value in dimension.positive]
    return {"positive": positive} if dimension.is_choice or positive else {}


def from_fields(fields: Any) -> Dimension:
    """Return the dimension of stored fields (`as_fields`); raise `NotAProtocol`."""
    yaml_fields = _stored_fields(fields)
    made = _dimension(yaml_fields)
    if made is None:
        raise NotAProtocol(yaml_fields.faults)
    return made


def derived_from_fields(fields: Any, dimensions: Mapping[str, Dimension]) -> Derived:
    """Return the derived number of stored fields; raise `NotAProtocol`."""
    yaml_fields = _stored_fields(fields)
    made = _derived(yaml_fields, dimensions)
    if made is None:
        raise NotAProtocol(yaml_fields.faults)
    return made


def _stored_fields(fields: Any) -> YamlFields:
    node = yaml.compose(yaml.dump(fields, Dumper=_Dumper), Loader=Loader)
    return YamlFields(cast(yaml.MappingNode, node), "", [])


def _choice_fields(choices: Iterable[Choice]) -> list[dict[str, str]]:
    return [
        {
            "value": one.value,
            "label": one.label,
            **_given("help", one.help),
            **_given("key", one.key),
        }
        for one in choices
    ]


def _condition_fields(condition: Condition) -> dict[str, Any]:
    of = {} if condition.of == "unit" else {"of": condition.of}
    return {"dimension": condition.dimension, **of, "is": [*condition.values]}


def derived_fields(derived: Derived) -> dict[str, Any]:
    return {
        "key": derived.key,
        "about": derived.unit_kind.value,
        "title": derived.title,
        "question": derived.question,
        **_given("formula", derived.formula),
        **_given("of", derived.of),
        **_given("weights", dict(derived.weights)),
        **({"uncited": derived.uncited} if derived.uncited is not None else {}),
        **({"of_judges": True} if derived.of_judges else {}),
        **({"decides_early": True} if derived.decides_early else {}),
        **_given("detected", derived.detected),
        **_given("told", [*derived.told]),
    }
