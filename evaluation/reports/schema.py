"""JSON Schema (draft 2020-12) of a report, made from types.

pydantic, which spaCy installs, could do this. It is not used: the schema would change with its
releases, web processes would load it, and it would only replace the class below.
"""

from collections.abc import Callable
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from evaluation.reports.sections.every import sections
from evaluation.reports.shape.report import VERSION, ReportHead
from evaluation.reports.shape.values import Rule

Schema = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def report_schema() -> Schema:
    """Return the schema of a whole report, with sections of other packages."""
    made = SchemaBuilder()
    head = get_type_hints(ReportHead, include_extras=True)
    shapes = {**head, **{section.key: section.shape for section in sections()}}
    optional = {section.key for section in sections() if section.is_optional}
    return {
        "$schema": DRAFT,
        "title": f"Attest report, version {VERSION}",
        "description": "Everything that a report of Attest says about one study. Made of the data "
        "and the filters alone.",
        "type": "object",
        "properties": {key: made.schema(shape) for key, shape in shapes.items()},
        "required": [key for key in shapes if key not in optional],
        "additionalProperties": False,
        "$defs": dict(sorted(made.definitions.items())),
    }


class SchemaBuilder:
    """Builds one schema."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}
        self._names: dict[Any, str] = {}

    def schema(self, shape: Any) -> Schema:
        """Return the schema of a value of this type."""
        if shape is Any:
            return {}
        if isinstance(shape, type) and shape in SIMPLE:
            return {"type": SIMPLE[shape]}
        if is_typeddict(shape):
            return self._referred(shape, shape.__name__, lambda: self._object(shape))
        origin, inside = get_origin(shape), get_args(shape)
        if origin is Annotated:
            return self._ruled(inside[0], inside[1:])
        if origin in (Union, UnionType):
            return self._either(inside)
        if origin is Literal:
            return {"enum": list(inside)}
        if origin is list:
            return {"type": "array", "items": self.schema(inside[0])}
        if origin is dict:
            return self._mapping(*inside)
        raise TypeError(f"{shape!r}: expected a type that JSON and a report can hold.")

    def _ruled(self, shape: Any, rules: tuple[Rule, ...]) -> Schema:
        """Return the schema of a type with rules; named rules first, since they define a type."""
        kind = next((one for one in rules if one.name), None)
        if kind is None:
            schema = self.schema(shape)
        else:
            plain = self._object(shape) if is_typeddict(shape) else self.schema(shape)
            inside = {**plain, **kind.keywords}
            schema = self._referred(kind, kind.name, lambda: inside)
        for one in rules:
            if one is not kind:
                schema = {**schema, **one.keywords}
        return schema

    def _referred(self, known_by: Any, name: str, make: Callable[[], Schema]) -> Schema:
        """Return a reference. Types of other packages with the name of ours get a number."""
        if known_by not in self._names:
            number, free = 1, name
            while free in self.definitions:
                number += 1
                free = f"{name}-{number}"
            self._names[known_by] = free
            self.definitions[free] = {}  # reserve the name while the inner types are made
            self.definitions[free] = make()
        return {"$ref": f"#/$defs/{self._names[known_by]}"}

    def _object(self, shape: Any) -> Schema:
        own = shape.__dict__.get("__doc__")
        properties = {
            name: self.schema(get_args(hint)[0] if get_origin(hint) is NotRequired else hint)
            for name, hint in get_type_hints(shape, include_extras=True).items()
        }
        return {
            **({"description": " ".join(own.split())} if own else {}),
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name in shape.__required_keys__],
            "additionalProperties": False,
        }

    def _either(self, shapes: tuple[Any, ...]) -> Schema:
        each = [self.schema(shape) for shape in shapes]
        if all([*one] == ["type"] for one in each):
            return {"type": [one["type"] for one in each]}
        return {"anyOf": each}

    def _mapping(self, key: Any, value: Any) -> Schema:
        names = {k: v for k, v in self.schema(key).items() if k != "type"}
        return {
            "type": "object",
            **({"propertyNames": names} if names else {}),
            "additionalProperties": self.schema(value),
        }
