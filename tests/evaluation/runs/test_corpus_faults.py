"""Workers are killed while they index a corpus: it is indexed anew by another, once and wholly."""

import pytest

from tests.evaluation.runs.test_model_faults import until
from tests.evaluation.runs.worlds import kill, undisturbed

pytestmark = pytest.mark.processes

PASSAGES = 25_000
WRITTEN = (1, 2_000_000)
"""Bytes of texts after which the worker is killed: at the beginning, and further on."""

ASKED = ["peak 77", "which peak is 42 high", "high peaks 11999"]


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    """What is found where nobody is killed."""
    with undisturbed(tmp_path_factory) as world:
        made = world.do("index", count=PASSAGES, here=True)
        assert made["state"] == "ready", made
        return world.do("searched", key=made["pk"], queries=ASKED), made["written"]


def test_killed_indexing_leaves_nothing_and_loses_nothing(world, stacks, quiet):
    found, size = quiet
    assert all(len(each) == 20 for each in found)
    assert size > 2 * WRITTEN[-1]
    world.prepare(stacks.kept)
    key = world.do("index", count=PASSAGES)["pk"]
    before: set[str] = set()
    for number, written in enumerate(WRITTEN):
        worker = world.worker(f"number-{number}")

        def has_written(written=written, before=frozenset(before)):
            now = world.do("corpus", key=key)
            return before.isdisjoint(now["folders"]) and now["written"] >= written

        until(has_written)
        kill(worker)
        left = world.do("corpus", key=key)
        assert (left["state"], left["files"], len(left["folders"])) == ("indexing", 1, 1), left
        before.update(left["folders"])
    world.worker()
    until(lambda: world.do("corpus", key=key)["state"] in {"ready", "failed"})
    made = world.do("corpus", key=key)
    assert (made["state"], made["passages"], made["deaths"]) == ("ready", PASSAGES, 2), made
    assert (made["is_its_folder"], made["files"], made["written"]) == (True, 0, size)
    assert world.do("searched", key=key, queries=ASKED) == found
