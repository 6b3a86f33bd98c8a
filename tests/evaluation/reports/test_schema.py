"""The schema that is made of types: each says what it says, and no more is let through."""

from typing import Annotated, Any, Literal, TypedDict

import pytest

from evaluation.reports.schema import SchemaBuilder
from evaluation.reports.shape.values import Count, Share, named, rule


class Inner(TypedDict):
    """A thing
    in two lines."""

    n: Count


def test_a_type_and_its_schema(subtests):
    for shape, schema in [
        (str, {"type": "string"}),
        (float | None, {"type": ["number", "null"]}),
        (Literal["a", "b"], {"enum": ["a", "b"]}),
        (Any, {}),
        (Count, {"type": "integer", "minimum": 0}),
        (
            Annotated[list[bool], rule(maxItems=2)],
            {"type": "array", "items": {"type": "boolean"}, "maxItems": 2},
        ),
        (
            dict[Annotated[str, rule(pattern="^j")], int],
            {
                "type": "object",
                "propertyNames": {"pattern": "^j"},
                "additionalProperties": {"type": "integer"},
            },
        ),
        (Inner | None, {"anyOf": [{"$ref": "#/$defs/Inner"}, {"type": "null"}]}),
        (Annotated[Share, rule(title="Part")], {"$ref": "#/$defs/share", "title": "Part"}),
    ]:
        with subtests.test(shape=shape, schema=schema):
            assert SchemaBuilder().schema(shape) == schema


def test_two_rules_of_one_name_are_told_apart():
    made = SchemaBuilder()
    one, other = (Annotated[str, named("thing", minLength=n)] for n in (1, 2))
    references = [made.schema(shape)["$ref"] for shape in (one, other, one)]
    assert references == ["#/$defs/thing", "#/$defs/thing-2", "#/$defs/thing"]


def test_a_type_that_json_cannot_hold_is_refused():
    with pytest.raises(TypeError, match=r"set\[int\].*expected a type that JSON"):
        SchemaBuilder().schema(set[int])
