"""Slices of a study: questions with a value in their metadata, written `key=value`.

The name of a question's data set is `dataset`. Texts, numbers and booleans make slices; lists,
objects and long texts do not.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

DATASET = "dataset"
KEY_CHARS = 60
VALUE_CHARS = 200


class SliceError(ValueError):
    """A faulty slice. The message describes the format."""


def facets(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Return the keys and values of a question's metadata that make slices."""
    found = {key: _written(value) for key, value in metadata.items() if is_key(key)}
    return {key: text for key, text in sorted(found.items()) if is_value(text)}


def is_key(key: str) -> bool:
    """Whether a text may be a key. Databases would read digits as a position in a list."""
    is_short = 0 < len(key) <= KEY_CHARS and key.strip() == key and key.isprintable()
    return is_short and "=" not in key and not key.lstrip("-").isdigit()


def is_value(text: str) -> bool:
    return 0 < len(text) <= VALUE_CHARS and text.strip() == text and text.isprintable()


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, bool | int | float) else ""


def stored_values(text: str) -> list[Any]:
    """Return the stored values of a text: the text itself, and its number or boolean if any."""
    try:
        value = json.loads(text)
    except ValueError:
        return [text]
    return [text, value] if _written(value) == text and not isinstance(value, str) else [text]


def split_slice(one: str) -> tuple[str, str]:
    """Return the key and the value of a slice."""
    key, sign, value = one.partition("=")
    if not (sign and is_key(key) and is_value(value)):
        raise SliceError(f"A slice is a key and a value, such as dataset=asqa; found “{one[:80]}”.")
    return key, value


def values_by_key(slices: Iterable[str]) -> dict[str, set[str]]:
    """Return the wanted values of each key."""
    wanted: dict[str, set[str]] = {}
    for key, value in map(split_slice, slices):
        wanted.setdefault(key, set()).add(value)
    return wanted


def is_in_slices(known: Mapping[str, str], wanted: Mapping[str, set[str]]) -> bool:
    """Whether a question matches the slices: any wanted value of every wanted key."""
    return all(known.get(key) in values for key, values in wanted.items())
