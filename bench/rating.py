"""Fifty raters at once on two web workers, and claiming from a batch of 10,000 responses.

The raters are simulated over HTTP, with pauses that no person makes so short. How long saving and
going on take stands beside a trivial request under the same load; afterwards every judgment that
was acknowledged must be there, once, and every response must have exactly its ratings.
"""

import asyncio
import json
import os
import random
import re
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from bench.databases import Database, databases
from bench.figures import keep
from bench.ratings_file import write_ratings

ROOT = Path(__file__).resolve().parents[1]
SLUG = "rating"
WANTED = 3
SIZES = {"SQLite": (15, 60)}
"""Raters and responses, where they are fewer than `SIZE`."""

SIZE = (50, 200)
PAUSE = 0.5
"""Seconds between two answers, on the average."""

SENT_AGAIN = 0.05
LARGE = (4, 2_500)
SMALL = (4, 25)
REPEATS = 15

STEP = re.compile(r'<section class="step".*?data-step="(?P<step>[^"]+)".*?</section>', re.DOTALL)
CHOICE = re.compile(r'name="value" value="([^"]+)"')
OVER = ("Everything in this batch has all its ratings", "You have rated everything here")

Answers = dict[tuple[int, str], str]
"""By task and step: what was acknowledged."""


# The raters --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: str
    seconds: float


@dataclass(slots=True)
class Times:
    """Seconds of every kind of request."""

    of: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    requests: int = 0

    def row(self, kind: str) -> tuple[float, float]:
        """The median and the 95th percentile, in milliseconds."""
        times = self.of[kind]
        return 1000 * statistics.median(times), 1000 * statistics.quantiles(times, n=20)[-1]


class Browser:
    """One rater's browser: a session, and a connection of its own for every request."""

    def __init__(self, port: int, session: str, times: Times) -> None:
        self.port, self.session, self.times = port, session, times
        self.token = secrets.token_hex(16)

    async def ask(self, path: str, sent: dict[str, str] | None = None) -> Reply:
        body = "" if sent is None else urlencode(sent)
        head = [
            f"{'GET' if sent is None else 'POST'} {path} HTTP/1.1",
            "Host: localhost",
            "Connection: close",
            f"Cookie: sessionid={self.session}; csrftoken={self.token}",
        ]
        if sent is not None:
            head += [
                f"X-CSRFToken: {self.token}",
                "HX-Request: true",
                "Content-Type: application/x-www-form-urlencoded",
                f"Content-Length: {len(body)}",
            ]
        began = time.perf_counter()
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(("\r\n".join(head) + "\r\n\r\n" + body).encode())
        raw = (await reader.read()).decode()
        writer.close()
        seconds = time.perf_counter() - began
        self.times.requests += 1
        top, _, text = raw.partition("\r\n\r\n")
        first, *lines = top.split("\r\n")
        headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines)}
        return Reply(int(first.split()[1]), headers, text, seconds)


async def rate(browser: Browser, batch: int, seed: int, answers: Answers) -> None:
    """Rate until nothing is left for this rater."""
    chance = random.Random(seed)
    start = f"/studies/{SLUG}/desk/{batch}/next/"
    while True:
        reply = await browser.ask(start, {})
        page = reply.headers["location"]
        while "/desk/tasks/" in page:
            shown = await browser.ask(page)
            page = await do_task(browser, page, shown.body, chance, answers)
        reply = await browser.ask(page)
        if any(text in reply.body for text in OVER):
            return
        await asyncio.sleep(chance.uniform(0.5, 1.5))  # everything is leased


async def do_task(
    browser: Browser, page: str, text: str, chance: random.Random, answers: Answers
) -> str:
    """Answer every question and finish; returns where the desk leads then, having been there."""
    task = int(page.rstrip("/").rpartition("/")[2])
    for found in STEP.finditer(text):
        await asyncio.sleep(chance.uniform(0, 2 * PAUSE))
        step, value = found["step"], chance.choice(CHOICE.findall(found[0]))
        sent = {"step": step, "value": value, "edit": secrets.token_hex(16), "base": ""}
        for _ in range(2 if chance.random() < SENT_AGAIN else 1):
            reply = await browser.ask(f"{page}answer/", sent)
            if reply.status != 200:
                raise RuntimeError(f"{step}: {reply.status} {reply.body[:500]}")
            browser.times.of["save an answer"].append(reply.seconds)
        answers[task, step] = value
    reply = await browser.ask(f"{page}finish/", {})
    if "hx-redirect" not in reply.headers:
        raise RuntimeError(f"finish: {reply.status} {reply.body[:500]}")
    following = reply.headers["hx-redirect"]
    if "/desk/tasks/" in following:
        shown = await browser.ask(following)
        browser.times.of["next response"].append(reply.seconds + shown.seconds)
    return following


