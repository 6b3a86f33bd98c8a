"""The texts of a corpus: one line of JSON each, found by its number; equal keys are noticed."""

import hashlib
import json
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

TEXTS, STARTS, KEYS = "passages.jsonl", "starts.u64", "keys.u64"

_HELD = 100_000
"""So many numbers are held before they are written."""

SORTED = 1 << 21
"""About so many keys are compared at a time."""


@dataclass(frozen=True, slots=True)
class CorpusPassage:
    """A passage of a corpus, which its key names."""

    key: str
    text: str
    title: str = ""
    url: str = ""

    @property
    def searched(self) -> str:
        """What a search looks at."""
        return f"{self.title} {self.text}" if self.title else self.text


class PassageWriter:
    """Writes passages in order. What it holds does not grow with them."""

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
        """A key that two passages have, after everything was written; none of them is empty."""
        twice = _twice(self._folder / KEYS, self.count)
        seen: set[str] = set()
        for passage in CorpusTexts(self._folder) if twice else ():
            if _digest(passage.key) in twice:
                if passage.key in seen:
                    return passage.key
                seen.add(passage.key)
        return ""


class CorpusTexts:
    """Reads passages by their number."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / TEXTS
        starts = folder / STARTS
        self._starts: Any = (
            np.memmap(starts, dtype=np.uint64, mode="r") if starts.stat().st_size else ()
        )

    def __len__(self) -> int:
        return len(self._starts)

    def get(self, numbers: list[int]) -> list[CorpusPassage]:
        """Some passages, in the order asked for."""
        with self._path.open("rb") as file:
            return [self._at(file, int(self._starts[number])) for number in numbers]

    def __iter__(self) -> Iterator[CorpusPassage]:
        with self._path.open("rb") as file:
            for line in file:
                yield _of(line)

    def _at(self, file: BinaryIO, start: int) -> CorpusPassage:
        file.seek(start)
        return _of(file.readline())


class NumberFile:
    """Appends whole numbers to a file, some at a time."""

    def __init__(self, path: Path, kind: str) -> None:
        self._file = path.open("wb")
        self._held = array(kind)

    def add(self, number: int) -> None:
        self._held.append(number)
        if len(self._held) >= _HELD:
            self._flush()

    def _flush(self) -> None:
        self._held.tofile(self._file)
        del self._held[:]

    def close(self) -> None:
        self._flush()
        self._file.close()


def _twice(path: Path, count: int) -> set[int]:
    """Of so many digests those that stand in a file twice. They are spread evenly: those of a range
    at a time are in memory."""
    ranges = -(-count // SORTED)
    wide = -(-(1 << 64) // ranges) if ranges else 0
    found: set[int] = set()
    for number in range(ranges):
        low, high = np.uint64(number * wide), np.uint64(min((number + 1) * wide, 1 << 64) - 1)
        blocks = (
            np.fromfile(path, np.uint64, SORTED, offset=8 * n) for n in range(0, count, SORTED)
        )
        keys = np.concatenate([one[(low <= one) & (one <= high)] for one in blocks])
        keys.sort()
        found.update(keys[1:][keys[1:] == keys[:-1]].tolist())
    return found


def _of(line: bytes) -> CorpusPassage:
    return CorpusPassage(*json.loads(line.decode("utf-8", "surrogatepass")))


def _digest(key: str) -> int:
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "little")
