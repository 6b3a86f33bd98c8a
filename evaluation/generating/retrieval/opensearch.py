"""Search an OpenSearch server by its API. Elasticsearch takes the same request.

The address is that of the search, `https://search.example.org:9200/wikipedia/_search`; the key is
`name:password`. The query is a `multi_match` over title and text; the server decides how words are
divided and weighted.
"""

import base64
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotate.formats.passages_file import TEXTS
from annotate.text.search_result import Found
from annotate.work.outgoing import wait
from evaluation.judges.entailment import Door, ScorerError
from evaluation.judges.entailment.posting import Server, ServerRefusedError

VERSION = 1
SEARCH = "/_search"
FIELDS = ("title", *TEXTS)
FOR_EACH = 100_000
"""The maximum number of bytes of an answer for each passage."""


class OpenSearch:
    """Ask a server, one query after the other."""

    def __init__(
        self,
        door: Door,
        *,
        timeout: float = 30.0,
        tries: int = 6,
        per_minute: int = 0,
        sleep: Callable[[float], None] = wait,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not door.url.partition("?")[0].endswith(SEARCH):
            raise ScorerError(f"{door.called}: expected an address that ends in INDEX{SEARCH}.")
        self._door = door
        self._server = Server(
            door,
            timeout=timeout,
            tries=tries,
            per_minute=per_minute,
            sleep=sleep,
            clock=clock,
            headers=basic,
        )

    @property
    def signature(self) -> str:
        """Identify the connection or address. Only the server knows what its index holds."""
        named = "|".join(f"{name}:{value}" for name, value in self._door.identity)
        return f"opensearch:{VERSION}|{named}"

    def search(self, queries: Sequence[str], k: int) -> list[list[Found]]:
        """Return for each query its best passages, the best first."""
        return [self._asked(query, k) if query.strip() and k > 0 else [] for query in queries]

    def _asked(self, query: str, k: int) -> list[Found]:
        asked = {
            "size": k,
            "_source": [*FIELDS, "url"],
            "query": {"multi_match": {"query": query, "fields": list(FIELDS)}},
        }
        try:
            answer = self._server.post(asked, answers=k, most_bytes=k * FOR_EACH)
        except ServerRefusedError as refusal:
            raise ScorerError(str(refusal)) from None
        try:
            return [_found(hit) for hit in answer["hits"]["hits"]][:k]
        except (AttributeError, KeyError, StopIteration, TypeError, ValueError):
            raise self._server.unexpected("hits with an _id, a _score and a text", answer) from None


def _found(hit: Mapping[str, Any]) -> Found:
    source = hit["_source"]
    text = next(source[name] for name in TEXTS if source.get(name))
    title, url = source.get("title") or "", source.get("url") or ""
    if not all(isinstance(value, str) for value in (text, title, url)):
        raise TypeError
    return Found(str(hit["_id"]), text, float(hit["_score"]), title, url)


def basic(key: str) -> dict[str, str]:
    """Return the header for a name and password."""
    if not key:
        return {}
    return {"Authorization": f"Basic {base64.b64encode(key.encode()).decode()}"}
