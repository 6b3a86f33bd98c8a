"""The texts of a corpus: one line of JSON each, found by number, with unique keys."""

import hashlib
import json
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

TEXTS, STARTS, KEYS = "passages.jsonl", "starts.u64", "keys.u64"

_BUFFERED = 100_000
"""Numbers that are buffered before a write."""

SORTED_AT_ONCE = 1 << 21
"""Approximate number of keys that are compared at a time."""


@dataclass(frozen=True, slots=True)
class CorpusPassage:
    """A passage of a corpus, identified by its key."""

    key: str
    text: str
    title: str = ""
    url: str = ""

    @property
    def searched(self) -> str:
        """The text that is searched."""
        return f"{self.title} {self.text}" if self.title else self.text


class PassageWriter:
    """Write passages in order, with constant memory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.count = 0
        self._offset = 0
        self._texts: BinaryIO = (folder / TEXTS).open("wb")
        self._starts = NumberFile(folder / STARTS, "Q")
        self._keys = NumberFile(folder / KEYS, "Q")

    def add(self, passage: CorpusPassage) -> None:
        members = [passage.key, passage.text, passage.title, passage.url]
        line = json.dumps(members, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        self._texts.write(line)
        self._starts.add(self._offset)
        self._keys.add(_digest(passage.key))
        self._offset += len(line)
        self.count += 1

    def close(self) -> None:
        for each in (self._texts, self._starts, self._keys):
            each.close()

    def repeated(self) -> str:
        """Return a key of two passages, after writing all; empty if all are unique."""
        twice = _repeated_digests(self._folder / KEYS, self.count)
        seen: set[str] = set()
        for passage in CorpusTexts(self._folder) if twice else ():
            if _digest(passage.key) in twice:
                if passage.key in seen:
                    return passage.key
                seen.add(passage.key)
        return ""


class CorpusTexts:
    """Read passages by number."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / TEXTS
        starts = folder / STARTS
        self._starts: Any = (
            np.memmap(starts, dtype=np.uint64, mode="r") if starts.stat().st_size else ()
        )

    def __len__(self) -> int:
        return len(self._starts)

    def get(self, numbers: list[int]) -> list[CorpusPassage]:
        """Return some passages, in the requested order."""
        with self._path.open("rb") as file:
            return [self._at(file, int(self._starts[number])) for number in numbers]

    def __iter__(self) -> Iterator[CorpusPassage]:
        with self._path.open("rb") as file:
            for line in file:
                yield _passage_in(line)

    def _at(self, file: BinaryIO, start: int) -> CorpusPassage:
        file.seek(start)
        return _passage_in(file.readline())


class NumberFile:
    """Append whole numbers to a file, some at a time."""

    def __init__(self, path: Path, kind: str) -> None:
        self._file = path.open("wb")
        self._buffer = array(kind)

    def add(self, number: int) -> None:
        self._buffer.append(number)
        if len(self._buffer) >= _BUFFERED:
            self._flush()

    def _flush(self) -> None:
        self._buffer.tofile(self._file)
        del self._buffer[:]

    def close(self) -> None:
        self._flush()
        self._file.close()


def _repeated_digests(path: Path, count: int) -> set[int]:
    """Return the digests that occur twice in a file. They are evenly distributed. Only one
    range of them is in memory at a time."""
    ranges = -(-count // SORTED_AT_ONCE)
    wide = -(-(1 << 64) // ranges) if ranges else 0
    found: set[int] = set()
    for number in range(ranges):
        low, high = np.uint64(number * wide), np.uint64(min((number + 1) * wide, 1 << 64) - 1)
        blocks = (
            np.fromfile(path, np.uint64, SORTED_AT_ONCE, offset=8 * n)
            for n in range(0, count, SORTED_AT_ONCE)
        )
        keys = np.concatenate([one[(low <= one) & (one <= high)] for one in blocks])
        keys.sort()
        found.update(keys[1:][keys[1:] == keys[:-1]].tolist())
    return found


def _passage_in(line: bytes) -> CorpusPassage:
    return CorpusPassage(*json.loads(line.decode("utf-8", "surrogatepass")))


def _digest(key: str) -> int:
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "little")
