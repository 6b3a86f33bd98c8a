"""Parsers of request bodies."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import FormParser, JSONParser, MultiPartParser

DEEPEST = 64
"""The limit of nested lists and objects. Valid requests have only a few levels."""

TOO_DEEP = "The JSON holds values nested too deeply."


class ShallowJSONParser(JSONParser):
    """A JSON parser that refuses values nested too deeply to process."""

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            found = super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError(TOO_DEEP) from None
        level, depth = [found], 0
        while level := [each for value in level for each in _within(value)]:
            depth += 1
            if depth > DEEPEST:
                raise ParseError(TOO_DEEP)
        return found


def _within(value: object) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


JSON_ALONE = (ShallowJSONParser,)
FILES = (MultiPartParser,)
JSON_OR_FORM = (ShallowJSONParser, FormParser, MultiPartParser)
"""For addresses that take a few simple fields or none."""
