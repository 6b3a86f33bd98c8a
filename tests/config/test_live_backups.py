"""A backup of a server whose raters go on rating, restored where nothing is."""

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.config.test_serve import Served
from tests.databases import KINDS, database
from tests.desk.test_two_workers import WEB, Person, answers
from tests.processes import environment_for, tied

ROOT = Path(__file__).resolve().parents[2]
SAVED_FIRST = 25
"""So many answers were acknowledged when the backup begins."""

pytestmark = pytest.mark.processes


class Attest:
    """One installation: a data folder and a database of its own."""

    def __init__(self, folder, url):
        folder.mkdir(exist_ok=True)
        self.folder, self.url = folder, url

    def run(self, *command):
        environment = environment_for(self.folder, DATABASE_URL=self.url)
        result = subprocess.run(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment | {"DJANGO_SETTINGS_MODULE": "config.settings"},
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=tied(),
        )
        assert result.returncode == 0, (command, result.stderr)
        return result.stdout

    def manage(self, *command):
        return self.run("manage.py", *map(str, command))

    def tell(self, what, *arguments):
        return json.loads(self.run("-m", what, *arguments))


@pytest.fixture(params=KINDS)
def both(request, tmp_path, prepared_once):
    """Where people work, and an empty one."""
    here, there = tmp_path / "here", tmp_path / "there"
    shutil.copytree(prepared_once, here)
    kind = request.param
    with database(kind, here, begun=True) as url, database(kind, there) as other:
        yield Attest(here, url), Attest(there, other)


@pytest.fixture
def serve():
    started = []

    def begin(attest):
        served = Served(attest.folder, list(WEB), DATABASE_URL=attest.url, ATTEST_WEB_WORKERS="2")
        started.append(served)
        served.wait_until(lambda: answers(served.port))
        return served

    yield begin
    for served in started:
        served.clean_up()


class Noting(Person):
    """Also keeps every answer that was acknowledged, the earlier ones too."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.order, self.faults = [], []

    def rate(self):
        try:
            super().rate()
        except Exception as fault:  # noqa: BLE001 - the test looks at it
            self.faults.append(fault)

    def say(self, page, step, value, base):
        super().say(page, step, value, base)
        task = int(page.rstrip("/").rpartition("/")[2])
        self.order.append((task, step, self.acknowledged[task, step][0]))


def acknowledged(people):
    """How many answers; it is no use to wait for more of people who broke off."""
    assert [fault for person in people for fault in person.faults] == []
    return sum(len(person.order) for person in people)


def rated(attest):
    found = attest.tell("tests.desk.served", "counts")
    return sorted(found["done"]), sorted(found["judgments"]), found["history"]


def test_what_is_restored_is_what_was_there(both, serve, tmp_path):
    here, there = both
    made = here.tell("tests.desk.served", "prepare")
    here.manage("make_claims", "peaks")
    served = serve(here)
    people = [
        Noting(served.port, made["batch"], session, seed)
        for seed, session in enumerate(made["sessions"])
    ]
    threads = [threading.Thread(target=person.rate, daemon=True) for person in people]
    for thread in threads:
        thread.start()
    served.wait_until(lambda: acknowledged(people) >= SAVED_FIRST)
    before = {(person, *said) for person in people for said in list(person.order)}
    here.manage("backup", tmp_path / "live.zip")
    during = acknowledged(people)
    for thread in threads:
        thread.join()
    assert acknowledged(people) >= during > len(before)
    there.manage("restore", tmp_path / "live.zip")
    found = there.tell("tests.desk.served", "counts")
    latest = {(task, step): edit for task, step, edit, _ in found["judgments"]}
    for person, task, step, edit in before:
        edits = [e for t, s, e in person.order if (t, s) == (task, step)]
        assert latest[task, step] in edits[edits.index(edit) :]

    here.manage("backup", tmp_path / "quiet.zip")
    there.manage("restore", "--replace", tmp_path / "quiet.zip")
    assert rated(there) == rated(here)
    exported, expected = (each.tell("tests.config.exported") for each in (there, here))
    assert exported.keys() == expected.keys()
    assert [name for name in expected if exported[name] != expected[name]] == []
    assert all(expected.values())
    assert json.loads(expected["report peaks --json --resamples 200"])
    kept, copied = (
        {p.name: p.read_bytes() for p in (each.folder / "uploads").rglob("*") if p.is_file()}
        for each in both
    )
    assert kept == copied != {}

    here.manage("restore", "--replace", tmp_path / "live.zip")
    assert rated(here)[1] == sorted(found["judgments"]), "under the server that goes on"
    status, _, page = people[0].ask(people[0].start.removesuffix("next/"))
    assert status == 200
    assert "Round 1" in page
