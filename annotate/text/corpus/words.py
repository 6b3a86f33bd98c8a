"""The words of a corpus on disk, sorted. A word's number is its rank."""

import mmap
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from annotate.text.corpus.passages import NumberFile

WORDS, STARTS = "words.txt", "words.u64"

READ_BYTES = 1 << 13
"""Bytes of sorted words that are read at a time."""


class WordWriter:
    """Write words that arrive sorted by their bytes."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / WORDS).open("wb")
        self._starts = NumberFile(folder / STARTS, "Q")
        self._offset = 0

    def add(self, word: bytes) -> None:
        self._starts.add(self._offset)
        self._offset += self._file.write(word + b"\n")

    def close(self) -> None:
        self._starts.add(self._offset)
        self._starts.close()
        self._file.close()


class Words:
    """Look up words without reading all of them."""

    def __init__(self, folder: Path) -> None:
        self._starts = np.memmap(folder / STARTS, dtype=np.uint64, mode="r")
        self._count = len(self._starts) - 1
        with (folder / WORDS).open("rb") as file:
            size = folder.joinpath(WORDS).stat().st_size
            self._words = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""

    def find(self, word: str) -> int | None:
        """Return a word's number; None if no passage has it."""
        wanted = word.encode("utf-8", "surrogatepass")
        place = bisect_left(range(self._count), wanted, key=self._word)
        return place if place < self._count and self._word(place) == wanted else None

    def _word(self, number: int) -> bytes:
        return self._words[int(self._starts[number]) : int(self._starts[number + 1]) - 1]


def write_sorted(path: Path, words: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        file.writelines(word + b"\n" for word in words)


def read_sorted(path: Path) -> Iterator[bytes]:
    """Yield the words of a file in batches. The file is open only during a read."""
    start = 0
    while True:
        with path.open("rb") as file:
            file.seek(start)
            lines = file.readlines(READ_BYTES)
            start = file.tell()
        if not lines:
            return
        yield from (line[:-1] for line in lines)
