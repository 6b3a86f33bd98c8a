"""Figures that a part of the benchmark found, beside what it prints, and comparing them.

A part keeps each figure under a name with its unit; who runs the parts reads them from a file, puts
the rounds together and compares them with those of another time. Another time is another machine,
or a busier one: so a fixed piece of work is timed in each round, and times count in its times.
"""

import hashlib
import json
import os
import platform
import random
import statistics
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FILE = "ATTEST_BENCH_FIGURES"
"""Where a part keeps its figures; nowhere, where it is not told."""

TIMES = {"ms": 1e-3, "s": 1.0}
"""Units of time, in seconds."""

MORE_IS_BETTER = {"times as fast", "of the ideal", "a second", "covered", "passed"}
EXPONENT = "exponent"
"""Of growth, which counts as what it makes of a size a hundred times as large."""

REGRESSION = 1.2
PACKAGES = ("Django", "psycopg", "torch", "transformers", "spacy", "numpy", "scipy")


def keep(name: str, value: float, unit: str) -> None:
    """Keep one figure of this part."""
    if path := os.environ.get(FILE):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"name": name, "value": value, "unit": unit}) + "\n")


def yardstick() -> float:
    """Seconds of the processor for a fixed piece of work of the kind that a web process does."""
    draw = random.Random(1)
    rows = [{"key": str(draw.random()), "value": draw.randrange(1000)} for _ in range(2000)]
    began = time.process_time()
    for _ in range(30):
        text = json.dumps(sorted(json.loads(json.dumps(rows)), key=lambda row: str(row["key"])))
        hashlib.sha256(text.encode()).hexdigest()
    return time.process_time() - began


@dataclass(frozen=True, slots=True)
class Round:
    """The figures of a part in one round, and what the yardstick took before and after."""

    part: str
    seconds: float
    figures: Mapping[str, tuple[float, str]]


def read(path: Path) -> dict[str, tuple[float, str]]:
    """What a part kept."""
    if not path.exists():
        return {}
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {line["name"]: (line["value"], line["unit"]) for line in lines}


def together(rounds: Iterable[Round]) -> dict[str, dict[str, Any]]:
    """Of each figure its least, middle and most over the rounds; a time also in yardsticks."""
    found: dict[str, list[tuple[float, str, float]]] = defaultdict(list)
    for one in rounds:
        for name, (value, unit) in one.figures.items():
            found[f"{one.part}: {name}"].append((value, unit, one.seconds))
    return {name: _summary(values) for name, values in found.items()}


def _summary(values: list[tuple[float, str, float]]) -> dict[str, Any]:
    numbers, unit = [value for value, _, _ in values], values[0][1]
    summary: dict[str, Any] = {
        "unit": unit,
        "rounds": len(numbers),
        "min": min(numbers),
        "median": statistics.median(numbers),
        "max": max(numbers),
    }
    if unit in TIMES:
        own = [value * TIMES[unit] / seconds for value, _, seconds in values]
        summary["yardsticks"] = statistics.median(own)
    return summary


def regressions(
    now: Mapping[str, Mapping[str, Any]], before: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, float]]:
    """Figures that are worse than before by more than a fifth, and how many times."""
    found = []
    for name in now.keys() & before.keys():
        of = "yardsticks" if "yardsticks" in now[name] else "median"
        unit, new, old = now[name]["unit"], now[name][of], before[name].get(of)
        if unit == EXPONENT and old is not None:
            new, old = 100.0**new, 100.0**old
        if not new or not old:
            continue
        worse = old / new if unit in MORE_IS_BETTER else new / old
        if worse > REGRESSION:
            found.append((name, worse))
    return sorted(found, key=lambda one: -one[1])


def surroundings() -> dict[str, Any]:
    """The machine, the versions and the commit."""
    asked = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    commit = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    return {
        "commit": commit.stdout.strip(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())
