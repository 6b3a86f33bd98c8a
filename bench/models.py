"""A language model as judge: what of the ideal throughput is reached, with how much memory, and
that a run which is killed pays for nothing again.

Run by `make bench`. The server sleeps for a fixed time and answers by rule. Ideal is the number of
calls, times that time, divided by how many are under way at once. Then a run is killed twice and
goes on: of what the server answered, only what was under way at a kill, or had just come, was not
kept. It fails where memory grows by more than 30 MB, and at full size (`--calls 30000`: 10,000
units of three questions) below 90 %; of a shorter run the ends of its parts weigh more.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from bench.databases import Database, apart, databases
from bench.figures import keep
from bench.runs import peak_mb, write_outputs

SECONDS, AT_ONCE = 0.2, 32
DIMENSIONS = ["citation_recall", "citation_support", "utility"]
FULL = 30_000
"""Calls of the full size."""

LEAST = 0.9
"""Of the ideal, that must be reached there."""

MOST_MB = 30.0
"""By which a run of any size may grow: it grows with a part, not with the run."""

CALLS_OF_RESPONSE = 11
"""Of four statements with six citations."""


class Model(BaseHTTPRequestHandler):
    """Sleeps, and answers by rule."""

    protocol_version = "HTTP/1.1"
    answered = 0
    counting = threading.Lock()

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(SECONDS)
        choice = {"message": {"content": _said(asked)}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 500, "completion_tokens": 20}
        with Model.counting:
            Model.answered += 1
        self._send({"choices": [choice], "usage": usage})

    def do_GET(self) -> None:
        self._send({"answered": Model.answered})

    def _send(self, found: object) -> None:
        content = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _said(asked: dict[str, Any]) -> str:
    """The first choice, where there are some; else a sentence."""
    if "response_format" not in asked:
        return "Subject 1 has the property 1 [1]."
    values = asked["response_format"]["json_schema"]["schema"]["properties"]["value"]["enum"]
    return json.dumps({"value": values[0], "reason": "By rule.", "quotes": []})


class Models(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *given: Any) -> None:
        """A client that was killed is part of it."""


# In processes of their own ------------------------------------------------------------------------


def prepare(path: str) -> dict[str, Any]:
    """An empty database with a study of these outputs."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("create_study", "bench", preset="alce", verbosity=0)
    call_command("import_outputs", "bench", path, verbosity=0)
    return {}


def judge(url: str) -> dict[str, Any]:
    """A whole run here; one that was begun before goes on."""
    from annotate.models import Study
    from evaluation.judges.settings import JudgeSettings
    from evaluation.language_models.connections import save
    from evaluation.models import Connection, ModelCall, Run, Shard
    from evaluation.runs import lifecycle as runs
    from evaluation.runs.plans import plan
    from evaluation.runs.shards import work

    study = Study.objects.get(slug="bench")
    run = Run.objects.filter(study=study).first()
    if run is None:
        given = {"mode": "chat", "model": "m", "inner": True, "everybody": True}
        save(Connection(name="bench", url=url, **given))
        options = {"at_once": str(AT_ONCE)}
        settings = JudgeSettings(
            "model", "coverage", options=options, connection="bench", dimensions=DIMENSIONS
        )
        run = plan(runs.create(study, settings, by_operator=True, queued=False).pk)
        assert run is not None
        runs.start(run, queued=False)
    Shard.objects.filter(run=run, state=Shard.State.WORKING).update(
        state=Shard.State.WAITING, lease_token="", lease_until=None
    )
    before, began, of_processor = peak_mb(), time.perf_counter(), time.process_time()
    for key in run.shards.filter(state=Shard.State.WAITING).values_list("pk", flat=True):
        work(key)
    seconds = time.perf_counter() - began
    run.refresh_from_db()
    if run.state != Run.State.DONE:
        raise RuntimeError(run.error)
    return {
        "seconds": seconds,
        "processor": time.process_time() - of_processor,
        "calls": ModelCall.objects.count(),
        "mb": peak_mb() - before,
    }


