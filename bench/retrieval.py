"""What it costs to index short passages and to search them: a quarter of the number, and all of it,
each in a process of its own, so that its greatest memory is its own.

The words are made up, as often as in natural texts (the n-th word 1/n times as often as the first).
With `--growing` there is no end to them: of n words about n^.6 are others (Heaps' law), and each
passage has a title of its own.
It fails where four times as many passages take notably more memory: there it must stay flat.
"""

import argparse
import json
import math
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from annotate.text.corpus import CorpusBuilder, CorpusIndex, CorpusPassage
from annotate.text.corpus.segments import MOST_TOKENS
from annotate.text.corpus.words import STARTS
from bench.figures import EXPONENT, keep

PASSAGES, LONG, KNOWN = 1_000_000, 30, 200_000
ASKED, WORDS, FOUND = 300, 6, 100
HEAPS, FREQUENT = 0.6, 40
"""Of words without an end: how fast further ones come, and about how many are frequent."""

BLOCK = 10_000
TIMES = 4
MOST_GROWTH = 0.1
"""Of memory, as an exponent: 15 % more for four times as many passages."""


def passages(count: int, *, growing: bool = False) -> Iterator[CorpusPassage]:
    """Made in blocks, which costs little beside indexing them."""
    if growing:
        yield from _growing(count)
        return
    chance = np.random.default_rng(22)
    words = np.array([f"w{number}" for number in range(KNOWN)], dtype=object)
    often = 1 / np.arange(1, KNOWN + 1)
    sums = np.cumsum(often / often.sum())
    for first in range(0, count, BLOCK):
        drawn = words[np.searchsorted(sums, chance.random((BLOCK, LONG))).clip(max=KNOWN - 1)]
        for number, row in enumerate(drawn[: count - first], first):
            yield CorpusPassage(str(number), " ".join(row))


def _growing(count: int) -> Iterator[CorpusPassage]:
    chance = np.random.default_rng(22)
    for first in range(0, count, BLOCK):
        ranks = (FREQUENT * chance.pareto(HEAPS, (BLOCK, LONG))).clip(max=2**53).astype(np.int64)
        for number, row in enumerate(ranks[: count - first].tolist(), first):
            words = " ".join(f"w{rank}" for rank in row)
            yield CorpusPassage(
                str(number), words, f"Title {number}", f"https://example.org/{number}"
            )


def memory() -> float:
    """The most megabytes that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(count: int, folder: Path, *, growing: bool) -> dict[str, float]:
    before = memory()
    for _ in passages(count, growing=growing):
        pass
    began = time.perf_counter()
    for _ in passages(count, growing=growing):
        pass
    making = time.perf_counter() - began
    began = time.perf_counter()
    CorpusBuilder(folder / "corpus").build(passages(count, growing=growing))
    seconds = time.perf_counter() - began - making
    most = memory()  # searching maps the index, which counts as memory, too
    index, chance = CorpusIndex(folder / "corpus", "bench"), random.Random(22)
    took = []
    for _ in range(ASKED):
        # Words as people ask for: few of the most frequent.
        query = " ".join(f"w{int(10 ** chance.uniform(1.5, 5.3))}" for _ in range(WORDS))
        began = time.perf_counter()
        index.search([query], FOUND)
        took.append(time.perf_counter() - began)
    took.sort()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {
        "a_second": count / seconds,
        "megabytes": most - before,
        "p50_ms": 1000 * took[ASKED // 2],
        "p95_ms": 1000 * took[ASKED * 95 // 100],
        "bytes_a_passage": size / count,
        "words": float((folder / "corpus" / STARTS).stat().st_size // 8 - 1),
    }


def apart(count: int, *, growing: bool) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.retrieval", "--only", str(count)]
    command += ["--growing"] if growing else []
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, stdout=-1).stdout)
    return found


def growth(before: float, after: float) -> float:
    """The exponent with which a figure grows from the smaller number to the larger."""
    return math.log(after / before, TIMES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passages", type=int, default=PASSAGES)
    parser.add_argument("--growing", action="store_true", help="words without an end, and titles")
    parser.add_argument("--only", type=int, help=argparse.SUPPRESS)
    asked, _ = parser.parse_known_args()
    if asked.only:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(measure(asked.only, Path(folder), growing=asked.growing)))
        return
    sizes = []
    for count in (asked.passages // TIMES, asked.passages):
        found = apart(count, growing=asked.growing)
        sizes.append(found)
        named = f"{count:,} passages{' of growing words' if asked.growing else ''}"
        keep(f"{named} indexed a second", found["a_second"], "a second")
        keep(f"{named} indexed: most memory beyond the start", found["megabytes"], "MB")
        keep(f"{named} searched, p50", found["p50_ms"], "ms")
        keep(f"{named} searched, p95", found["p95_ms"], "ms")
        keep(f"{named} on the disk, each", found["bytes_a_passage"], "bytes")
        print(f"{named}: {', '.join(f'{key} {value:,.1f}' for key, value in found.items())}")
    memory, search = (growth(*(found[name] for found in sizes)) for name in ("megabytes", "p95_ms"))
    keep("indexed: growth of the most memory", memory, EXPONENT)
    keep("searched, p95: growth", search, EXPONENT)
    print(f"growth: memory {memory:.2f} (limit {MOST_GROWTH}), search p95 {search:.2f}")
    fills_a_segment = asked.passages // TIMES * LONG > MOST_TOKENS
    if fills_a_segment and memory > MOST_GROWTH:
        raise SystemExit(f"Memory grows with the number of passages: {memory:.2f}")


if __name__ == "__main__":
    main()
