"""Making a system here: what of the ideal throughput is reached, and that a generation which is
killed pays for nothing again.

Run by `make bench`: 1,000 questions by VANILLA, as `bench.models` does a run. Ideal is the number
of calls, times what each takes, divided by how many are under way at once. How long loading the
responses takes afterwards is told apart. It fails where less than 90 % are reached, or
memory grows by more than 30 MB.
"""

import argparse
import json
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from bench.databases import databases
from bench.models import AT_ONCE, SECONDS, Model, Models, measure, prepare, short_of
from bench.runs import peak_mb, write_outputs

QUESTIONS = 1_000


def make(url: str) -> dict[str, Any]:
    """A whole generation here; one that was begun before goes on."""
    from annotate.models import Study
    from evaluation.generating import generation_job as generating
    from evaluation.generating import generations
    from evaluation.generating.generation_settings import GenerationSettings
    from evaluation.language_models.connections import save
    from evaluation.models import Connection, Generation, ModelCall

    study = Study.objects.get(slug="bench")
    row = Generation.objects.filter(study=study).first()
    if row is None:
        given = {"mode": "chat", "model": "m", "inner": True, "everybody": True}
        save(Connection(name="bench", url=url, **given))
        settings = GenerationSettings("vanilla", "bench", {"at_once": str(AT_ONCE)})
        more = {"by_operator": True, "queued": False}
        row = generations.create(study, "Made", settings, **more)  # type: ignore[arg-type]
    Generation.objects.filter(pk=row.pk, state=Generation.State.WORKING).update(
        state=Generation.State.QUEUED, lease_token="", lease_until=None
    )
    answering = _timed(generating)
    before, began, of_processor = peak_mb(), time.perf_counter(), time.process_time()
    generating.work(row.pk)
    whole = time.perf_counter() - began
    row.refresh_from_db()
    if row.state != Generation.State.DONE:
        raise RuntimeError(row.error)
    return {
        "seconds": answering[0],
        "processor": time.process_time() - of_processor,
        "calls": ModelCall.objects.count(),
        "mb": peak_mb() - before,
        "loading": whole - answering[0],
    }


def _timed(generating: Any) -> list[float]:
    """How long answering takes, in the place of the step that does it."""
    found = [0.0]
    write = generating._write

    def timed(*given: Any) -> Any:
        began = time.perf_counter()
        made = write(*given)
        found[0] = time.perf_counter() - began
        return made

    generating._write = timed
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", nargs="?", choices=["prepare", "make"])
    parser.add_argument("--argument", default="")
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    asked = parser.parse_args()
    if asked.step:
        import django

        django.setup()
        print(json.dumps({"prepare": prepare, "make": make}[asked.step](asked.argument)))
        return
    print(f"A system made here, {1000 * SECONDS:.0f} ms a call, {AT_ONCE} at once")
    server = Models(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    faults = []
    for kills in (0, 2):
        with tempfile.TemporaryDirectory() as folder:
            outputs = Path(folder) / "outputs.jsonl"
            write_outputs(outputs, asked.questions)
            for database in databases(Path(folder)):
                reached = measure(
                    database,
                    outputs,
                    server.server_port,
                    kills=kills,
                    module="bench.generating",
                    step="make",
                )
                if reached is not None:
                    faults += short_of(database.name, reached, is_full=True)
    if faults:
        raise SystemExit("; ".join(faults))


if __name__ == "__main__":
    main()
