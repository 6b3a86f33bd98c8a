"""Building the index of a corpus from a stream of passages, and searching it."""

import heapq
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from shutil import rmtree

import numpy as np

from annotate.text import bm25
from annotate.text.corpus import segments
from annotate.text.corpus.passages import KEYS, CorpusPassage, CorpusTexts, PassageWriter
from annotate.text.corpus.words import Words
from annotate.text.pages import digests_of
from annotate.text.search_result import Found

FACTS = "corpus.json"
FORM = 2
"""Which form the folder has."""

READ = {1, FORM}
"""Forms that can be searched; in the first, pages are not looked up."""

MOST_OF_PAGE = 10_000
"""Passages of a page that are looked at: many more have a title that is none, as “untitled”."""

TOLD_EVERY = 2_000
"""After so many passages each, whoever waits hears of them."""


class RepeatedKey(Exception):  # noqa: N818
    """Two passages have one key."""


class Unsearchable(Exception):  # noqa: N818
    """There is no index in the folder, or it is of another form."""


class CorpusBuilding:
    """Writes a corpus into an empty folder; what is in it before that is removed."""

    def __init__(
        self, folder: Path, *, most_tokens: int = segments.MOST_TOKENS, told_every: int = TOLD_EVERY
    ) -> None:
        rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._folder = folder
        self._most_tokens, self._told_every = most_tokens, told_every
        self._texts = PassageWriter(folder)
        self._sizes: list[int] = []

    @property
    def count(self) -> int:
        return self._texts.count

    def build(
        self,
        passages: Iterable[CorpusPassage],
        *,
        went_on: Callable[[int], object] = lambda _: None,
    ) -> int:
        """Reads all passages; how many they are. `went_on` hears of how many now and then, and may
        end it."""
        gathering = segments.SegmentGathering()
        for passage in passages:
            self._texts.add(passage)
            gathering.add(passage.searched)
            gathering.note_page(passage.title, passage.url)
            if gathering.tokens >= self._most_tokens:
                gathering = self._written(gathering)
            if self.count % self._told_every == 0:
                went_on(self.count)
        self._written(gathering)
        self._texts.close()
        if repeated := self._texts.repeated():
            raise RepeatedKey(repeated)
        (self._folder / KEYS).unlink()
        segments.join(self._folder, [_segment(self._folder, n) for n in range(len(self._sizes))])
        facts = {"form": FORM, "passages": self.count, "sizes": self._sizes, "by": bm25.signature()}
        (self._folder / FACTS).write_text(json.dumps(facts), encoding="utf-8")
        return self.count

    def _written(self, gathering: segments.SegmentGathering) -> segments.SegmentGathering:
        if gathering.passages:
            gathering.write(_segment(self._folder, len(self._sizes)))
            self._sizes.append(gathering.passages)
        return segments.SegmentGathering()


class CorpusIndex:
    """A corpus that was built, opened to be searched by words."""

    def __init__(self, folder: Path, signature: str) -> None:
        try:
            facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise Unsearchable(f"There is no index in {folder}.") from None
        self.has_pages = facts["form"] == FORM
        """Whether the passages of a page can be looked up."""

        if facts["form"] not in READ:
            raise Unsearchable(f"The index in {folder} is of another version: build it again.")
        self.passages = signature
        """Names the passages."""

        self._by = facts["by"]
        self.texts = CorpusTexts(folder)
        self._words = Words(folder)
        self._segments = []
        segments.let_open_more()
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
        """For each query its best passages, the best first; of equals the earlier one. What shares
        no word with it is not found."""
        return [self.found(self.best(query, k)) for query in queries]

    def of_page(self, title: str, address: str) -> list[Found]:
        """The passages of a page by its title or its address, in their order; some of another one
        may be among them, if hardly ever."""
        digests = digests_of(title, address)
        numbers = [n for segment in self._segments for n in segment.of_page(digests)]
        return self.found([(0.0, number) for number in numbers[:MOST_OF_PAGE]])

    def found(self, ranked: Sequence[tuple[float, int]]) -> list[Found]:
        """Passages by score and number as what a search finds."""
        passages = self.texts.get([number for _, number in ranked])
        return [
            Found(passage.key, passage.text, score, passage.title, passage.url)
            for (score, _), passage in zip(ranked, passages, strict=True)
        ]

    def best(self, query: str, k: int) -> list[tuple[float, int]]:
        """Score and number of the best passages."""
        numbers = [self._words.find(word) for word in bm25.words_of(query)]
        asked = [number for number in numbers if number is not None]
        kept: list[tuple[float, int]] = []  # a heap: the worst first
        for segment in self._segments if asked and k > 0 else ():
            scores = segment.scores(asked)
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
