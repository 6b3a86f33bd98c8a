"""A Parquet file of 950 MB with all its rows in one group, loaded by a mapping in memory that does
not grow with it. Some minutes; asked for by name (`make bench ARGS=tables`).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.figures import ROOT, keep
from bench.table_file import MAPPING, write_table

MEGABYTES = 950
MOST_MB = 500


def load(path: Path, rows: int) -> None:
    """In a process of its own: load the file; says seconds and peak memory."""
    import django

    django.setup()
    from django.core.management import call_command

    from annotate.models import Response

    mapping = path.with_suffix(".json")
    mapping.write_text(json.dumps(MAPPING))
    call_command("migrate", verbosity=0)
    call_command("create_study", "bench", preset="alce", verbosity=0)
    start, before = time.perf_counter(), _megabytes("VmHWM")
    call_command("import_outputs", "bench", str(path), mapping=mapping, verbosity=0)
    assert Response.objects.current().count() == rows
    seconds, peak = time.perf_counter() - start, _megabytes("VmHWM")
    print(json.dumps({"seconds": seconds, "before_mb": before, "peak_mb": peak}))


def _megabytes(name: str) -> float:
    """The kernel's own figure: that of `resource` begins with the parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=MEGABYTES)
    parser.add_argument("--load", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.load:
        load(options.load, options.rows)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        rows = write_table(path, options.megabytes)
        size = path.stat().st_size / 1_000_000
        done = subprocess.run(
            [sys.executable, "-m", "bench.tables", "--load", str(path), "--rows", str(rows)],
            cwd=ROOT,
            env={
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "config.settings",
                "ATTEST_DATA_DIR": folder,
            },
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    found = json.loads(done.stdout.splitlines()[-1])
    print(
        f"Parquet, {size:.0f} MB, {rows:,} responses: {found['seconds']:.0f} s, at most "
        f"{found['peak_mb']:.0f} MB of memory ({found['before_mb']:.0f} before)"
    )
    keep("a large Parquet file, loaded", found["seconds"], "s")
    keep("a large Parquet file, memory", found["peak_mb"], "MB")
    assert found["peak_mb"] < MOST_MB, f"expected less than {MOST_MB} MB"


if __name__ == "__main__":
    main()
