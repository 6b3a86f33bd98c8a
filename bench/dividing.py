"""What it costs to divide an answer with all its lines, against its first line as before.

The answers are the demo's: plain text on one line, which both readings divide alike. The two take
turns, so that a busy machine slows both. Then answers that grow tenfold: the cost per character
must not.
"""

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from annotate.text import Lines, segment
from bench.figures import keep

DEMO = Path("fixtures/demo")
ROUNDS = 40
GROWING = (
    "[",
    "#",
    "*",
    "- a\n",
    "> ",
    "`",
    "<",
    "a|b\n",
    "[1] ",
    "(1) ",
    "[a](http://a.b) ",
    "。",
)
LENGTHS = (100_000, 1_000_000)


def answers() -> list[tuple[str, int]]:
    """The demo's answers and how many passages each has."""
    found = []
    for file in sorted(DEMO.glob("alce-*.json")):
        for item in json.loads(file.read_text(encoding="utf-8"))["data"]:
            found.append((item["output"], len(item["docs"])))
    return found


def seconds(work: Callable[[], object]) -> float:
    """How long the work takes, by the clock."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def divide_all(read: list[tuple[str, int]], lines: Lines) -> None:
    """Divide every answer once."""
    for output, passages in read:
        segment(output, passages=passages, cap=None, lines=lines)


def main() -> None:
    plain = [answer for answer in answers() if "\n" not in answer[0].strip()]
    ratios, costs = [], []
    for _ in range(ROUNDS):
        first = seconds(lambda: divide_all(plain, "first"))
        whole = seconds(lambda: divide_all(plain, "all"))
        ratios.append(whole / first)
        costs.append(whole / len(plain) * 1e6)
    print(f"{len(plain)} plain answers, all lines against the first, {ROUNDS} rounds in turn:")
    keep("an answer", statistics.median(costs) / 1000, "ms")
    print(f"  {statistics.median(ratios):.2f} times ({statistics.median(costs):.0f} µs an answer)")
    print("Microseconds a character, as an answer grows tenfold:")
    for sign in GROWING:
        found = []
        for length in LENGTHS:
            text = sign * (length // len(sign))
            found.append(
                seconds(lambda text=text: segment(text, passages=3, cap=None, lines="all"))  # type: ignore[misc]
                / length
                * 1e6
            )
        print(
            f"  {sign!r:<20} {found[0]:6.2f} → {found[1]:6.2f}  ({found[1] / found[0]:.2f} times)"
        )


if __name__ == "__main__":
    main()
