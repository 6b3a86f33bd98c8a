"""The measurements, in rounds: `make bench`, or some of them with `make bench ARGS="desk live"`.

In each round every part has its turn. Written as JSON: each figure's least, middle and most, with
the machine, the versions and the commit. Figures that are worse than those of `bench/baseline.json`
by more than a fifth are named; times are compared in times of a fixed piece of work.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.figures import FILE, ROOT, Round, read, regressions, surroundings, together, yardstick

PARTS = (
    "imports",
    "exports",
    "dividing",
    "browsing",
    "pages",
    "rating",
    "desk",
    "scale",
    "entailment",
    "built_in",
    "live",
    "statistics",
    "coverage",
    "reports",
    "headlines",
    "misleading",
    "runs",
    "models",
    "retrieval",
    "generating",
    "upgrade",
)
ASKED_FOR = ("jobs", "soak", "tables", "peers", "reading", "coverage_selective")
"""Parts that take minutes to an hour, or need what is measured against: only by name."""

Figures = dict[str, dict[str, Any]]
BASELINE = ROOT / "bench" / "baseline.json"


def turn(part: str, arguments: list[str]) -> tuple[Round, bool]:
    """One part in one round, and whether it came to its end; figures that it kept before count."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figures"
        before = yardstick()
        command = [sys.executable, "-m", f"bench.{part}", *arguments]
        done = subprocess.run(command, check=False, env={**os.environ, FILE: str(path)})
        return Round(part, (before + yardstick()) / 2, read(path)), done.returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"of {', '.join((*PARTS, *ASKED_FOR))}"
    )
    parser.add_argument("--rounds", type=int, default=1, help="5 and more to publish")
    parser.add_argument("--out", type=Path, default=ROOT / "var" / "bench.json")
    parser.add_argument("--baseline", type=Path, default=BASELINE, help="what to compare with")
    parser.add_argument("--with", dest="given", default="", help="arguments of the parts")
    asked = parser.parse_args()
    if unknown := {*asked.parts} - {*PARTS, *ASKED_FOR}:
        parser.error(f"no part is called {', '.join(sorted(unknown))}")
    rounds, failed = [], set()
    for number in range(asked.rounds):
        if asked.rounds > 1:
            print(f"Round {number + 1} of {asked.rounds}", flush=True)
        for part in asked.parts or PARTS:
            one, ended = turn(part, asked.given.split())
            rounds.append(one)
            failed |= set() if ended else {part}
            figures = together(rounds)
            write(asked.out, figures)
    print(f"{len(figures)} figures: {asked.out}")
    if asked.baseline.exists():
        compare(figures, json.loads(asked.baseline.read_text(encoding="utf-8")))
    if failed:
        sys.exit(f"not to their end: {', '.join(sorted(failed))}")


def write(path: Path, figures: Figures) -> None:
    """After each part: what breaks off later takes nothing with it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    told = {**surroundings(), "figures": figures}
    path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def compare(figures: Figures, known: Mapping[str, Any]) -> None:
    worse = regressions(figures, known["figures"])
    if figures.keys() & known["figures"].keys():
        print(f"{len(worse)} worse by more than a fifth than at {known['commit']}")
    for name, times in worse:
        print(f"  {name}: {times:.2f} times")


if __name__ == "__main__":
    main()
