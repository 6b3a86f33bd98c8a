"""Interpret cells: texts, lists in one cell, and passages in various shapes."""

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from annotate.formats.fields import whole_number
from annotate.formats.passages_file import IDS, TEXTS, split_contents

TITLES = ("title", "heading", "document_title", "doc_title", "source_title", "name")
URLS = ("url", "link", "uri", "source_url", "href")
PARTS = {
    "text": (*TEXTS, "snippet", "context", "document", "sent"),
    "title": TITLES,
    "id": tuple(name for name in IDS if name not in URLS),
    "url": URLS,
}
"""Usual names of a passage's parts, the likeliest first."""

_BETWEEN_IDS = re.compile(r"[;,|\s]+")


def text_of(cell: Any) -> Any:
    """Return a cell as a text. A value that is no text stays, and is refused later."""
    if cell is None:
        return ""
    if isinstance(cell, (int, float)) and not isinstance(cell, bool):
        number = whole_number(cell)
        return str(cell if number is None else number)
    return cell


def value_of(cell: Any) -> Any:
    """Return a cell as the text of an answer, with booleans as in JSON."""
    return str(cell).lower() if isinstance(cell, bool) else text_of(cell)


def parsed_cell(cell: Any) -> Any:
    """Parse a text with a list or object, as JSON or as Python prints it."""
    if not isinstance(cell, str) or cell.strip()[:1] not in {"[", "{"}:
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        pass
    try:
        found = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return cell
    return list(found) if isinstance(found, tuple) else found


def boolean_of(cell: Any) -> Any:
    """Return a cell as true or false. Other values stay, and are refused later."""
    said = {"true": True, "false": False, "": None}
    return said.get(cell.strip().lower(), cell) if isinstance(cell, str) else cell


def are_spans(cell: Any) -> bool:
    """Return whether a cell may list citations as ranges of the answer."""
    return _lists_objects_with(cell, "start", "end", "passages")


def are_statements(cell: Any) -> bool:
    """Return whether a cell may list the answer's statements with their citations."""
    return _lists_objects_with(cell, "text", "passages")


def _lists_objects_with(cell: Any, *names: str) -> bool:
    """Return whether a cell lists objects with these members. Empty cells count."""
    found = parsed_cell(cell)
    if found in (None, "", []):
        return True
    return isinstance(found, list) and all(
        isinstance(each, dict) and each.keys() >= {*names} for each in found
    )


def items_in(cell: Any) -> list[Any] | None:
    """Return the items that a cell lists; None if it is one item."""
    found = parsed_cell(cell)
    if isinstance(found, list):
        return found
    if isinstance(found, dict) and found and all(isinstance(v, list) for v in found.values()):
        longest = max(len(column) for column in found.values())
        return [
            {key: column[n] for key, column in found.items() if n < len(column)}
            for n in range(longest)
        ]
    return None


def ids_in(cell: Any) -> list[Any]:
    """Return the ids in a cell: a list, or a text with separators."""
    found = items_in(cell)
    if found is None:
        text = text_of(cell)
        found = (
            [part for part in _BETWEEN_IDS.split(text) if part] if isinstance(text, str) else [text]
        )
    return [text_of(each) for each in found]


def passage_of(members: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a passage in Attest's format from an object with its own field names. None means
    that it has no text."""
    names = {name.lower(): name for name in members}
    taken = {
        part: next(
            (names[one] for one in known if one in names and members[names[one]] is not None), ""
        )
        for part, known in PARTS.items()
    }
    if not taken["text"]:
        return None
    found: dict[str, Any] = {part: text_of(members[name]) for part, name in taken.items() if name}
    rest = {key: value for key, value in members.items() if key not in taken.values()}
    if isinstance(rest.get("metadata"), str):
        rest["metadata"] = parsed_cell(rest["metadata"]) or None
    if found.get("url") == "":
        del found["url"]
    if isinstance(found.get("url"), str) and not found["url"].startswith(("http://", "https://")):
        kept = rest.get("metadata")
        known = kept if isinstance(kept, dict) else {}
        rest["metadata"] = {**known, taken["url"]: found.pop("url")}
    if taken["text"] == "contents" and not found.get("title") and isinstance(found["text"], str):
        title, section, found["text"] = split_contents(found["text"])
        found |= {"title": title} | ({"section": section} if section else {})
    return {"title": "", **rest, **found}
