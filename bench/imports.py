"""Loading 83,030 published-shape rows, and 20,000 answers with citations, against bare bulk inserts
of the same database rows.

Run by `make bench`. For each database that answers: the whole way of a file through
`import_outputs` (read and checked, then read again and loaded), its peak memory, and
`bulk_create` of the rows that came out of it, in the same order and batches, into empty tables.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

from bench.answers_file import ANSWERS, write_answers
from bench.databases import apart, databases
from bench.figures import keep
from bench.ratings_file import QUESTIONS, SYSTEMS, write_ratings

BATCH = 2_000
PRESETS = {".csv": "ais", ".json": "alce"}


def load(path: Path) -> dict[str, float]:
    """In a process of its own: load the file and report seconds and peak memory."""
    import resource

    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("create_study", "bench", preset=PRESETS[path.suffix], verbosity=0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, busy = time.perf_counter(), time.process_time()
    call_command("import_outputs", "bench", str(path), verbosity=0)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "busy": busy, "before_mb": before / 1024, "peak_mb": peak / 1024}


def insert() -> dict[str, float]:
    """In a process of its own: insert the very rows that are there into emptied tables."""
    import django

    django.setup()
    from django.db import transaction

    from annotate.models import Judgment, Passage, Question, Response, Source, Unit

    models = (Question, Passage, Response, Source, Unit, Judgment)
    rows = {model: list(model.objects.order_by("pk")) for model in models}
    for model in reversed(models):
        model.objects.all()._raw_delete("default")
    start, busy = time.perf_counter(), time.process_time()
    for model in models:
        for first in range(0, len(rows[model]), BATCH):
            with transaction.atomic():
                model.objects.bulk_create(rows[model][first : first + BATCH], batch_size=BATCH)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    return {"seconds": seconds, "busy": busy, "rows": sum(len(found) for found in rows.values())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", nargs="?", choices=["load", "insert"])
    parser.add_argument("path", nargs="?", type=Path)
    parser.add_argument("--systems", type=int, default=SYSTEMS)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--answers", type=int, default=ANSWERS)
    options = parser.parse_args()
    if options.step == "load":
        print(json.dumps(load(options.path)))
        return
    if options.step == "insert":
        print(json.dumps(insert()))
        return
    with tempfile.TemporaryDirectory() as folder:
        ratings, answers = Path(folder) / "ratings.csv", Path(folder) / "answers.json"
        rows = write_ratings(ratings, systems=options.systems, questions=options.questions)
        count = write_answers(answers, answers=options.answers)
        for path, what in ((ratings, f"{rows:,} rows of ratings"), (answers, f"{count:,} answers")):
            print(f"Loading {what} ({path.stat().st_size / 1e6:.0f} MB)")
            measure(path)


def measure(path: Path) -> None:
    """On each database."""
    with tempfile.TemporaryDirectory() as folder:
        for database in databases(Path(folder)):
            loaded = apart("bench.imports", "load", database, str(path))
            bare = apart("bench.imports", "insert", database)
            name = f"{database.name}, {path.stem}"
            keep(f"{name}, loading", loaded["busy"], "s")
            keep(f"{name}, against bare inserts", loaded["seconds"] / bare["seconds"], "times")
            keep(f"{name}, peak memory", loaded["peak_mb"], "MB")
            print(
                f"  {database.name}: import {loaded['seconds']:.1f} s (of the processor "
                f"{loaded['busy']:.1f}), bare inserts of the same {bare['rows']:,.0f} database "
                f"rows {bare['seconds']:.1f} s ({bare['busy']:.1f}): "
                f"ratio {loaded['seconds'] / bare['seconds']:.2f} (aim: at most 2); "
                f"peak memory {loaded['peak_mb']:.0f} MB (aim: under 500)"
            )


if __name__ == "__main__":
    main()
