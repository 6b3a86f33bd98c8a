"""Slices of a study: its questions told apart by what is known of them, each written `key=value`.

What is known stands in a question's metadata, the name of its data set under `dataset`. Texts,
numbers and yes or no make slices; lists, objects and long texts are kept and make none.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

DATASET = "dataset"
KEY_CHARS = 60
VALUE_CHARS = 200


class SliceError(ValueError):
    """A slice that cannot be; the message says what one looks like."""


def facets(metadata: Mapping[str, Any]) -> dict[str, str]:
    """What of a question's metadata makes slices: each key with its value as it is written."""
    found = {key: _written(value) for key, value in metadata.items() if is_key(key)}
    return {key: text for key, text in sorted(found.items()) if is_value(text)}


def is_key(key: str) -> bool:
    """A key of digits alone would be a place in a list to databases."""
    is_short = 0 < len(key) <= KEY_CHARS and key.strip() == key and key.isprintable()
    return is_short and "=" not in key and not key.lstrip("-").isdigit()


def is_value(text: str) -> bool:
    return 0 < len(text) <= VALUE_CHARS and text.strip() == text and text.isprintable()


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, bool | int | float) else ""


def stored(text: str) -> list[Any]:
    """The values that are written so: the text itself, and the number or yes or no that it is."""
    try:
        value = json.loads(text)
    except ValueError:
        return [text]
    return [text, value] if _written(value) == text and not isinstance(value, str) else [text]


def parted(one: str) -> tuple[str, str]:
    """The key and the value of a slice."""
    key, sign, value = one.partition("=")
    if not (sign and is_key(key) and is_value(value)):
        raise SliceError(f"A slice is a key and a value, such as dataset=asqa; found “{one[:80]}”.")
    return key, value


def by_key(slices: Iterable[str]) -> dict[str, set[str]]:
    """The wanted values of each key."""
    wanted: dict[str, set[str]] = {}
    for key, value in map(parted, slices):
        wanted.setdefault(key, set()).add(value)
    return wanted


def is_within(known: Mapping[str, str], wanted: Mapping[str, set[str]]) -> bool:
    """Whether a question is in the slices: of each key in one of them, so that two data sets are
    both of them, and a data set and a kind are that kind of question in that data set."""
    return all(known.get(key) in values for key, values in wanted.items())
