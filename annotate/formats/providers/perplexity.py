"""Perplexity: chat completions with marks that number a list of pages.

https://docs.perplexity.ai/api-reference/chat-completions-post
"""

from collections.abc import Mapping
from typing import Any

from annotate.formats.fields import Fields
from annotate.formats.problems import shown
from annotate.formats.providers.draft import Draft
from annotate.formats.providers.openai import is_chat, read_chat


def is_answer(answer: Mapping[str, Any]) -> bool:
    return is_chat(answer) and bool({"citations", "search_results"} & answer.keys())


def read(answer: Fields, request: Mapping[str, Any], draft: Draft) -> None:
    """Read the pages in the order of their marks, with their search results."""
    results: dict[str, dict[str, str]] = {}
    places = []
    for result in answer.objects("search_results", required=False):
        url = result.text("url", blank=False)
        said = {
            "title": result.optional_text("title"),
            "text": result.optional_text("snippet"),
            "published": result.optional_text("date"),
        }
        known = results.setdefault(url, said)
        results[url] = {name: known[name] or text for name, text in said.items()}
        places.append(url)
    cited = []
    for index, url in enumerate(answer.items("citations", required=False)):
        if isinstance(url, str) and url:
            cited.append(url)
        else:
            answer.complain(f"citations[{index}]", "an address", shown(url))
    cited = cited or places
    for index, url in enumerate(cited):
        key = f"{url} {index + 1}" if url in cited[:index] else url  # it keeps its number
        draft.source(key, url=url, **results.get(url, {}))
    for url in places:
        draft.source(url, url=url, **results[url])
    read_chat(answer, request, draft)
