"""Build the index of a corpus from a stream of passages, and search it."""

import heapq
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from shutil import rmtree

import numpy as np

from annotate.text import bm25
from annotate.text.addresses import digests_of
from annotate.text.corpus import segments
from annotate.text.corpus.passages import KEYS, CorpusPassage, CorpusTexts, PassageWriter
from annotate.text.corpus.words import Words
from annotate.text.search_result import Found

FACTS = "corpus.json"
FORMAT_VERSION = 2
"""Version of the folder's format."""

READABLE_VERSIONS = {1, FORMAT_VERSION}
"""Versions that can be searched. Version 1 has no lookup of pages."""

MOST_OF_PAGE = 10_000
"""Maximum number of passages of a page. A title with more is no real title, such as “untitled”."""

PROGRESS_EVERY = 2_000
"""Passages between two calls of the progress function."""


class RepeatedKey(Exception):  # noqa: N818
    """Two passages have the same key."""


class Unsearchable(Exception):  # noqa: N818
    """The folder has no index, or an index of another version."""


class CorpusBuilder:
    """Write a corpus into a folder, after removing its contents."""

    def __init__(
        self,
        folder: Path,
        *,
        most_tokens: int = segments.MOST_TOKENS,
        progress_every: int = PROGRESS_EVERY,
    ) -> None:
        rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._folder = folder
        self._most_tokens, self._progress_every = most_tokens, progress_every
        self._texts = PassageWriter(folder)
        self._sizes: list[int] = []

    @property
    def count(self) -> int:
        return self._texts.count

    def build(
        self,
        passages: Iterable[CorpusPassage],
        *,
        report_progress: Callable[[int], object] = lambda _: None,
    ) -> int:
        """Read all passages, and return their number. `report_progress` is called with the current
        number, and may raise an exception to stop."""
        builder = segments.SegmentBuilder()
        for passage in passages:
            self._texts.add(passage)
            builder.add(passage.searched)
            builder.add_page(passage.title, passage.url)
            if builder.tokens >= self._most_tokens:
                builder = self._written(builder)
            if self.count % self._progress_every == 0:
                report_progress(self.count)
        self._written(builder)
        self._texts.close()
        if repeated := self._texts.repeated():
            raise RepeatedKey(repeated)
        (self._folder / KEYS).unlink()
        segments.join(self._folder, [_segment(self._folder, n) for n in range(len(self._sizes))])
        facts = {
            "form": FORMAT_VERSION,
            "passages": self.count,
            "sizes": self._sizes,
            "by": bm25.signature(),
        }
        (self._folder / FACTS).write_text(json.dumps(facts), encoding="utf-8")
        return self.count

    def _written(self, builder: segments.SegmentBuilder) -> segments.SegmentBuilder:
        if builder.passages:
            builder.write(_segment(self._folder, len(self._sizes)))
            self._sizes.append(builder.passages)
        return segments.SegmentBuilder()


class CorpusIndex:
    """An existing corpus, opened for searching by words."""

    def __init__(self, folder: Path, signature: str) -> None:
        try:
            facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise Unsearchable(f"There is no index in {folder}.") from None
        self.has_pages = facts["form"] == FORMAT_VERSION
        """Whether the passages of a page can be looked up."""

        if facts["form"] not in READABLE_VERSIONS:
            raise Unsearchable(f"The index in {folder} is of another version: build it again.")
        self.passages = signature
        """Identifies the passages."""

        self._by = facts["by"]
        self.texts = CorpusTexts(folder)
        self._words = Words(folder)
        self._segments = []
        segments.raise_open_file_limit()
        first = 0
        for number, size in enumerate(facts["sizes"]):
            self._segments.append(segments.Segment(_segment(folder, number), first, size))
            first += size

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def signature(self) -> str:
        return f"{self.passages}|{self._by}"

    def search(self, queries: Sequence[str], k: int) -> list[list[Found]]:
        """Return for each query its best passages, the best first; ties in corpus order. Passages
        that share no word with the query are left out."""
        return [self.found(self.best(query, k)) for query in queries]

    def of_page(self, title: str, address: str) -> list[Found]:
        """Return the passages of a page by title or address, in order. In rare cases, passages of
        another page are among them."""
        digests = digests_of(title, address)
        numbers = [n for segment in self._segments for n in segment.of_page(digests)]
        return self.found([(0.0, number) for number in numbers[:MOST_OF_PAGE]])

    def found(self, ranked: Sequence[tuple[float, int]]) -> list[Found]:
        """Return the search results for scores and numbers."""
        passages = self.texts.get([number for _, number in ranked])
        return [
            Found(passage.key, passage.text, score, passage.title, passage.url)
            for (score, _), passage in zip(ranked, passages, strict=True)
        ]

    def best(self, query: str, k: int) -> list[tuple[float, int]]:
        """Return score and number of the best passages."""
        numbers = [self._words.find(word) for word in bm25.words_of(query)]
        known_words = [number for number in numbers if number is not None]
        kept: list[tuple[float, int]] = []  # a heap: the worst first
        for segment in self._segments if known_words and k > 0 else ():
            scores = segment.scores(known_words)
            if scores is None:
                continue
            floor = kept[0][0] if len(kept) == k else 0.0
            (places,) = np.nonzero(scores > floor)
            if len(places) > k:
                least = np.partition(scores[places], -k)[-k]
                places = places[scores[places] >= least]
            for place in places.tolist():
                each = (float(scores[place]), -(segment.first + place))
                if len(kept) < k:
                    heapq.heappush(kept, each)
                else:
                    heapq.heappushpop(kept, each)
        return [(score, -number) for score, number in sorted(kept, reverse=True)]


def _segment(folder: Path, number: int) -> Path:
    return folder / f"segment-{number:05}"
