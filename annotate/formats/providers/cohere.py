"""Cohere: chats of versions 1 and 2, with citations as character ranges.

https://docs.cohere.com/docs/rag-citations
"""

from collections.abc import Mapping
from typing import Any

from annotate.formats.fields import Fields
from annotate.formats.limits import LONG_NAME_CHARS
from annotate.formats.problems import shown
from annotate.formats.providers.draft import Draft, cited_range, first_of, last_user_text

TEXTS = ("text", "snippet", "contents", "content")


def is_version_2(answer: Mapping[str, Any]) -> bool:
    message = answer.get("message")
    return isinstance(message, dict) and isinstance(message.get("content"), list)


def is_version_1(answer: Mapping[str, Any]) -> bool:
    known = {"generation_id", "response_id", "citations", "documents"}
    return isinstance(answer.get("text"), str) and bool(known & answer.keys())


def read_version_2(answer: Fields, request: Mapping[str, Any], draft: Draft) -> None:
    """Read the message's texts. Its citations count characters within one of them."""
    _asked(request, draft)
    message = answer.inside("message")
    texts = []
    for part in message.objects("content"):
        texts.append(part.text("text") if part.take("type") in (None, "text") else "")
    draft.text = "".join(texts)
    for citation in message.objects("citations", required=False):
        if citation.take("type") not in (None, "TEXT_CONTENT"):
            continue  # a thought or a plan, which is not in the text
        at = citation.take("content_index") or 0
        if not isinstance(at, int) or not 0 <= at < len(texts):
            expected = f"the place of one of {len(texts)} texts"
            citation.complain("content_index", expected, shown(at))
            continue
        numbers = [_source(source, draft) for source in citation.objects("sources", required=False)]
        _cite(citation, texts[at], sum(map(len, texts[:at])), numbers, draft)


def read_version_1(answer: Fields, request: Mapping[str, Any], draft: Draft) -> None:
    """Read the text, and the documents that citations name by id."""
    _asked(request, draft)
    draft.text = answer.text("text")
    for document in answer.objects("documents", required=False):
        _take(document.name("id", longest=LONG_NAME_CHARS), document.rest(), draft)
    for citation in answer.objects("citations", required=False):
        numbers = []
        for index, key in enumerate(citation.items("document_ids", required=False)):
            if isinstance(key, str) and key:
                numbers.append(draft.source(key))
            else:
                citation.complain(f"document_ids[{index}]", "the id of a document", shown(key))
        _cite(citation, draft.text, 0, numbers, draft)


def _asked(request: Mapping[str, Any], draft: Draft) -> None:
    """Read the question and the documents of the request."""
    draft.model = str(request.get("model") or "")[:200]
    draft.question = last_user_text(first_of(request, "messages", "message"), "text")
    given = request.get("documents")
    for index, document in enumerate(given if isinstance(given, list) else []):
        if isinstance(document, str):
            _take(f"doc:{index}", {"text": document}, draft)
        elif isinstance(document, dict):
            key = document.get("id")
            _take(key if isinstance(key, str) else f"doc:{index}", document, draft)


def _source(source: Fields, draft: Draft) -> int:
    key = source.name("id", longest=LONG_NAME_CHARS, required=True)
    inner = source.object("document") or source.object("tool_output")
    return _take(key, inner, draft)


def _take(key: str, document: Mapping[str, Any], draft: Draft) -> int:
    """Add a document, and return its number."""
    inner = document.get("data")
    if isinstance(inner, str):
        inner = {"text": inner}
    data: Mapping[str, Any] = inner if isinstance(inner, dict) else document
    title, url, text = data.get("title"), data.get("url"), first_of(data, *TEXTS)
    return draft.source(
        key,
        title=title if isinstance(title, str) else "",
        url=url if isinstance(url, str) else "",
        text=text if isinstance(text, str) else "",
    )


def _cite(citation: Fields, text: str, base: int, numbers: list[int], draft: Draft) -> None:
    place = cited_range(citation, text, start="start", end="end", text_field="text")
    if place is not None:
        for number in numbers:
            draft.cite(base + place[0], base + place[1], number)
