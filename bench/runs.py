"""Runs by 1, 2 and 4 workers, and what planning a study of 100,000 statements takes.

Run by `make bench`. The scorer is a server that sleeps for a fixed time per pair, so that workers
do not share the processor where the work is: what is lost is what Attest itself costs. Overhead is
the time of one worker less what the scorer slept, by part. The same number of requests goes to the
scorer at once in every row, one for each worker.

Planning is timed against reading the same responses and nothing else, as an export does it.
"""

import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from bench.figures import keep

WORKERS = (1, 2, 4)
PAIR_SECONDS = 0.01
PART = 20
"""Responses in a part: the fewest that planning makes."""

SCALE = 400
"""Responses of the study that is judged."""

STATEMENTS = 100_000
PER_RESPONSE = 4
PASSAGES = 5


# The scorer --------------------------------------------------------------------------------------


class Sleeper(BaseHTTPRequestHandler):
    """Sleeps so long for each pair, and answers yes to half of them."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["pairs"]
        time.sleep(PAIR_SECONDS * len(asked))
        scores = [float(sum(one["hypothesis"].encode()) % 2) for one in asked]
        content = json.dumps({"probabilities": scores}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def serve(port: int) -> None:
    """In a process of its own."""
    ThreadingHTTPServer(("127.0.0.1", port), Sleeper).serve_forever()


# In processes of their own ------------------------------------------------------------------------


def write_outputs(path: Path, responses: int) -> None:
    """Responses of four statements, each with one or two of five passages."""
    with path.open("w", encoding="utf-8") as file:
        for n in range(responses):
            passages = [
                {
                    "n": number,
                    "title": f"Subject {n}, part {number}",
                    "text": f"Subject {n} has the property {number}. " + "It was described. " * 20,
                }
                for number in range(1, PASSAGES + 1)
            ]
            output = " ".join(
                f"Subject {n} has been said to have the property {number} by those who described "
                f"it first [{number}]{f'[{number + 1}]' if number % 2 else ''}."
                for number in range(1, PER_RESPONSE + 1)
            )
            question = {"id": f"q{n}", "text": f"What is known about subject {n}?"}
            row = {"question": question, "system": "one", "output": output, "passages": passages}
            file.write(json.dumps(row) + "\n")


def prepare(path: str) -> dict[str, Any]:
    """An empty database with a study of these outputs."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("create_study", "bench", preset="alce", verbosity=0)
    call_command("import_outputs", "bench", path, verbosity=0)
    return {}


def start(url: str) -> dict[str, Any]:
    """Plan a run in small parts, start it, and say how much it is."""
    from annotate.models import Study
    from evaluation.judges.settings import JudgeSettings
    from evaluation.language_models.connections import save
    from evaluation.models import Connection
    from evaluation.runs import lifecycle as runs
    from evaluation.runs import plans as run_plans

    run_plans.MOST = PART
    way = save(Connection(name="bench", url=url, inner=True, everybody=True))
    options = {"batch": 16, "parallel": 1}
    settings = JudgeSettings("alce", "http", options=options, connection=way.name)
    study = Study.objects.get(slug="bench")
    run = runs.create(study, settings, queued=False)
    run_plans.plan(run.pk)
    run.refresh_from_db()
    begun = time.time()
    runs.start(run)
    return {"run": run.pk, "begun": begun}


def ended(run: str) -> dict[str, Any]:
    """How long a run took, once it is over."""
    from evaluation.models import Run
    from evaluation.runs.overview import run_state

    while True:
        found = Run.objects.get(pk=int(run))
        if found.is_over:
            break
        time.sleep(0.2)
    if found.state != Run.State.DONE or found.started_at is None or found.finished_at is None:
        raise RuntimeError(f"{found.state}: {found.error}")
    now = run_state(found)
    return {
        "seconds": (found.finished_at - found.started_at).total_seconds(),
        "pairs": sum(wave.computed for wave in now.waves),
        "parts": now.parts,
    }


def plan(_: str = "") -> dict[str, Any]:
    """Read all responses, then plan a run over them; seconds, and what memory was added.

    Reading comes first and in the same process, so that SQLite's cache, which grows to 64 MB with
    the file, counts for it and not for planning.
    """
    from annotate.exchange.streams import response_records
    from annotate.models import Study
    from evaluation.judges.settings import JudgeSettings
    from evaluation.runs import lifecycle as runs
    from evaluation.runs import plans as run_plans

    study = Study.objects.get(slug="bench")
    before = peak_mb()
    began = time.perf_counter(), time.process_time()
    for records in response_records(study):
        del records
    read = time.perf_counter() - began[0], time.process_time() - began[1]
    reading_mb = peak_mb()
    run = runs.create(study, JudgeSettings("alce", "coverage"), queued=False)
    began = time.perf_counter(), time.process_time()
    found = run_plans.plan(run.pk)
    planned = time.perf_counter() - began[0], time.process_time() - began[1]
    if found is None or found.error:
        raise RuntimeError(found.error if found else "not planned")
    return {
        "read": read,
        "planned": planned,
        "before_mb": before,
        "reading_mb": reading_mb - before,
        "planning_mb": peak_mb() - reading_mb,
        "pairs": found.plan["pairs"],
        "about": found.plan["about"],
    }


