"""BM25 in segments: the postings of some passages each, with weights of the whole corpus.

The weights are those of bm25s's method *lucene*,

    ln(1 + (N - df + .5) / (df + .5)) · tf / (k1 · (1 - b + b · length / mean length) + tf),

with N, df and the mean length of the whole corpus. A passage therefore has exactly the score that
it has in one index of all passages. bm25s itself needs all words of all passages in memory; here
only one segment is, in the arrays that bm25s reads from disk.
"""

import heapq
import math
import resource
from array import array
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby, repeat
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from annotate.text import bm25
from annotate.text.addresses import digests_of
from annotate.text.corpus.words import WordWriter, read_sorted, write_sorted

K1, B = 1.5, 0.75
"""The defaults of bm25s."""

MOST_TOKENS = 1 << 22
"""A segment ends with the passage that reaches this number of words."""

PAGES, PAGE_OF = "pages.npy", "page_of.npy"
"""Digests of titles and addresses, sorted, and the passage of each."""

INDICES, INDPTR, COUNTS, WEIGHTS, LENGTHS, WORDS, NUMBERS = (
    "indices.npy", "indptr.npy", "counts.npy", "weights.npy", "lengths.npy", "words", "numbers.npy",
)  # fmt: skip

WORD_NUMBERS, IDF = "numbers.u32", "idf.f32"
"""Files that exist only while segments are joined."""

_BUFFERED = 1024
"""Words of each segment that are buffered while segments are joined."""


class SegmentBuilder:
    """The words of one segment's passages, until they are sorted and written."""

    def __init__(self) -> None:
        self._words: dict[str, int] = {}
        self._ids = array("I")
        self._lengths = array("I")
        self._pages, self._page_of = array("Q"), array("I")

    @property
    def tokens(self) -> int:
        return len(self._ids)

    @property
    def passages(self) -> int:
        return len(self._lengths)

    def add(self, text: str) -> None:
        known = self._words
        ids = [known.setdefault(word, len(known)) for word in bm25.words_of(text)]
        self._ids.extend(ids)
        self._lengths.append(len(ids))

    def add_page(self, title: str, address: str) -> None:
        """Record the page of the passage added last."""
        for digest in digests_of(title, address):
            self._pages.append(digest)
            self._page_of.append(len(self._lengths) - 1)

    def write(self, folder: Path) -> None:
        """Write the postings, ordered by the words' bytes and then by passage."""
        folder.mkdir()
        words = [word.encode("utf-8", "surrogatepass") for word in self._words]
        order = sorted(range(len(words)), key=words.__getitem__)
        write_sorted(folder / WORDS, (words[number] for number in order))
        place = np.empty(len(words), dtype=np.int64)
        place[order] = np.arange(len(words))
        lengths = np.frombuffer(self._lengths, dtype=np.uint32)
        keys = place[np.frombuffer(self._ids, dtype=np.uint32)]
        keys <<= 32
        keys |= np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
        keys.sort()
        new = np.empty(len(keys), dtype=bool)
        new[:1] = True
        np.not_equal(keys[1:], keys[:-1], out=new[1:])
        (first,) = np.nonzero(new)
        counts = np.diff(first, append=len(keys))
        keys = keys[first]
        starts = np.searchsorted(keys, np.arange(len(words) + 1, dtype=np.int64) << 32)
        np.save(folder / INDICES, (keys & 0xFFFFFFFF).astype(np.int32))
        np.save(folder / INDPTR, starts.astype(np.int64))
        np.save(folder / COUNTS, counts.astype(np.float32))
        np.save(folder / LENGTHS, lengths)
        pages = np.frombuffer(self._pages, dtype=np.uint64)
        by_digest = np.argsort(pages, kind="stable")
        np.save(folder / PAGES, pages[by_digest])
        np.save(folder / PAGE_OF, np.frombuffer(self._page_of, dtype=np.uint32)[by_digest])


def join(folder: Path, segments: list[Path]) -> None:
    """Join the segments' counts into the words and weights of the whole corpus."""
    passages, tokens = 0, 0
    for segment in segments:
        lengths = np.load(segment / LENGTHS)
        passages += len(lengths)
        tokens += int(lengths.sum(dtype=np.int64))
    _join_words(folder, segments, passages)
    mean = tokens / passages if passages else 0.0
    for segment in segments:
        _weigh(segment, mean)