async def probe(browser: Browser, is_over: asyncio.Event) -> None:
    """A trivial request now and then, as long as the others work."""
    while not is_over.is_set():
        reply = await browser.ask("/healthz")
        browser.times.of["trivial request"].append(reply.seconds)
        await asyncio.sleep(0.1)


async def rate_all(port: int, batch: int, sessions: list[str]) -> tuple[Times, Answers, float]:
    times, answers, is_over = Times(), Answers(), asyncio.Event()
    began = time.perf_counter()
    probing = asyncio.create_task(probe(Browser(port, "", times), is_over))
    await asyncio.gather(
        *(
            rate(Browser(port, session, times), batch, seed, answers)
            for seed, session in enumerate(sessions)
        )
    )
    seconds = time.perf_counter() - began
    is_over.set()
    await probing
    return times, answers, seconds


# The server and its database ---------------------------------------------------------------------


@contextmanager
def served(database: Database) -> Iterator[int]:
    """Gunicorn with two workers; gives its port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = int(listener.getsockname()[1])
    environment = {"PORT": str(port), "ATTEST_WEB_WORKERS": "2"} | environment_of(database)
    command = ["-m", "config.serving.web"]
    with subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, env=os.environ | environment
    ) as server:
        try:
            _wait_for(port, server)
            yield port
        finally:
            server.terminate()


def _wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        if server.poll() is not None:
            raise RuntimeError("the web server did not start")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("the web server does not answer")


def environment_of(database: Database) -> dict[str, str]:
    return {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": database.url,
        "ATTEST_DATA_DIR": str(database.folder),
    }


def in_django(act: Callable[..., Any], database: Database, *arguments: Any) -> Any:
    """What `act` returns in a process of its own that has the database open."""
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(there, act, database, arguments))
    process.start()
    there.close()
    try:
        result = here.recv()
    except EOFError:
        raise SystemExit(f"{database.name}: {act.__name__} failed") from None
    process.join()
    return result


def _run(
    there: Connection, act: Callable[..., Any], database: Database, arguments: tuple[Any, ...]
) -> None:
    os.environ.update(environment_of(database))
    import django

    django.setup()
    there.send(act(*arguments))


def prepare(folder: Path, raters: int, responses: int) -> tuple[int, list[str]]:
    """A batch of ALCE's questions, and a session for every rater."""
    from django.core.management import call_command

    from annotate.models import Membership, Role, Study, User
    from annotate.rating.batches import create_batch, open_batch

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    User.objects.create_user("bench", is_researcher=True)
    _load(folder / "rating.jsonl", SLUG, "alce", write_answers(responses))
    study = Study.objects.get(slug=SLUG)
    batch = create_batch(study, name="Bench", raters_per_item=WANTED)
    open_batch(batch)
    sessions = []
    for number in range(raters):
        user = User.objects.create_user(f"rater{number}")
        Membership.objects.create(study=study, user=user, role=Role.RATER)
        sessions.append(session_of(user))
    return batch.pk, sessions


def session_of(user: Any) -> str:
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "annotate.authentication.EmailOrUsernameBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def _load(path: Path, slug: str, preset: str, content: str = "") -> None:
    from django.core.management import call_command

    if content:
        path.write_text(content)
    call_command("create_study", slug, preset=preset, owner="bench", verbosity=0, stdout=StringIO())
    call_command("import_outputs", slug, str(path), verbosity=0, stdout=StringIO())