# The measurements ---------------------------------------------------------------------------------


def _answered(port: int) -> int:
    import urllib.request

    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as said:
        found: int = json.load(said)["answered"]
    return found


class Reached(NamedTuple):
    """What share of the ideal a run reached, and by how much memory it grew."""

    share: float
    mb: float


def measure(
    database: Database,
    outputs: Path,
    port: int,
    *,
    kills: int,
    module: str = "bench.models",
    step: str = "judge",
) -> Reached | None:
    """A whole run, or what another module does in the same way, perhaps killed so often before;
    what it reached, where nobody killed it."""
    url = f"http://127.0.0.1:{port}/"
    apart(module, "prepare", database, "--argument", str(outputs))
    asked = ["--argument", url]
    before = _answered(port)
    for _ in range(kills):
        killed = subprocess.Popen(
            [sys.executable, "-m", module, step, *asked],
            env=database.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        so_far = _answered(port)
        while _answered(port) < so_far + 200:
            time.sleep(0.05)
        killed.kill()
        killed.wait()
    found = apart(module, step, database, *asked)
    answered = _answered(port) - before
    if kills:
        lost = answered - found["calls"]
        most = 2 * kills * AT_ONCE
        print(
            f"  {database.name}, killed {kills} times: {found['calls']:,} calls kept, {answered:,} "
            f"answered; {lost} were under way at a kill, or had just come (at most {most})"
        )
        if lost > most:
            raise SystemExit(1)
        return None
    if "loading" in found:
        print(f"  {database.name}: the responses were loaded in {found['loading']:.1f} s")
    share: float = found["calls"] * SECONDS / AT_ONCE / found["seconds"]
    keep(f"{database.name}, {found['calls']:,} calls", share, "of the ideal")
    keep(f"{database.name}, a call", 1000 * found["processor"] / found["calls"], "ms")
    keep(f"{database.name}, memory", found["mb"], "MB")
    print(
        f"  {database.name}: {found['calls']:,} calls in {found['seconds']:.1f} s, "
        f"{share:.0%} of the ideal; {found['mb']:.0f} MB, "
        f"{1000 * found['processor'] / found['calls']:.1f} ms of the processor for each"
    )
    return Reached(share, found["mb"])


def short_of(name: str, reached: Reached, *, is_full: bool) -> list[str]:
    """What is wrong with a run, in words; of one that is not of full size the memory alone."""
    faults = []
    if is_full and reached.share < LEAST:
        faults.append(f"{name} reached {reached.share:.1%} of the ideal, {LEAST:.0%} are wanted")
    if reached.mb > MOST_MB:
        faults.append(f"{name} took {reached.mb:.0f} MB more, {MOST_MB:.0f} at most are wanted")
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", nargs="?", choices=["prepare", "judge"])
    parser.add_argument("--argument", default="")
    parser.add_argument("--calls", type=int, default=6_000)
    asked = parser.parse_args()
    if asked.step:
        import django

        django.setup()
        print(json.dumps({"prepare": prepare, "judge": judge}[asked.step](asked.argument)))
        return
    print(f"A language model, {1000 * SECONDS:.0f} ms a call, {AT_ONCE} at once")
    server = Models(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    faults = []
    for kills in (0, 2):
        with tempfile.TemporaryDirectory() as folder:
            outputs = Path(folder) / "outputs.jsonl"
            write_outputs(outputs, asked.calls // CALLS_OF_RESPONSE)
            for database in databases(Path(folder)):
                reached = measure(database, outputs, server.server_port, kills=kills)
                if reached is not None:
                    faults += short_of(database.name, reached, is_full=asked.calls >= FULL)
    if faults:
        raise SystemExit("; ".join(faults))


if __name__ == "__main__":
    main()
