"""Values of this code as those that `marshal` writes, and back: in a tenth of the time of making
them anew. For this process alone, since another version may have other fields."""

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints


class Packer(NamedTuple):
    """How one kind of value is taken apart and put together."""

    packed: Callable[[Any], tuple[Any, ...]]
    unpacked: Callable[[tuple[Any, ...]], Any]


def packer_of(kind: type[Any], *others: type[Any]) -> Packer:
    """Of a dataclass with at least two fields; what its fields have of the `others`, one or several
    in a tuple or list, is taken apart as well."""
    names = [field.name for field in fields(kind)]
    hints = get_type_hints(kind)
    within = [
        (
            place,
            packer_of(other, *others),
            next((each for each in (tuple, list) if each in named), None),
        )
        for place, named in enumerate(_named_in(hints[name]) for name in names)
        for other in others
        if other in named
    ]
    read: Callable[[Any], tuple[Any, ...]] = attrgetter(*names)
    if not within:
        return Packer(read, lambda values: kind(*values))

    def packed(one: Any) -> tuple[Any, ...]:
        values = list(read(one))
        for place, (apart, _), many in within:
            if value := values[place]:
                values[place] = [*map(apart, value)] if many else apart(value)
        return tuple(values)

    def unpacked(values: tuple[Any, ...]) -> Any:
        whole = list(values)
        for place, (_, together), many in within:
            if value := whole[place]:
                whole[place] = many(map(together, value)) if many else together(value)
        return kind(*whole)

    return Packer(packed, unpacked)


def _named_in(hint: Any) -> set[Any]:
    return {hint, get_origin(hint)}.union(*map(_named_in, get_args(hint)))
