"""OpenAI: the Responses API, and chat completions.

https://platform.openai.com/docs/api-reference/responses/object
"""

from collections.abc import Mapping
from typing import Any

from annotate.formats.fields import Fields
from annotate.formats.providers.draft import Draft, any_has, cited_range, last_user_text

CITATIONS = ("url_citation", "file_citation")
"""Keys of nested objects in annotations of chat completions. A file's range may be outside of
it."""


def is_responses(answer: Mapping[str, Any]) -> bool:
    return answer.get("object") == "response" or any_has(answer.get("output"), "type")


def is_chat(answer: Mapping[str, Any]) -> bool:
    choices = answer.get("choices")
    return choices == [] or any_has(choices, "message")


def read_responses(answer: Fields, request: Mapping[str, Any], draft: Draft) -> None:
    """Read the texts of all messages with their citations, and file search results."""
    draft.model = answer.name("model")
    draft.question = last_user_text(request.get("input"), "input_text", "text")
    parts, found = [], dict[tuple[str, str], dict[str, None]]()
    for item in answer.objects("output"):
        kind = item.take("type")
        if kind == "file_search_call":
            for result in item.objects("results", required=False):
                key, title = result.name("file_id", longest=500), result.optional_text("filename")
                texts = found.setdefault((key or title, title), {})
                texts[result.optional_text("text")] = None
        elif kind == "message":
            parts += [part for part in item.objects("content") if _has_text(part)]
    for (key, title), texts in found.items():
        draft.source(key, title=title, text="\n\n".join(filter(None, texts)))
    for part in parts:
        name = "text" if part.has("text") else "refusal"
        text, base = part.text(name), len(draft.text)
        draft.text += text
        for note in part.objects("annotations", required=False):
            _annotated(note, text, base, draft)


def read_chat(answer: Fields, request: Mapping[str, Any], draft: Draft) -> None:
    """Read the first choice. If there are several, all are samples."""
    draft.model = answer.name("model")
    draft.question = last_user_text(request.get("messages"), "text")
    choices = list(answer.objects("choices"))
    messages = [choice.inside("message") for choice in choices]
    if not messages:
        answer.complain("choices", "at least one choice", "none")
        return
    texts = [message.optional_text("content") for message in messages]
    draft.text = texts[0]
    if len(texts) > 1:
        draft.samples = texts
    for note in messages[0].objects("annotations", required=False):
        inner = next((note.inside(kind) for kind in CITATIONS if note.has(kind)), note)
        _annotated(note, draft.text, 0, draft, inner)


def _has_text(part: Fields) -> bool:
    return part.take("type") in ("output_text", "refusal")


def _annotated(
    note: Fields, text: str, base: int, draft: Draft, inner: Fields | None = None
) -> None:
    """Add a citation of a page (a range), or of a file (one place). `inner` is the nested
    object that names the source, if there is one."""
    named = inner or note
    places = named if named.has("end_index") or named.has("index") else note
    url = named.optional_text("url")
    key = url or named.name("file_id", longest=500)
    if not key:
        if note.take("type") in CITATIONS:
            note.complain("file_id", "the file or page that is cited", "nothing")
        return  # the path of a generated file is not a citation
    title = named.optional_text("title") or named.optional_text("filename")
    number = draft.source(key, title=title, url=url)
    if places.has("end_index"):
        place = cited_range(places, text, start="start_index", end="end_index")
    else:
        place = _before(places, text)
    if place is not None:
        draft.cite(base + place[0], base + place[1], number)


def _before(note: Fields, text: str) -> tuple[int, int] | None:
    """Return the range of the character before a file's citation."""
    found = cited_range(note, text, start="none", end="index")
    end = len(text[: found[1]].rstrip()) if found else 0
    return (end - 1, end) if end else None
