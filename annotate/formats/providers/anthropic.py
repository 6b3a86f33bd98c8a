"""Anthropic: messages with text blocks that name their sources.

https://docs.anthropic.com/en/docs/build-with-claude/citations
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotate.formats.fields import Fields, whole_number
from annotate.formats.problems import shown
from annotate.formats.providers.draft import Draft, first_of, last_user_text, texts_in

BETWEEN = "\n\n"


def is_answer(answer: Mapping[str, Any]) -> bool:
    is_message = answer.get("type") == "message" or answer.get("role") == "assistant"
    return is_message and isinstance(answer.get("content"), list)


def read(answer: Fields, request: Mapping[str, Any], draft: Draft) -> None:
    """Join the text blocks, with a blank line where another block was between them."""
    draft.model = answer.name("model")
    draft.question = last_user_text(request.get("messages"), "text")
    documents = [_document(block, draft) for block in _blocks(request.get("messages"), "document")]
    sent = len(documents)
    results = [_result(each, draft) for each in _blocks(request.get("messages"), "search_result")]
    is_apart = False
    for block in answer.objects("content"):
        if block.take("type") != "text":
            documents += _fetched(block, draft)
            is_apart = bool(draft.text)
            continue
        text = block.text("text")
        draft.text += BETWEEN * is_apart + text
        is_apart = False
        for citation in block.objects("citations", required=False):
            number = _result_cited(citation, results) or _cited(citation, draft, documents, sent)
            if number:
                quote = citation.optional_text("cited_text")
                draft.cite(len(draft.text) - len(text), len(draft.text), number, quote)


def _blocks(messages: Any, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the blocks of one kind in the order sent, including tool results."""
    for message in messages if isinstance(messages, list) else ():
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            if not isinstance(block, dict):
                continue
            if block.get("type") == kind:
                yield block
            elif isinstance(inner := block.get("content"), list):
                yield from (b for b in inner if isinstance(b, dict) and b.get("type") == kind)


def _document(block: Mapping[str, Any], draft: Draft) -> int:
    """Add a document of the request, and return its number."""
    given = block.get("source")
    source: Mapping[str, Any] = given if isinstance(given, dict) else {}
    title = block.get("title")
    content = source.get("data") if source.get("type") == "text" else source.get("content")
    key = first_of(source, "url", "file_id") or f"document {len(draft.sources)}"
    return draft.source(
        str(key),
        title=title if isinstance(title, str) else "",
        text="\n".join(texts_in(content, "text")),
        url=str(source.get("url") or ""),
    )


def _result(block: Mapping[str, Any], draft: Draft) -> tuple[str, int]:
    """Add a search result of the request, and return its source and number."""
    key, title = block.get("source"), block.get("title")
    if not isinstance(key, str) or not key:
        return "", 0
    text = "\n".join(texts_in(block.get("content"), "text"))
    return key, draft.part(key, title=title if isinstance(title, str) else "", text=text)


def _fetched(block: Fields, draft: Draft) -> Iterator[int]:
    """Yield the number of a page that the model fetched itself."""
    if block.take("type") == "web_fetch_tool_result":
        page = block.object("content")
        content, url = page.get("content"), page.get("url")
        if isinstance(content, dict) and isinstance(url, str) and url:
            given = content.get("source")
            source = given if isinstance(given, dict) else {}
            yield _document({**content, "source": {**source, "url": url}}, draft)


def _result_cited(citation: Fields, results: Sequence[tuple[str, int]]) -> int:
    """Return the search result at the citation's index, if its source is the same."""
    place = whole_number(citation.take("search_result_index"))
    if place is None or not 0 <= place < len(results):
        return 0
    key, number = results[place]
    return number if key == citation.take("source") else 0


def _cited(citation: Fields, draft: Draft, documents: Sequence[int], sent: int) -> int:
    """Return the source of a citation: a page by address, a document by index. The number of
    `sent` documents is known only with the request. Their indexes come first."""
    address = citation.optional_text("url") or citation.optional_text("source")
    title = citation.optional_text("title") or citation.optional_text("document_title")
    if address:
        return draft.source(address, title=title)
    place = whole_number(citation.take("document_index"))
    if place is None or place < 0 or (sent and place >= len(documents)):
        most = f"from 0 to {len(documents) - 1}" if sent else "from 0"
        expected = f"the place of a document, {most}, or an address"
        citation.complain("document_index", expected, shown(citation.take("document_index")))
        return 0
    titles = [source.title for source in draft.sources.values()]
    called = [number for number in documents if title and titles[number - 1] == title]
    if len(called) == 1:
        return called[0]
    if place < len(documents):
        return documents[place]
    return draft.source(citation.name("file_id", longest=500) or f"document {place}", title=title)