def _join_words(folder: Path, segments: list[Path], passages: int) -> None:
    """Write all words, and the numbers and weights of each segment's words. Memory is
    constant: only a little of each segment is read at a time."""
    writer = WordWriter(folder)
    numbers = [_WordNumbers(segment) for segment in segments]
    streams = [
        zip(read_sorted(segment / WORDS), _passages_with(segment), repeat(place), strict=False)
        for place, segment in enumerate(segments)
    ]
    for number, (word, having) in enumerate(groupby(heapq.merge(*streams), key=itemgetter(0))):
        places = [(place, df) for _, df, place in having]
        idf = _idf(sum(df for _, df in places), passages)
        for place, _ in places:
            numbers[place].add(number, idf)
        writer.add(word)
    writer.close()
    for segment, own_numbers in zip(segments, numbers, strict=True):
        own_numbers.close()
        (segment / WORDS).unlink()


def _passages_with(segment: Path) -> Iterator[int]:
    """Yield how many passages of the segment have each word. The file is opened for each
    batch: a permanent map would count as memory and as an open file."""
    path = segment / INDPTR
    for first in range(0, len(np.load(path, mmap_mode="r")) - 1, _BUFFERED):
        some = slice(first, first + _BUFFERED + 1)
        yield from np.diff(np.load(path, mmap_mode="r")[some]).tolist()


class _WordNumbers:
    """The numbers and weights of a segment's words, written in batches. Its files are open
    only during a write, since there may be hundreds of segments."""

    def __init__(self, segment: Path) -> None:
        self._segment = segment
        self._numbers, self._idf = array("I"), array("f")

    def add(self, number: int, idf: float) -> None:
        self._numbers.append(number)
        self._idf.append(idf)
        if len(self._numbers) >= _BUFFERED:
            self._write()

    def _write(self) -> None:
        for name, held in ((WORD_NUMBERS, self._numbers), (IDF, self._idf)):
            with (self._segment / name).open("ab") as file:
                held.tofile(file)
            del held[:]

    def close(self) -> None:
        self._write()
        own_numbers = self._segment / WORD_NUMBERS
        np.save(self._segment / NUMBERS, np.fromfile(own_numbers, dtype=np.uint32))
        own_numbers.unlink()


def _idf(df: int, passages: int) -> float:
    return math.log(1 + (passages - df + 0.5) / (df + 0.5))


def _weigh(segment: Path, mean: float) -> None:
    counts, lengths = np.load(segment / COUNTS), np.load(segment / LENGTHS)
    indices, starts = np.load(segment / INDICES, mmap_mode="r"), np.load(segment / INDPTR)
    idf = np.fromfile(segment / IDF, dtype=np.float32)
    weights = np.empty(len(counts), dtype=np.float32)
    step = 1 << 20
    denominators = K1 * ((1 - B) + B * lengths.astype(np.int64) / mean) if mean else lengths
    word = np.repeat(np.arange(len(idf), dtype=np.int32), np.diff(starts))
    for at in range(0, len(counts), step):
        part = slice(at, at + step)
        weights[part] = idf[word[part]] * (
            counts[part] / (denominators[indices[part]] + counts[part])
        )
    np.save(segment / WEIGHTS, weights)
    for name in (COUNTS, LENGTHS, IDF):
        (segment / name).unlink()


def raise_open_file_limit() -> None:
    """Raise this process's limit of open files to its maximum. A mapped segment counts as four
    files, and a corpus of millions has hundreds of segments."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if now != most:
        with suppress(ValueError, OSError):  # some systems report no limit and still have one
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Segment:
    """The postings of some passages, read from disk."""

    def __init__(self, folder: Path, first: int, passages: int) -> None:
        self.first = first
        """The number of its first passage."""

        self._numbers = np.load(folder / NUMBERS, mmap_mode="r")
        self._folder = folder
        self._index = bm25.index_of_arrays(
            data=np.load(folder / WEIGHTS, mmap_mode="r"),
            indices=np.load(folder / INDICES, mmap_mode="r"),
            indptr=np.load(folder / INDPTR, mmap_mode="r"),
            num_docs=passages,
        )

    def of_page(self, digests: list[int]) -> list[int]:
        """Return the numbers of the passages with one of these digests."""
        pages = np.load(self._folder / PAGES, mmap_mode="r")
        page_of = np.load(self._folder / PAGE_OF, mmap_mode="r")
        wanted = np.array(digests, dtype=np.uint64)
        first, last = (np.searchsorted(pages, wanted, side) for side in ("left", "right"))
        found = {place for a, b in zip(first, last, strict=True) for place in page_of[a:b].tolist()}
        return [self.first + place for place in sorted(found)]

    def scores(self, words: list[int]) -> NDArray[np.float32] | None:
        """Return a score for each passage; None if no passage has any of the words. A repeated
        word counts repeatedly."""
        if not len(self._numbers):
            return None
        places = np.searchsorted(self._numbers, words)
        places = places[
            self._numbers[np.minimum(places, len(self._numbers) - 1)] == np.asarray(words)
        ]
        if not len(places):
            return None
        found: NDArray[np.float32] = self._index.get_scores_from_ids(places)
        return found
