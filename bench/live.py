"""Pages that are looked at while people work, at 10,000, 100,000 and a million judgments.

Before each look one rater changes an answer, so that nothing can be shown again as it was. What
counts is processor time, that of this process and of the database's; the growth exponent is that of
the least times, log(large / small) / log(judgments / judgments). A small study in the same database
tells whether a neighbour's rows are felt.
"""

import argparse
import json
import math
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.databases import Database, apart, databases
from bench.figures import keep

SIZES = (10_000, 100_000, 1_000_000)
NEIGHBOUR = 5_000
RATERS, PER_ITEM, SYSTEMS = 20, 3, 10
PER_RESPONSE = 5 * PER_ITEM + 4
CHUNK = 1_000
ROUNDS = 5
BY_HAND = 10_000
"""Judgments of a study that are made one by one; more are copies of these."""

PAGES = {
    "home": "",
    "progress": "progress/",
    "batches": "batches/",
    "batch": "batches/{batch}/",
    "monitor": "batches/{batch}/monitor/",
    "agreement": "batches/{batch}/agreement/",
    "raters": "raters/",
    "one rater": "raters/{judge}/",
    "disputes": "disputes/",
    "disputes of a batch": "disputes/?batch={batch}&dimension=citation_recall",
    "labels": "data/labels/",
    "responses by label": "responses/?label=citation_recall:no",
}


