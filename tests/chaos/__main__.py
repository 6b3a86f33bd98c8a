"""`python -m tests.chaos [--seconds N] [--seed N]`: the scene undisturbed and under kills."""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.chaos.clients import Client, Deleter, Rater, Reporter, Scene, Uploader, over, play
from tests.chaos.disturbing import Disturber
from tests.chaos.scene import FILES, IN_A_FILE, RESPONSES, WANTED
from tests.config.test_serve import free_port
from tests.evaluation.runs.stacks import EMBEDDED, SERVERS, Stacks, postgres_program
from tests.evaluation.runs.worlds import World

PEACE_SECONDS = 150
"""After the last kill, so long at most until all is done."""

STACKS = (EMBEDDED, SERVERS)
COMPARED = ("outputs", "responses", "people", "machines", "doomed")


class ChaosWorld(World):
    """The world of the tests of runs, with the scene's study in it."""

    does = "tests.chaos.scene"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=45, help="so long it is killed")
    parser.add_argument("--seed", type=int, default=0, help="of what is killed when")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="attest-chaos-"))
    stacks = Stacks(folder)
    try:
        twin, _ = played(stacks, EMBEDDED, folder / "quiet", seconds=0, seed=0)
        faults = check(twin, twin, "undisturbed")
        for number, kind in enumerate(STACKS):
            if number and (postgres_program("initdb") is None or not shutil.which("redis-server")):
                print(f"{kind}: not on this machine, so not tried.")
                continue
            found, told = played(
                stacks, kind, folder / str(number), seconds=options.seconds, seed=options.seed
            )
            faults += check(found, twin, kind)
            print(f"| {kind} | {told} |", flush=True)
    finally:
        stacks.close()
    if faults:
        print("\n".join(faults), f"The logs are in {folder}.", sep="\n")
        sys.exit(1)
    shutil.rmtree(folder, ignore_errors=True)


def played(
    stacks: Stacks, kind: str, folder: Path, *, seconds: float, seed: int
) -> tuple[dict[str, Any], str]:
    """The scene from its beginning to its end; what is there then, and how it went."""
    folder.mkdir()
    stack = stacks.open(kind, folder)
    world = ChaosWorld(stack, folder, pair_seconds=0.01)
    world.notice_soon()
    try:
        made = world.do("prepare")
        world.do("collect_static")
        run = world.create()
        port = free_port()
        scene = Scene(port)
        raters = [Rater(scene, made["batch"], session) for session in made["raters"]]
        reporter = Reporter(scene, made["token"])
        everybody: list[Client] = [
            *raters,
            Uploader(scene, made["token"], made["files"]),
            Deleter(scene, made["owner"], after=seconds / 3),
        ]
        disturber = Disturber(world, port, seed)
        began = time.monotonic()
        threads, asking = play(scene, everybody), play(scene, [reporter])
        disturber.disturb(seconds)
        ended = over(threads, PEACE_SECONDS)
        reporter.stopped.set()
        ended = over(asking, PEACE_SECONDS) and ended
        scene.given_up.set()
        world.asked = None  # its connection may have been cut off
        while (state := world.do("state", run=run)["state"]) != "done" or world.do("progress")[
            "doomed"
        ]:
            if state == "failed":
                world.do("retry", run=run)
            if time.monotonic() - began > seconds + 2 * PEACE_SECONDS:
                ended = False
                break
            time.sleep(0.5)
        found: dict[str, Any] = world.do("outcome")
    finally:
        world.close()
        stack.close()
    found["faults"] = [*scene.faults, *([] if ended else ["it did not come to its end in time"])]
    found["acknowledged"] = {edit for rater in raters for edit in rater.acknowledged}
    kills = ", ".join(f"{count} × {name}" for name, count in sorted(disturber.kills.items()))
    told = (
        f"{len(everybody) + 1} clients, {scene.requests} requests, "
        f"{scene.tried_again} tried again | "
        f"{len(found['acknowledged'])} answers | {disturber.kills.total()} ({kills}) | "
        f"{lost(found)} | {found['doubled']} | {time.monotonic() - began:.0f} s"
    )
    return found, told


def lost(found: dict[str, Any]) -> int:
    """Acknowledged answers that are nowhere."""
    return len(found["acknowledged"] - set(found["edits"]) - set(found["past"]))


def check(found: dict[str, Any], twin: dict[str, Any], kind: str) -> list[str]:
    """What is not as it must be."""
    faults = list(found["faults"])
    if lost(found):
        faults.append(f"{lost(found)} acknowledged answers are lost")
    if found["doubled"] or found["ratings"] != [WANTED] * RESPONSES:
        faults.append(f"ratings of each response: {found['ratings']}, {found['doubled']} doubled")
    if found["responses"] != RESPONSES + FILES * IN_A_FILE:
        faults.append(f"{found['responses']} responses")
    faults += [f"{name} differ" for name in COMPARED if found[name] != twin[name]]
    return [f"{kind}: {fault}" for fault in faults]


if __name__ == "__main__":
    main()
