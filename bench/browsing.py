"""Browsing 100,000 responses, against browsing 1,000 in the same database: ratios of page times."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

from bench.databases import Database, databases
from bench.figures import keep
from bench.ratings_file import write_ratings

LARGE = (28, 3_610)
WORDS = 80
"""Of an answer."""
SMALL = (4, 250)
REPEATS = 7
LEAST = 4
"""Characters of a word that is searched."""


def _median(act: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure(database: Database, folder: Path) -> None:
    """In a process of its own: load both studies and time their pages as a browser gets them."""
    os.environ.update(
        DJANGO_SETTINGS_MODULE="config.settings",
        DATABASE_URL=database.url,
        ATTEST_DATA_DIR=str(database.folder),
    )
    import django

    django.setup()
    from django.core.management import call_command
    from django.test import Client

    from annotate.content import counts
    from annotate.models import Response, Study, User

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    user = User.objects.create_user("bench", is_researcher=True)
    for name, (systems, questions) in (("small", SMALL), ("large", LARGE)):
        path = folder / f"{name}.csv"
        write_ratings(path, systems=systems, questions=questions, words=WORDS)
        call_command(
            "create_study", name, preset="ais", owner="bench", verbosity=0, stdout=StringIO()
        )
        call_command("import_outputs", name, str(path), verbosity=0, stdout=StringIO())
        counts.catch_up(Study.objects.get(slug=name))  # as a worker does
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    ids = list(
        Response.objects.filter(study__slug="large").order_by("pk").values_list("pk", flat=True)
    )

    def page(slug: str, query: str = "") -> Callable[[], object]:
        def act() -> object:
            answer = client.get(f"/studies/{slug}/responses/{query}")
            if answer.status_code != 200:
                raise RuntimeError(f"{slug}{query}: {answer.status_code}")
            return answer

        return act

    base = _median(page("small"))
    print(f"  {database.name}: first page of {SMALL[0] * SMALL[1]:,} responses = 1")
    for what, query in (
        (f"first page of {len(ids):,}", ""),
        ("page in the middle", f"?after={ids[len(ids) // 2]}"),
        ("last page", f"?after={ids[-20]}"),
        ("one system's page", f"?system={_system_of(ids[-1])}"),
        ("search for a word that most have", "?q=ka"),
        ("search for a word that a tenth has", f"?q={_word_of(0.1)}"),
        ("search for a word that one in a hundred has", f"?q={_word_of(0.01)}"),
        ("search for a word that few have", "?q=3609"),
        ("search for a word that is nowhere", "?q=xyzzy"),
    ):
        times = _median(page("large", query)) / base
        keep(f"{database.name}, {what}", times, "times a small study's first page")
        print(f"    {what}: {times:.1f}")
    act = page("large", f"{ids[len(ids) // 2]}/")
    print(f"    one response: {_median(act) / base:.1f}")


def _word_of(share: float) -> str:
    """A word that about such a share of the large study's responses has."""
    from annotate.models import Response

    texts = [
        f"{question}\n{text}"
        for question, text in Response.objects.filter(study__slug="large")
        .order_by("digest")
        .values_list("question__text", "text")[:2_000]
    ]
    words = sorted({word for text in texts[:200] for word in text.split() if len(word) >= LEAST})
    return min(words, key=lambda word: abs(sum(word in text for text in texts) - share * 2_000))


def _system_of(response_id: int) -> int:
    from annotate.models import Response

    return Response.objects.get(pk=response_id).system_id


def main() -> None:
    import multiprocessing

    print("Browsing (times relative to a small study's first page)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for database in databases(folder):
            process = multiprocessing.get_context("spawn").Process(
                target=measure, args=(database, folder)
            )
            process.start()
            process.join()
            if process.exitcode:
                raise SystemExit(f"{database.name}: measuring failed")


if __name__ == "__main__":
    main()
