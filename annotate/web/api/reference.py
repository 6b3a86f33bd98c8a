"""Describe an operation of the OpenAPI document for the reference page."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

Node = Mapping[str, Any]

JSON = ["application/json"]
NAMES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "null": "null",
}
PARTS = {"slug": "The last part of the study's address."}
FORMATS = {"date-time": "time", "date": "date", "uri": "address", "binary": "file"}


def of(operation: Node, document: Node) -> dict[str, Any]:
    """Return the template context of one operation, with an example of its body."""
    body = operation.get("requestBody", {}).get("content", {})
    kind = next(iter(body), "")
    taken = _resolved(body[kind]["schema"], document) if kind else {}
    answers = {code: one for code, one in operation["responses"].items() if code[0] == "2"}
    code, answer = next(iter(answers.items()))
    content = answer.get("content", {})
    given: Node = content["application/json"]["schema"] if [*content] == JSON else {}
    return {
        "id": operation["operationId"],
        "summary": operation["summary"],
        "text": operation["description"],
        "parameters": [_parameter(one, document) for one in _in_order(operation)],
        "kind": kind,
        "fields": [*_fields(taken, document)],
        "files": [name for name, one in _properties(taken) if one.get("format") == "binary"],
        "example": json.dumps(_example(taken, document), indent=2, ensure_ascii=False),
        "code": code,
        "gives": [*_fields(_resolved(given, document), document)],
        "media": [*content],
    }


def _in_order(operation: Node) -> list[Node]:
    """Sort parameters: parts of the path first, headers last."""
    places = ("path", "query", "header")
    return sorted(operation.get("parameters", []), key=lambda one: places.index(one["in"]))


def _parameter(one: Node, document: Node) -> dict[str, Any]:
    schema = one["schema"]
    return {
        "name": one["name"],
        "place": one["in"],
        "words": words(schema, document),
        "is_required": one.get("required", False),
        "text": one.get("description") or PARTS.get(one["name"], ""),
        "is_many": schema.get("type") == "array",
    }


def _fields(schema: Node, document: Node) -> Iterator[dict[str, Any]]:
    required = schema.get("required", [])
    for name, one in _properties(schema):
        yield {
            "name": name,
            "words": words(one, document),
            "is_required": name in required,
            "text": one.get("description", ""),
        }


def _properties(schema: Node) -> list[tuple[str, Node]]:
    return list(schema.get("properties", {}).items())


def _resolved(schema: Node, document: Node) -> Node:
    """Follow references to a schema."""
    found = schema
    while "$ref" in found:
        found = document["components"]["schemas"][found["$ref"].rpartition("/")[2]]
    return found


def words(schema: Node, document: Node) -> str:
    """Return the name of a schema's type."""
    for name in ("oneOf", "anyOf", "allOf"):
        if name in schema:
            found = [words(one, document) for one in schema[name]]
            return " or ".join(dict.fromkeys(found))
    if "enum" in schema:
        return "one of " + ", ".join(
            "null" if one is None else str(one or "“”") for one in schema["enum"]
        )
    if "const" in schema:
        return str(schema["const"])
    if "$ref" in schema:
        return words(_resolved(schema, document), document)
    kinds = schema.get("type", [])
    return " or ".join(_kind(one, schema, document) for one in _listed(kinds)) or "anything"


def _listed(kinds: Any) -> list[str]:
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _kind(kind: str, schema: Node, document: Node) -> str:
    if kind == "array":
        return f"list of {words(schema.get('items', {}), document)}"
    if kind == "string":
        return FORMATS.get(schema.get("format", ""), NAMES[kind])
    low, high = schema.get("minimum"), schema.get("maximum")
    if kind in ("integer", "number") and high is not None and high < 2**31:
        return f"{NAMES[kind]} from {low or 0:,} to {high:,}"
    return NAMES[kind]


def _example(schema: Node, document: Node) -> Any:
    """Return the smallest valid example, with only required fields."""
    schema = _resolved(schema, document)
    if "default" in schema:
        return schema["default"]
    if schema.get("enum"):
        return schema["enum"][0]
    for name in ("oneOf", "anyOf", "allOf"):
        if name in schema:
            return _example(schema[name][0], document)
    kind = next(iter(_listed(schema.get("type", []))), "")
    if kind == "object":
        required = schema.get("required", [])
        return {
            name: _example(one, document) for name, one in _properties(schema) if name in required
        }
    least = schema.get("minimum", 0)
    made: dict[str, Any] = {"array": [], "string": "", "integer": least, "boolean": False}
    return made.get(kind)
