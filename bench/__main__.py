"""Every measurement, one after the other: `make bench`."""

import subprocess
import sys

PARTS = (
    "bench.imports",
    "bench.dividing",
    "bench.browsing",
    "bench.rating",
    "bench.desk",
    "bench.entailment",
    "bench.statistics",
    "bench.coverage",
    "bench.reports",
    "bench.headlines",
    "bench.models",
    "bench.training_gate",
    "bench.upgrade",
)


def main() -> None:
    for part in PARTS:
        subprocess.run([sys.executable, "-m", part], check=True)


if __name__ == "__main__":
    main()
