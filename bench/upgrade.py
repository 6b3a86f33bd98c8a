"""Migrate a database of a million judgments from the last release: how long, and nothing is lost.

Run by `make bench`, on each database that answers: migrate to the last release, fill, migrate on.
Judgments are read before and after and must be the same; then the database must refuse one that
does not fit its wording.
"""

import argparse
import json
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.databases import apart, databases
from bench.figures import keep

BEFORE = (("annotate", "0002_triggers_and_search"), ("evaluation", "0001_initial"))
"""The last migrations of that release."""

RATERS, CHUNK = 20, 10_000


def fill(judgments: int) -> dict[str, Any]:
    """In a process of its own: the release before, with so many judgments."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection, transaction
    from django.db.migrations.executor import MigrationExecutor
    from django.utils import timezone

    for app, name in BEFORE:
        call_command("migrate", app, name, verbosity=0)
    model = MigrationExecutor(connection).loader.project_state(list(BEFORE)).apps.get_model
    now = timezone.now()

    def make(name: str, rows: list[Any]) -> list[Any]:
        with transaction.atomic():
            return list(model("annotate", name).objects.bulk_create(rows, batch_size=1_000))

    def one(kind: str, /, **fields: Any) -> Any:
        return model("annotate", kind)(**fields)

    [study] = make("Study", [one("Study", slug="s", name="s", preset="ais",
                                 dimensions=["interpretable", "attributable"],
                                 raters_per_unit=3, seed=1)])  # fmt: skip
    [system] = make("System", [one("System", study=study, name="system")])
    judges = make("Judge", [one("Judge", study=study, kind="human", name=f"rater-{n}")
                            for n in range(RATERS)])  # fmt: skip
    [upload] = make("Upload", [one("Upload", study=study, name="f", size=1, published_at=now)])
    for first in range(0, judgments // (2 * RATERS), CHUNK // RATERS):
        numbers = range(first, min(first + CHUNK // RATERS, judgments // (2 * RATERS)))
        questions = make("Question", [one("Question", study=study, external_id=str(n), text="?")
                                      for n in numbers])  # fmt: skip
        responses = make("Response", [one("Response", study=study, system=system, question=q,
                                          upload=upload, text="x", digest="d")
                                      for q in questions])  # fmt: skip
        units = make("Unit", [one("Unit", response=r, kind="response", key="r", text="x",
                                  start=0, end=1, ordinal=0) for r in responses])  # fmt: skip
        make("Judgment", [
            one("Judgment", judge=judge, unit=unit, dimension=key, created_at=now,
                value="yes" if (unit.pk + judge.pk) % 3 else "no")
            for unit in units for judge in judges for key in ("interpretable", "attributable")
        ])  # fmt: skip
    return _state()


def _state() -> dict[str, Any]:
    from django.db import connection

    digest, count = sha256(), 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, judge_id, unit_id, dimension, value FROM annotate_judgment ORDER BY id"
        )
        while rows := cursor.fetchmany(CHUNK):
            count += len(rows)
            digest.update(repr(rows).encode())
    return {"judgments": count, "digest": digest.hexdigest()}


def upgrade() -> dict[str, Any]:
    """In a process of its own: migrate on."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import IntegrityError, transaction

    from annotate.models import Judgment

    start, begun = time.perf_counter(), time.process_time()
    call_command("migrate", verbosity=0)
    seconds, of_processor = time.perf_counter() - start, time.process_time() - begun
    last = Judgment.objects.latest("pk")
    try:
        with transaction.atomic():
            Judgment.objects.filter(pk=last.pk).update(value="maybe")
        refused = False
    except IntegrityError:
        refused = True
    return {"seconds": seconds, "processor": of_processor, "refused": refused, **_state()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", nargs="?", choices=["fill", "upgrade"])
    parser.add_argument("--judgments", type=int, default=1_000_000)
    asked = parser.parse_args()
    if asked.step:
        print(json.dumps(fill(asked.judgments) if asked.step == "fill" else upgrade()))
        return
    print(f"Upgrade with {asked.judgments:,} judgments")
    with tempfile.TemporaryDirectory() as folder:
        for database in databases(Path(folder)):
            before = apart("bench.upgrade", "fill", database, "--judgments", str(asked.judgments))
            after = apart("bench.upgrade", "upgrade", database)
            keep(f"{database.name}, {asked.judgments:,} judgments", after["processor"], "s")
            same = all(before[name] == after[name] for name in ("judgments", "digest"))
            print(
                f"  {database.name}: {after['seconds']:.1f} s ({after['processor']:.1f} s of the "
                f"processor here), {after['judgments']:,} judgments "
                f"{'the same' if same else 'CHANGED'}, a misfit is "
                f"{'refused' if after['refused'] else 'TAKEN'}"
            )
            if not (same and after["refused"]):
                raise SystemExit(1)


if __name__ == "__main__":
    main()
