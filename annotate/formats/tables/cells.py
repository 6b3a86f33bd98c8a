"""What cells hold: texts, lists that stand in one cell, and passages in the shapes they come in."""

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from annotate.formats.fields import whole_number
from annotate.formats.passages_file import IDS, TEXTS, divided

TITLES = ("title", "heading", "document_title", "doc_title", "source_title", "name")
URLS = ("url", "link", "uri", "source_url", "href")
PARTS = {
    "text": (*TEXTS, "snippet", "context", "document", "sent"),
    "title": TITLES,
    "id": tuple(name for name in IDS if name not in URLS),
    "url": URLS,
}
"""By which names a passage's parts are known, the likeliest first."""

_BETWEEN_IDS = re.compile(r"[;,|\s]+")


def text_of(cell: Any) -> Any:
    """A cell as a text: a number is written out, and nothing is an empty text. What else it may be
    stays, to be refused."""
    if cell is None:
        return ""
    if isinstance(cell, (int, float)) and not isinstance(cell, bool):
        number = whole_number(cell)
        return str(cell if number is None else number)
    return cell


def value_of(cell: Any) -> Any:
    """A cell as the text of an answer; truth is written as JSON writes it."""
    return str(cell).lower() if isinstance(cell, bool) else text_of(cell)


def structured(cell: Any) -> Any:
    """A cell with what its text says where that is a list or an object, as JSON or as Python
    prints it."""
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


def truth_of(cell: Any) -> Any:
    """A cell as true or false; what says neither stays, to be refused."""
    said = {"true": True, "false": False, "": None}
    return said.get(cell.strip().lower(), cell) if isinstance(cell, str) else cell


def are_spans(cell: Any) -> bool:
    """Whether a cell may list citations as places in the answer."""
    return _lists_objects_with(cell, "start", "end", "passages")


def are_statements(cell: Any) -> bool:
    """Whether a cell may list the answer's statements with what they cite."""
    return _lists_objects_with(cell, "text", "passages")


def _lists_objects_with(cell: Any, *names: str) -> bool:
    """Nothing is no objection."""
    found = structured(cell)
    if found in (None, "", []):
        return True
    return isinstance(found, list) and all(
        isinstance(each, dict) and each.keys() >= {*names} for each in found
    )


def several(cell: Any) -> list[Any] | None:
    """The things that a cell lists; None where it is one thing."""
    found = structured(cell)
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
    """The ids that a cell names: a list, or a text with signs between them."""
    found = several(cell)
    if found is None:
        text = text_of(cell)
        found = (
            [part for part in _BETWEEN_IDS.split(text) if part] if isinstance(text, str) else [text]
        )
    return [text_of(each) for each in found]


def passage_of(members: Mapping[str, Any]) -> dict[str, Any] | None:
    """A passage as Attest's own format has it, of an object that calls its parts as it likes; None
    where it has no text."""
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
        rest["metadata"] = structured(rest["metadata"]) or None
    if found.get("url") == "":
        del found["url"]
    if isinstance(found.get("url"), str) and not found["url"].startswith(("http://", "https://")):
        kept = rest.get("metadata")
        known = kept if isinstance(kept, dict) else {}
        rest["metadata"] = {**known, taken["url"]: found.pop("url")}
    if taken["text"] == "contents" and not found.get("title") and isinstance(found["text"], str):
        title, section, found["text"] = divided(found["text"])
        found |= {"title": title} | ({"section": section} if section else {})
    return {"title": "", **rest, **found}