def peak_mb() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


STEPS = {"prepare": prepare, "start": start, "ended": ended, "plan": plan}


# The measurements --------------------------------------------------------------------------------


def surroundings(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3",
        "CELERY_BROKER_URL": "filesystem://localhost",
        "ATTEST_DATA_DIR": str(folder),
    }


def apart(folder: Path, step: str, *arguments: object) -> dict[str, Any]:
    """A step in a process of its own; what it found."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.runs", step, *map(str, arguments)],
        env=surroundings(folder),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@contextlib.contextmanager
def running(commands: list[list[str]], folder: Path) -> Iterator[None]:
    """Programs, ended afterwards with all that they started."""
    made = []
    try:
        for command in commands:
            made.append(
                subprocess.Popen(
                    [sys.executable, *command],
                    env=surroundings(folder),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            )
        yield
    finally:
        for process in made:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def worker(number: int) -> list[str]:
    return [
        "-m", "celery", "--quiet", "--skip-checks", "-A", "config", "worker", "--queues", "default",
        "--concurrency", "1", "--loglevel", "ERROR", "--without-gossip", "--without-mingle",
        "--without-heartbeat", "--hostname", f"bench{number}@%h",
    ]  # fmt: skip


def alive(folder: Path, count: int) -> None:
    """Wait until so many workers have said that they are alive."""
    import sqlite3

    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with contextlib.closing(sqlite3.connect(folder / "bench.sqlite3", timeout=30)) as database:
            [found] = database.execute("SELECT count(*) FROM annotate_worker").fetchone()
        if found >= count:
            return
        time.sleep(0.2)
    raise RuntimeError("the workers do not start")


def speed_up(responses: int) -> None:
    """The same run by more and more workers, each time in a new database."""
    print(f"Runs: {responses} responses, {PAIR_SECONDS * 1000:.0f} ms a pair, SQLite")
    alone = 0.0
    for count in WORKERS:
        with tempfile.TemporaryDirectory() as name, socket.socket() as listener:
            folder = Path(name)
            listener.bind(("127.0.0.1", 0))
            port = listener.getsockname()[1]
            listener.close()
            path = folder / "outputs.jsonl"
            write_outputs(path, responses)
            apart(folder, "prepare", path)
            commands = [["-m", "bench.runs", "serve", str(port)]]
            commands += [worker(number) for number in range(count)]
            with running(commands, folder):
                alive(folder, count)
                begun = apart(folder, "start", f"http://127.0.0.1:{port}/")
                found = apart(folder, "ended", begun["run"])
        slept = found["pairs"] * PAIR_SECONDS
        alone = alone or found["seconds"]
        keep(f"{count} workers", alone / found["seconds"], "times as fast")
        overhead = (found["seconds"] * count - slept) / found["parts"]
        print(
            f"  {count} worker{'s' if count > 1 else ''}: {found['seconds']:.1f} s, "
            f"{alone / found['seconds']:.2f} times as fast as one; "
            f"{found['pairs']:,} pairs, {slept:.0f} s of sleep; overhead "
            f"{overhead:.2f} s for each of {found['parts']} parts "
            f"({overhead * found['parts'] / slept:.0%})"
        )


def planning(statements: int) -> None:
    """A large study, and a fifth of it, since its memory shall not grow with it."""
    print(f"Planning a run over {statements:,} statements, SQLite")
    for share in (5, 1):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            path = folder / "outputs.jsonl"
            write_outputs(path, statements // share // PER_RESPONSE)
            apart(folder, "prepare", path)
            found = apart(folder, "plan")
        (read, read_busy), (planned, planned_busy) = found["read"], found["planned"]
        keep(f"planning {statements // share:,} statements", planned_busy, "s")
        print(
            f"  {statements // share:,} statements: planned in {planned:.1f} s "
            f"({planned_busy:.1f} s of the processor), {planned_busy / read_busy:.1f} times "
            f"reading them ({read:.1f} s, {read_busy:.1f} s of the processor); at most "
            f"{'about ' if found['about'] else ''}{found['pairs']:,} pairs; "
            f"memory {found['before_mb']:.0f} MB, reading adds {found['reading_mb']:.0f} MB, "
            f"planning {found['planning_mb']:.0f} MB"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", nargs="?", choices=[*STEPS, "serve"])
    parser.add_argument("argument", nargs="?")
    parser.add_argument("--responses", type=int, default=SCALE)
    parser.add_argument("--statements", type=int, default=STATEMENTS)
    parser.add_argument("--only", choices=["speed-up", "planning"])
    given = parser.parse_args()
    if given.step == "serve":
        serve(int(given.argument))
    elif given.step:
        import django

        django.setup()
        arguments = () if given.argument is None else (given.argument,)
        print(json.dumps(STEPS[given.step](*arguments)))
    else:
        if given.only != "planning":
            speed_up(given.responses)
        if given.only != "speed-up":
            planning(given.statements)


if __name__ == "__main__":
    main()