def write_answers(responses: int) -> str:
    """Two statements with three citations each, of passages as long as ALCE's."""
    text = "The mountain stands in a range of many peaks, and people have climbed it often. " * 8
    lines = [
        {
            "question": {"id": f"q{n}", "text": f"How high is peak {n}?"},
            "system": "Vermilion",
            "output": f"Peak {n} is {n} metres high [1]. It is red in the evening [2][3].",
            "passages": [{"n": k, "title": f"{n}", "text": f"{n} {k}: {text}"} for k in (1, 2, 3)],
        }
        for n in range(responses)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def against(batch_id: int, acknowledged: Answers) -> tuple[int, int, int]:
    """How many judgments there are, how many acknowledged ones are lost or otherwise, and how many
    are there that nobody acknowledged."""
    from annotate.models import Assignment, Batch, Judgment

    batch = Batch.objects.get(pk=batch_id)
    tasks = Assignment.objects.filter(batch=batch)
    keys = {
        (judge, response): pk
        for pk, judge, response in tasks.values_list("pk", "judge", "item__response")
    }
    rows = [
        ((keys[judge, response], f"{unit}:{dimension}"), value)
        for judge, response, unit, dimension, value in Judgment.objects.filter(
            unit__response__study=batch.study
        ).values_list("judge", "unit__response", "unit__key", "dimension", "value")
    ]
    found = dict(rows)
    lost = {key for key, value in acknowledged.items() if found.get(key) != value}
    return len(rows), len(lost), len(rows) - len(acknowledged)


def check(batch_id: int, acknowledged: Answers) -> str:
    """Exactly what was acknowledged is there, and exactly as many ratings as were wanted."""
    from annotate.models import Assignment, Batch

    batch = Batch.objects.get(pk=batch_id)
    tasks = Assignment.objects.filter(batch=batch)
    done = defaultdict(list)
    for item, judge, state in tasks.values_list("item", "judge", "state"):
        if state == Assignment.State.DONE:
            done[item].append(judge)
    items = list(batch.items.values_list("pk", flat=True))
    wrong = [item for item in items if len(done[item]) != WANTED or len(set(done[item])) != WANTED]
    judgments, lost, more = against(batch_id, acknowledged)
    if wrong or lost or more:
        raise RuntimeError(
            f"{len(wrong)} responses without exactly {WANTED} ratings, {lost} judgments "
            f"lost or otherwise, {more} too many"
        )
    return (
        f"{len(items)} responses × {WANTED} ratings, {judgments:,} judgments: none lost or double"
    )


# A large batch -----------------------------------------------------------------------------------


def measure_claims(folder: Path) -> list[tuple[str, float, float]]:
    """Milliseconds of claiming in a small and in a large batch, half of it rated by fifty."""
    from django.utils import timezone

    from annotate.models import Assignment, Batch, Judge, Study
    from annotate.rating import assignments
    from annotate.rating.batches import create_batch, open_batch
    from annotate.rating.pace import pace_of

    found: dict[str, list[float]] = defaultdict(list)
    for systems, questions in (SMALL, LARGE):
        slug = f"ais-{systems * questions}"
        path = folder / f"{slug}.csv"
        write_ratings(path, systems=systems, questions=questions)
        _load(path, slug, "ais")
        study = Study.objects.get(slug=slug)
        judges = [
            Judge.objects.create(study=study, kind=Judge.Kind.HUMAN, name=f"rater-{n}")
            for n in range(SIZE[0])
        ]
        batch = create_batch(study, name="Large", raters_per_item=WANTED)
        open_batch(batch)
        batch = Batch.objects.select_related("study").get(pk=batch.pk)
        now = timezone.now()
        rows = [
            Assignment(
                batch=batch,
                item=item,
                judge=judges[(at + k) % len(judges)],
                state=Assignment.State.DONE,
                done_at=now,
                lease_until=now,
            )
            for at, item in enumerate(batch.items.all())
            for k in range(WANTED if at % 2 else 1)
        ]
        Assignment.objects.bulk_create(rows, batch_size=5_000)
        _analyze()

        def claim(judge: Judge, batch: Batch = batch) -> object:
            return assignments.next_task(batch, judge)

        def pace(judge: Judge, batch: Batch = batch) -> object:
            return pace_of(batch, judge)

        for kind, act in (("next_task", claim), ("pace", pace)):
            times = []
            for judge in judges[:REPEATS]:
                began = time.perf_counter()
                act(judge)
                times.append(1000 * (time.perf_counter() - began))
            found[kind].append(statistics.median(times))
    return [(kind, small, large) for kind, (small, large) in found.items()]


def _analyze() -> None:
    """What the databases do by themselves now and then."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


# The report --------------------------------------------------------------------------------------


def measure(database: Database, folder: Path) -> None:
    raters, responses = SIZES.get(database.name, SIZE)
    batch, sessions = in_django(prepare, database, folder, raters, responses)
    with served(database) as port:
        times, answers, seconds = asyncio.run(rate_all(port, batch, sessions))
    said = in_django(check, database, batch, answers)
    print(f"  {database.name}, {raters} raters, 2 workers: {said}")
    print(f"    {times.requests / seconds:.0f} requests per second, {seconds:.0f} s")
    base = times.row("trivial request")
    for kind in ("trivial request", "save an answer", "next response"):
        middle, late = times.row(kind)
        keep(f"{database.name}, {kind}, p95", late, "ms")
        print(
            f"    {kind}: p50 {middle:.0f} ms, p95 {late:.0f} ms; "
            f"ratio {middle / base[0]:.1f}, {late / base[1]:.1f}"
        )
    sizes = " and ".join(f"{systems * questions:,}" for systems, questions in (SMALL, LARGE))
    for kind, small, large in in_django(measure_claims, database, folder):
        print(
            f"    {kind} in {sizes} responses: {small:.1f} and {large:.1f} ms; "
            f"ratio {large / small:.1f}"
        )


def main() -> None:
    print("Rating")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for database in databases(folder):
            measure(database, folder)


if __name__ == "__main__":
    main()
