"""What a question may bring along to judge correctness by."""

from collections.abc import Mapping
from typing import Any

from annotate.formats.fields import Fields
from annotate.formats.problems import shown

REFERENCES = ("answer", "annotations", "qa_pairs", "answers", "claims")


def take_references(fields: Fields) -> dict[str, Any]:
    """The references among an object's fields, as given, once their shape is right."""
    references: dict[str, Any] = {}
    for name in REFERENCES:
        value = fields.take(name)
        if value is None:
            continue
        expected = _expected(name, value)
        if expected:
            fields.complain(name, expected, shown(value))
        references[name] = value
    return references


def _expected(name: str, value: Any) -> str:
    """What the reference should have been, or nothing where it is well formed."""
    match name:
        case "answer":
            return "" if isinstance(value, str) or _texts(value) else "a text or a list of texts"
        case "claims":
            return "" if _texts(value) else "a list of texts"
        case "answers":
            right = isinstance(value, list) and all(_texts(aliases) for aliases in value)
            return "" if right else "a list of lists of aliases"
        case "qa_pairs":
            right = isinstance(value, list) and all(
                isinstance(pair, Mapping) and _texts(pair.get("short_answers")) for pair in value
            )
            return "" if right else "a list of objects, each with a list of texts in short_answers"
    right = isinstance(value, list) and all(
        isinstance(note, Mapping) and isinstance(note.get("long_answer"), str) for note in value
    )
    return "" if right else "a list of objects, each with a text in long_answer"


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)