def fill(slug: str, judgments: int) -> None:
    """A study of ALCE's questions with a batch that is nearly done, made row by row."""
    from django.db import transaction
    from django.utils import timezone

    from annotate.models import Batch, Judge, Role, Study, System, Upload, User
    from annotate.studies.lifecycle import create_study

    now = timezone.now()
    owner, _ = User.objects.get_or_create(username="bench", defaults={"is_researcher": True})
    study: Study = create_study(name=slug, slug=slug, preset="alce", owner=owner)
    upload = Upload.objects.create(study=study, name="f", size=1, published_at=now, state="done")
    systems = [System.objects.create(study=study, name=f"system-{n}") for n in range(SYSTEMS)]
    judges = []
    for n in range(RATERS):
        user = User.objects.create_user(f"{slug}-rater-{n}")
        study.memberships.create(user=user, role=Role.RATER)
        standing = "excluded" if n == RATERS - 1 else "active"
        judges.append(
            Judge.objects.create(
                study=study, kind="human", name=user.username, user=user, standing=standing
            )
        )
    machine = Judge.objects.create(study=study, kind="automatic", name="alce|scorer:made|v:1")
    known = Judge.objects.create(study=study, kind="reference", name="known answers")
    batch = Batch.objects.create(
        study=study, name="Round 1", state="open", dimensions=study.dimensions, opened_at=now,
        raters_per_item=PER_ITEM, lease_minutes=30, gold=known, gold_percent=5,
    )  # fmt: skip
    made = _Made(study, batch, upload, systems, judges, machine, known)
    by_hand = min(judgments, BY_HAND)
    for first in range(0, by_hand // PER_RESPONSE, CHUNK):
        with transaction.atomic():
            made.responses(range(first, min(first + CHUNK, by_hand // PER_RESPONSE)))
    multiply(study.pk, judgments // by_hand)


REPEATED = {
    "question": ("study_id", {"external_id": "external_id || '-' || {copy}"}, ()),
    "passage": ("study_id", {"digest": "digest || '-' || {copy}"}, ()),
    "response": ("study_id", {}, ("question",)),
    "source": ("response", {}, ("response", "passage")),
    "unit": ("response", {}, ("response", "source", "parent")),
    "batchitem": ("response", {}, ("response", "unit")),
    "assignment": ("item", {"done_at": "CASE WHEN done_at IS NULL THEN NULL ELSE {past} END",
                            "created_at": "{past}", "seen_at": "{past}"}, ("item",)),
    "judgment": ("unit", {"created_at": "{past}"}, ("unit",)),
}  # fmt: skip
"""Each table of what is multiplied: whose rows are the study's, what differs in a copy, and which
columns name rows that are copied, too."""

OF_TABLE = {"parent": "unit", "item": "batchitem"}


def multiply(study: int, times: int) -> None:
    """Copy a study's responses with all that was said of them, within the database: it is made of
    the same patterns, only more of them."""
    from django.db import connection

    with connection.cursor() as cursor:
        steps = {}
        for table in REPEATED:
            cursor.execute(f"SELECT max(id) FROM annotate_{table}")
            steps[table] = cursor.fetchone()[0] + 1
        for copy in range(1, times):
            for table in REPEATED:
                _copy(cursor, table, study, copy, steps)
        if connection.vendor == "postgresql":
            for table in REPEATED:
                cursor.execute(
                    f"SELECT setval(pg_get_serial_sequence('annotate_{table}', 'id'), max(id)) "
                    f"FROM annotate_{table}"
                )


def _copy(cursor: Any, table: str, study: int, copy: int, steps: dict[str, int]) -> None:
    from django.db import connection

    owner, differs, named = REPEATED[table]
    described = connection.introspection.get_table_description(cursor, f"annotate_{table}")
    past = "'2026-01-01 00:00:00'"
    past += "::timestamptz" if connection.vendor == "postgresql" else ""
    moved = {f"{name}_id": steps[OF_TABLE.get(name, name)] for name in named}
    values = {one.name: f'"{one.name}"' for one in described}
    values |= {name: f"{values[name]} + {copy * step}" for name, step in moved.items()}
    values["id"] = f"id + {copy * steps[table]}"
    values |= {name: how.format(copy=copy, past=past) for name, how in differs.items()}
    of = f"study_id = {study}"
    if owner != "study_id":
        of = f"{owner}_id IN ({_own(OF_TABLE.get(owner, owner), study, steps)})"
    columns = ", ".join(f'"{name}"' for name in values)
    cursor.execute(
        f"INSERT INTO annotate_{table} ({columns}) "
        f"SELECT {', '.join(values.values())} FROM annotate_{table} "
        f"WHERE id < {steps[table]} AND {of}"
    )


def _own(table: str, study: int, steps: dict[str, int]) -> str:
    """What selects the keys of a study's rows, copies apart."""
    found = f"SELECT id FROM annotate_{table} WHERE id < {steps[table]} AND "
    if table == "response":
        return f"{found}study_id = {study}"
    return f"{found}response_id IN ({_own('response', study, steps)})"


class _Made:
    """Rows of a study, some responses at a time."""

    def __init__(self, study: Any, batch: Any, upload: Any, systems: Any, *judges: Any) -> None:
        from django.utils import timezone

        self.study, self.batch, self.upload, self.systems = study, batch, upload, systems
        self.raters, self.machine, self.known = judges
        self.now = timezone.now()
        self.asked: list[Any] = []

    def at(self, n: int) -> Any:
        """When a response was rated: one every five seconds, the first one last."""
        return self.now - timedelta(seconds=5 * n)

    def responses(self, numbers: range) -> None:
        from annotate.models import BatchItem, Question, Response, Unit
        from annotate.web.bulk import insert

        new = [
            Question(study=self.study, external_id=f"q{n // SYSTEMS}", text="?")
            for n in numbers
            if n % SYSTEMS == 0
        ]
        insert(new)
        self.asked += new
        rows = [
            Response(study=self.study, system=self.systems[n % SYSTEMS], upload=self.upload,
                     question=self.asked[n // SYSTEMS], text="One [1]. Two [1].", digest=str(n),
                     statement_count=2, citation_count=2)
            for n in numbers
        ]  # fmt: skip
        insert(rows)
        self._sources(rows)
        units: dict[str, list[Any]] = {key: [] for key in ("r", "s1", "s2", "s1.c1", "s2.c1")}
        for key, of in units.items():
            kind = {"r": "response", "s": "statement"}[key[0]] if "." not in key else "citation"
            above = units[key.rpartition(".")[0] or "r"]
            of += [
                Unit(response=r, kind=kind, key=key, text="One", start=0, end=3, ordinal=1,
                     parent=above[at] if above else None,
                     number=1 if kind == "citation" else None,
                     source=self.sources[at] if kind == "citation" else None)
                for at, r in enumerate(rows)
            ]  # fmt: skip
            insert(of)
        items = [
            BatchItem(batch=self.batch, response=r, unit=units["r"][at], shuffle=at,
                      question_shuffle=at, is_gold=n % 20 == 0)
            for at, (n, r) in enumerate(zip(numbers, rows, strict=True))
        ]  # fmt: skip
        insert(items)
        self._work(numbers, items, units)

    def _sources(self, rows: Any) -> None:
        from annotate.models import Passage, Source
        from annotate.web.bulk import insert

        texts = [Passage(study=self.study, digest=r.digest, text="One.") for r in rows]
        insert(texts)
        self.sources: list[Any] = [
            Source(response=r, n=1, passage=text) for r, text in zip(rows, texts, strict=True)
        ]
        insert(self.sources)

    def _work(self, numbers: range, items: Any, units: Any) -> None:
        from annotate.models import Assignment
        from annotate.web.bulk import insert

        judgments: list[Any] = []
        tasks: list[Any] = []
        for at, n in enumerate(numbers):
            for place in range(PER_ITEM):
                judge = self.raters[(n + place * (1 + n // 100 % 3)) % RATERS]
                open_ = n % 50 == 0 and place == 0
                tasks.append(
                    Assignment(batch=self.batch, item=items[at], judge=judge, lease_until=self.now,
                               state="active" if open_ else "done", seen_at=self.at(n),
                               created_at=self.at(n), done_at=None if open_ else self.at(n))
                )  # fmt: skip
                judgments += self._said(judge, n, place, at, units, open_)
            judgments += self._said(self.machine, n, 7, at, units, False)
            if n % 20 == 0:
                judgments += self._said(self.known, n, 9, at, units, False)
        insert(tasks)
        insert(judgments)

    def _said(
        self, judge: Any, n: int, place: int, at: int, units: Any, open_: bool
    ) -> Iterator[Any]:
        from annotate.models import Judgment

        for which, (key, of) in enumerate(units.items()):
            draw = (n * 7_919 + place * 104_729 + which * 31 + n // 3 * place) % 1_009
            if key == "r":
                asked, value = "utility", str(1 + draw % 5 if draw % 3 == 0 else 1 + n % 5)
            elif "." in key:
                machine = ("needed", "not_needed")[draw % 2]
                people = ("full", "partial", "none")[draw % 3 if draw % 4 == 0 else n % 3]
                asked, value = "citation_support", machine if judge is self.machine else people
            else:
                yes = (draw + n) % 2 if draw % 5 == 0 else n % 2
                asked, value = "citation_recall", "yes" if yes else "no"
            if judge is self.machine and key == "r":
                continue
            skipped = "I cannot tell" if draw == 5 and judge is not self.machine else ""
            yield Judgment(judge=judge, unit=of[at], dimension=asked, unfinished=open_,
                           value="" if skipped else value, skipped_reason=skipped,
                           seconds=draw / 10, created_at=self.at(n))  # fmt: skip


# Measuring ---------------------------------------------------------------------------------------


def processor() -> float:
    """Seconds of the processor: of this process, and of the database that works for it."""
    from django.db import connection

    own = time.process_time()
    if connection.vendor != "postgresql":
        return own
    connection.ensure_connection()
    pid = connection.connection.info.backend_pid
    try:
        taken = Path(f"/proc/{pid}/schedstat").read_text().split()[0]
    except OSError:  # on another machine
        return own
    return own + int(taken) / 1e9


def catch_up(slug: str) -> int:
    """Have a worker's share done: what was loaded is counted, and what takes long computed."""
    from annotate.content import counts
    from annotate.models import Study
    from evaluation.labels import batch_agreement

    study = Study.objects.get(slug=slug)
    responses = counts.catch_up(study)
    batch_agreement.refresh(study.batches.get())
    return responses


def look(slug: str, page: str) -> Callable[[], float]:
    """Have an answer changed, then ask for a page: the processor's seconds for the page."""
    from django.test import Client
    from django.utils import timezone

    from annotate.models import Judgment, Study, User

    client = Client(headers={"host": "localhost", "hx-request": "true"})
    client.force_login(User.objects.get(username="bench"))
    study = Study.objects.get(slug=slug)
    judge = study.judges.filter(kind="human").first()
    assert judge is not None
    address = f"/studies/{slug}/{page}".format(batch=study.batches.get().pk, judge=judge.pk)
    own = Judgment.objects.filter(judge=judge, dimension="citation_recall", unfinished=False)
    changed = [*own.exclude(value="")[: ROUNDS + 1].values_list("pk", flat=True)]

    def act() -> float:
        row = Judgment.objects.get(pk=changed[0])
        Judgment.objects.filter(pk=row.pk).update(
            value="no" if row.value == "yes" else "yes", created_at=timezone.now()
        )
        changed.append(changed.pop(0))
        start = processor()
        answer = client.get(address)
        if answer.status_code != 200:
            raise RuntimeError(f"{address}: {answer.status_code}")
        return processor() - start

    return act


def measure(sizes: int) -> dict[str, Any]:
    """In a process of its own: fill an empty database, and look at each page."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from annotate.models import Judgment, Response, Unit
    from annotate.web.bulk import refresh_statistics

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    fill("live", sizes)
    fill("next-door", NEIGHBOUR)
    refresh_statistics(Judgment, Response, Unit)
    start = processor()
    answers = {slug: catch_up(slug) for slug in ("live", "next-door")}
    counted = processor() - start
    if connection.vendor == "postgresql":
        cursor = connection.cursor()
        cursor.execute("VACUUM ANALYZE")  # as PostgreSQL does by itself, within a minute
        cursor.execute("SET max_parallel_workers_per_gather = 0")  # told to nobody
    found = {"live: all counted anew": [1_000 * counted] * 2} if all(answers.values()) else {}
    for slug in ("live", "next-door"):
        for name, page in PAGES.items():
            act = look(slug, page)
            act()
            times = sorted(act() for _ in range(ROUNDS))
            found[f"{slug}: {name}"] = [1_000 * times[0], 1_000 * times[ROUNDS // 2]]
    return found


def exponent(small: float, large: float, times: float) -> float:
    return math.log(max(large, 1e-9) / max(small, 1e-9)) / math.log(times)


def _table(database: str, sizes: list[int], found: list[dict[str, Any]]) -> None:
    print(
        f"    {'ms of the processor':28}" + "".join(f"{size:>12,}" for size in sizes) + "   growth"
    )
    for name in found[0]:
        least = [of[name][0] for of in found]
        grows = exponent(least[0], least[-1], sizes[-1] / sizes[0]) if len(sizes) > 1 else 0.0
        times = "".join(f"{of[name][1]:12.1f}" for of in found)
        keep(f"{database}, {name}, {sizes[-1]:,} judgments", found[-1][name][1], "ms")
        keep(f"{database}, {name}, growth", grows, "exponent")
        print(f"    {name.replace('live: ', ''):28}{times}   {grows:6.2f}", flush=True)


def _measured(database: Database, size: int) -> dict[str, Any]:
    return apart("bench.live", "measure", database, "--judgments", str(size))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", nargs="?", choices=["measure"])
    parser.add_argument("--judgments", type=int, nargs="+", default=list(SIZES))
    asked = parser.parse_args()
    if asked.step:
        print(json.dumps(measure(asked.judgments[0])))
        return
    print("Live pages")
    found: dict[str, list[dict[str, Any]]] = {}
    for size in asked.judgments:
        with tempfile.TemporaryDirectory() as folder:
            for database in databases(Path(folder)):
                found.setdefault(database.name, []).append(_measured(database, size))
    for name, of in found.items():
        print(f"  {name}")
        _table(name, asked.judgments, of)


if __name__ == "__main__":
    main()
