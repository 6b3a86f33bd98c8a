"""Pairs a second that the network that comes with Attest answers, in each precision.

The pairs are the demo's: each statement with one passage, and with three that belong to its
question; or those of a file of JSON lines with `premise` and `hypothesis` (`--data`). Precisions
take turns in each round. What counts is the processor's time, of one core at a time. oneDNN's own
variable `ONEDNN_MAX_CPU_ISA` (`AVX512_CORE_VNNI`, `AVX2`) makes it do without what newer
processors have.
"""

import argparse
import gzip
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import torch

from annotate.text import segment
from bench.figures import keep
from evaluation.judges.entailment.pretrained import DType
from evaluation.judges.entailment.scorer import Pair
from evaluation.judges.entailment.trained import Trained

DEMO = Path("fixtures/demo")
PRECISIONS: tuple[DType, ...] = ("auto", "bfloat16", "float32")
LEAST = 60
"""Pairs with one passage that two cores shall answer in a second."""


def of_demo(passages: int) -> list[Pair]:
    """Statements of the demo's answers, each with so many passages of its question."""
    draw = random.Random(1)
    found = []
    for file in sorted(DEMO.glob("alce-*.json")):
        for item in json.loads(file.read_text(encoding="utf-8"))["data"]:
            texts = [f"Title: {one['title']}\n{one['text']}" for one in item["docs"]]
            for said in segment(item["output"], passages=len(texts)).statements:
                chosen = draw.sample(texts, min(passages, len(texts)))
                found.append(("\n".join(chosen), said.text))
    return found


def of_file(path: Path) -> list[Pair]:
    """Pairs of a file, in an order drawn once."""
    opened: Callable[..., object] = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:  # type: ignore[attr-defined]
        rows = list(map(json.loads, lines))
    random.Random(1).shuffle(rows)
    return [(row["premise"], row["hypothesis"]) for row in rows]


def measure(name: str, pairs: list[Pair], rounds: int) -> float:
    """Print and keep what a pair takes in each precision; how many two cores answer as usual."""
    words = statistics.mean(len(premise.split()) for premise, _ in pairs)
    scorers = {one: Trained(dtype=one, device="cpu", threads=1) for one in PRECISIONS}
    took: dict[DType, list[float]] = {one: [] for one in PRECISIONS}
    for scorer in scorers.values():
        scorer.logits(pairs[:20])
    for _ in range(rounds):
        for precision, scorer in scorers.items():
            began = time.process_time()
            scorer.logits(pairs)
            took[precision].append((time.process_time() - began) * 1e3 / len(pairs))
    print(f"{name}, {len(pairs)} pairs, premises of {words:.0f} words")
    for precision, each in took.items():
        inside = scorers[precision].fingerprint.partition("dtype:")[2].partition("|")[0]
        middle = statistics.median(each)
        print(
            f"  {precision:8} ({inside}) {middle:6.1f} ms of the processor a pair "
            f"({min(each):.1f} to {max(each):.1f}): {2e3 / middle:4.0f} a second on two cores"
        )
        keep(f"{name}, {precision}", middle, "ms")
    return 2e3 / statistics.median(took["auto"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a file of pairs, instead of the demo's")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    if asked.data:
        measure(asked.data.name, list(islice(of_file(asked.data), asked.pairs)), asked.rounds)
        return
    short, long = (random.Random(2).sample(of_demo(n), asked.pairs) for n in (1, 3))
    answered = measure("one passage", short, asked.rounds)
    measure("three passages", long, asked.rounds)
    if answered < LEAST:
        sys.exit(f"Two cores answer {answered:.0f} pairs a second here, and shall answer {LEAST}.")


if __name__ == "__main__":
    main()
