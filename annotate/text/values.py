"""Values of which a file makes many. Nothing changes them: the type checker sees to that, for a
class that sees to it itself (`frozen`) takes three times as long to make each."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

Kind = TypeVar("Kind")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(kind: type[Kind]) -> type[Kind]:
    """A dataclass with slots that can be compared and hashed, and is not to be changed."""
    return dataclass(slots=True, unsafe_hash=True)(kind)
