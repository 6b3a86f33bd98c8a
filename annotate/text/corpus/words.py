"""The words of a corpus on a disk, sorted: a word's number is its place."""

import mmap
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from annotate.text.corpus.passages import NumberFile

WORDS, STARTS = "words.txt", "words.u64"

READ = 1 << 13
"""So many bytes of sorted words are read at a time."""


class WordWriter:
    """Writes words that come sorted by their bytes."""

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
    """Looks words up without reading all of them."""

    def __init__(self, folder: Path) -> None:
        self._starts = np.memmap(folder / STARTS, dtype=np.uint64, mode="r")
        self._count = len(self._starts) - 1
        with (folder / WORDS).open("rb") as file:
            size = folder.joinpath(WORDS).stat().st_size
            self._words = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""

    def find(self, word: str) -> int | None:
        """Its number; none where no passage has it."""
        wanted = word.encode("utf-8", "surrogatepass")
        place = bisect_left(range(self._count), wanted, key=self._word)
        return place if place < self._count and self._word(place) == wanted else None

    def _word(self, number: int) -> bytes:
        return self._words[int(self._starts[number]) : int(self._starts[number + 1]) - 1]


def write_sorted(path: Path, words: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        file.writelines(word + b"\n" for word in words)


def read_sorted(path: Path) -> Iterator[bytes]:
    """Its words, some at a time; the file is open only then, since many are read side by side."""
    start = 0
    while True:
        with path.open("rb") as file:
            file.seek(start)
            lines = file.readlines(READ)
            start = file.tell()
        if not lines:
            return
        yield from (line[:-1] for line in lines)
