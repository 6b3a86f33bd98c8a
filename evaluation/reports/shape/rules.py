"""What a type alone does not say of a value, in the words of JSON Schema; and the usual values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """Stands in `Annotated` beside a type. With a name the schema says it once, under `$defs`."""

    keywords: Mapping[str, object]
    name: str = ""


def rule(**keywords: object) -> Rule:
    """Holds at this place alone."""
    return Rule(keywords)


def named(name: str, **keywords: object) -> Rule:
    """Holds for a kind of value that stands in many places."""
    return Rule(keywords, name)


Text = Annotated[str, rule(minLength=1)]
Count = Annotated[int, rule(minimum=0)]
Some = Annotated[int, rule(minimum=1)]

Share = Annotated[float | None, named("share", minimum=0, maximum=1)]
"""Or nothing, where it is undefined."""

JudgeId = Annotated[
    str,
    named(
        "judge",
        pattern="^j[1-9][0-9]*$",
        description="The id of an automatic judge in this report.",
    ),
]

ItemKey = Annotated[
    str,
    named(
        "item",
        pattern=r"^[a-z][a-z0-9_]{0,23}(@[1-9][0-9]?)?(\.[a-z0-9_]{1,20})?$",
        description="What is reported about: a dimension put to people, what is derived of two of "
        "them, or whether an answer names one of several choices.",
    ),
]
