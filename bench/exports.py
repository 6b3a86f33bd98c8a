"""What leaves a study, against reading and writing the same rows with nothing else.

One judgment a row, as CSV, JSON Lines and Parquet, of a made-up study and of one ten times as
large; the memory of an export shall not grow with it.
"""

import argparse
import csv
import json
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

from bench.databases import Database, apart, databases
from bench.figures import keep
from bench.live import fill
from bench.runs import peak_mb

SIZES = (10_000, 100_000)
FORMS = ("csv", "jsonl", "parquet")

PLAIN = """SELECT q.external_id, s.name, r.run, u.key, j.dimension, j.value, d.name, d.kind
    FROM annotate_judgment j JOIN annotate_unit u ON u.id = j.unit_id
    JOIN annotate_response r ON r.id = u.response_id
    JOIN annotate_question q ON q.id = r.question_id JOIN annotate_system s ON s.id = r.system_id
    JOIN annotate_judge d ON d.id = j.judge_id"""


def measure(judgments: int) -> dict[str, Any]:
    """In a process of its own."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    fill("exported", judgments)
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, redirect_stderr(StringIO()):
        path = Path(folder) / "rows"

        def plain() -> None:
            with path.open("w", encoding="utf-8") as file, connection.cursor() as cursor:
                cursor.execute(PLAIN)
                csv.writer(file).writerows(cursor)

        found["plain"] = _seconds(plain)
        before = peak_mb()
        for form in FORMS:
            asked = {"format": form, "output": path, "stderr": StringIO()}
            found[form] = _seconds(partial(call_command, "export_judgments", "exported", **asked))
        found["mb"] = peak_mb() - before
    return found


def _seconds(act: Callable[[], object]) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


def show(database: Database, judgments: int) -> None:
    found = apart("bench.exports", "measure", database, "--judgments", str(judgments))
    times = ", ".join(
        f"{form} {found[form]:.2f} s ({found[form] / found['plain']:.1f})" for form in FORMS
    )
    print(f"  {database.name}, {judgments:,} judgments: plain {found['plain']:.2f} s; {times}")
    print(f"    memory {found['mb']:.0f} MB")
    for form in FORMS:
        keep(f"{database.name}, {judgments:,} as {form}", found[form], "s")
    keep(f"{database.name}, {judgments:,}, memory", found["mb"], "MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", nargs="?", choices=["measure"])
    parser.add_argument("--judgments", type=int, nargs="+", default=list(SIZES))
    asked = parser.parse_args()
    if asked.step:
        print(json.dumps(measure(asked.judgments[0])))
        return
    print("Exports: seconds of the processor (and times the plain way)")
    for judgments in asked.judgments:
        with tempfile.TemporaryDirectory() as folder:
            for database in databases(Path(folder)):
                show(database, judgments)


if __name__ == "__main__":
    main()
