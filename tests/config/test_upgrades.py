"""From the last release to this version while a rater goes on: nothing is lost.

The client does as the desk's page does: an answer stays with it until the server has said that it
is kept, and is sent again until then. The server is the release's code, which writes what its
models wrote, until all migrations are through; from then on it is this version's.
"""

import random
import secrets
import threading
import time
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.hashers import make_password
from django.core.management import call_command
from django.db import DatabaseError, OperationalError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import (
    AddField,
    AlterModelTable,
    DeleteModel,
    RemoveField,
    RenameField,
    RenameModel,
    RunSQL,
)
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.authentication import token_digest
from annotate.models import Judgment
from annotate.models.triggers import UNCHANGEABLE, UNFIT, WORDED
from annotate.services.judgments import judge_of
from annotate.services.rating.questions import steps_of
from config.health import known_migrations
from tests.annotate.claiming import claim
from tests.annotate.desk import do_next
from tests.annotate.rating import answer, open_work, rater_in
from tests.config.test_backups import kept, manifest
from tests.conftest import PASSWORD
from tests.databases import triggers

pytestmark = pytest.mark.postgresql

__all__ = ["kept"]

RELEASED = (("annotate", "0005_jobs"), ("evaluation", "0007_report_version"))
"""The last migrations of 0.2.0."""

LISTED: dict[tuple[str, str], str] = {}
"""Later ones that do not only add, by app and name, and why nothing that was released needs what
they take away."""

TAKES_AWAY = (RemoveField, RenameField, DeleteModel, RenameModel, AlterModelTable)
SOME = 6
"""So many answers at least are kept by each of the two."""

GIVES_UP_SECONDS = 240
TRIES = 50
PAUSE = 0.02


class Rater(threading.Thread):
    """Answers one task's questions again and again; remembers what was acknowledged."""

    def __init__(self, task, client):
        super().__init__(daemon=True)
        self.task, self.client = task, client
        self.released: Any = None
        self.questions = [
            (step.unit.pk, step.unit.key, step.dimension.key, step.dimension.choices)
            for step in steps_of(task.batch, task.item)
            if step.dimension.key in {"citation_recall", "utility"}
        ]
        self.is_new = self.is_over = False
        self.acknowledged, self.said = {}, {"released": 0, "new": 0}
        self.refused, self.faults = [], []

    @property
    def tried(self):
        return sum(self.said.values()) + len(self.refused)

    def run(self):
        chance = random.Random(1)
        try:
            while not self.is_over:
                unit, key, dimension, choices = chance.choice(self.questions)
                self.send(unit, key, dimension, chance.choice(choices).value)
                time.sleep(PAUSE)  # or else migrations wait long for a moment of theirs
        except Exception as fault:  # noqa: BLE001 - the test looks at it
            self.faults.append(fault)
        finally:
            connection.close()

    def send(self, unit, key, dimension, value):
        edit = secrets.token_hex(16)
        deadline = time.monotonic() + GIVES_UP_SECONDS
        while time.monotonic() < deadline:
            is_new = self.is_new
            try:
                keep = self.to_this_version if is_new else self.to_the_release
                keep(unit, key, dimension, value, edit)
            except DatabaseError as problem:
                self.refused.append(problem)
                time.sleep(0.05)
            else:
                self.acknowledged[unit, dimension] = value
                self.said["new" if is_new else "released"] += 1
                return
        raise AssertionError(f"not kept: {self.refused[-1]}")

    def to_the_release(self, unit, key, dimension, value, edit):
        tasks, judgments = (
            self.released.get_model("annotate", name).objects for name in ("Assignment", "Judgment")
        )
        with transaction.atomic():
            assert tasks.select_for_update().only("pk").get(pk=self.task.pk)
            judgments.update_or_create(
                judge_id=self.task.judge_id,
                unit_id=unit,
                dimension=dimension,
                defaults={"value": value, "edit": edit, "created_at": timezone.now()},
            )

    def to_this_version(self, unit, key, dimension, value, edit):
        before = Judgment.objects.filter(
            judge=self.task.judge_id, unit=unit, dimension=dimension
        ).first()
        base = before.edit if before else ""
        found = answer(self.client, self.task, f"{key}:{dimension}", value, edit=edit, base=base)
        assert found.status_code == 200, found.content.decode()
        assert f'data-value="{value}"' in found.content.decode()


def rows(columns=None):
    """Every row of every table of ours: of all columns, or of those that there were."""
    found = {}
    with connection.cursor() as cursor:
        for table in columns or connection.introspection.table_names(cursor):
            if table.startswith(("annotate_", "evaluation_")):
                cursor.execute(f'SELECT * FROM "{table}"')
                names = [column[0] for column in cursor.description]
                kept = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
                wanted = columns[table] if columns else names
                found[table] = (wanted, [[row[name] for name in wanted] for row in kept])
    return found


def migrated(rater=None):
    """As `serve` does at its start, and again where the database broke it off. After each migration
    the rater has tried once more what the release would do."""
    done = []

    def on(action, migration=None, fake=False):
        if action == "apply_success":
            done.append(migration)
            if rater:
                tried = rater.tried
                wait(lambda: rater.tried > tried, rater)

    for _ in range(TRIES):
        executor = MigrationExecutor(connection, on)
        try:
            executor.migrate(executor.loader.graph.leaf_nodes())
            break
        except OperationalError:
            connection.close()
    else:
        raise AssertionError("the database breaks it off each time")
    call_command("migrate", verbosity=0)  # and what follows on the last one
    return len(done)


def wait(until, rater):
    deadline = time.monotonic() + GIVES_UP_SECONDS
    while not until():
        assert rater.faults == []
        assert time.monotonic() < deadline, (rater.said, rater.refused[-1:])
        time.sleep(0.02)


@pytest.mark.django_db(transaction=True)
def test_nothing_is_lost_while_a_client_rates(peaks, rita, signed_in, kept, mailoutbox, tmp_path):
    """Going back takes long: accounts and a backup of the release are looked at on the same way."""
    batch = open_work(peaks, raters_per_item=2)
    do_next(batch, judge_of(peaks, rater_in(peaks, "nina")))
    task = claim(batch, judge_of(peaks, rita))
    rater = Rater(task, signed_in(rita))
    backup = tmp_path / "released.zip"
    try:
        for app, name in RELEASED:
            call_command("migrate", app, name, verbosity=0)
        assert UNFIT not in triggers()
        rater.released = MigrationLoader(connection).project_state(list(RELEASED)).apps
        accounts_of_the_release(rater.released)
        before, files = rows(), kept()
        call_command("backup", backup)
        rater.start()
        wait(lambda: rater.said["released"] >= SOME, rater)
        assert migrated(rater) > 1
    finally:
        migrated()
    rater.is_new = True
    wait(lambda: rater.said["new"] >= SOME, rater)
    rater.is_over = True
    rater.join(GIVES_UP_SECONDS)
    assert rater.faults == []
    stored = Judgment.objects.filter(judge=task.judge_id)
    assert {(each.unit_id, each.dimension): each.value for each in stored} == rater.acknowledged
    after = rows({table: names for table, (names, _) in before.items()})
    judged = before["annotate_judgment"][0].index("judge_id")
    for table, (_, there) in before.items():
        now = after[table][1]
        if table == "annotate_judgment":
            now = [row for row in now if row[judged] != task.judge_id]
        if table not in {"annotate_assignment", "annotate_pastjudgment"}:
            assert sorted(map(repr, now)) == sorted(map(repr, there)), table
        assert len(now) >= len(there)
    assert all(name in triggers() for name in (UNFIT, UNCHANGEABLE, WORDED))
    people_sign_in_as_before(mailoutbox)
    restored(backup, before)
    assert kept() == files


def accounts_of_the_release(released):
    users = released.get_model("annotate", "User").objects
    users.create(username="rater7", password=make_password(PASSWORD))
    ada = users.create(username="ada", email="Ada@Example.org", password=make_password(PASSWORD))
    tokens = released.get_model("annotate", "ApiToken").objects
    tokens.create(user=ada, label="old", digest=token_digest("attest_old"))


def people_sign_in_as_before(mailoutbox):
    address = EmailAddress.objects.get(user__username="ada")
    assert (address.email, address.primary, address.verified) == ("ada@example.org", True, False)
    for name in ("rater7", "ada", "ada@example.org"):
        client = Client()
        client.post(reverse("account_login"), {"login": name, "password": PASSWORD})
        assert SESSION_KEY in client.session, name
    Client().post(reverse("account_reset_password"), {"email": "ada@example.org"})
    assert len(mailoutbox) == 1
    headers = {"authorization": "Bearer attest_old"}
    assert Client().get(reverse("api-studies-list"), headers=headers).status_code == 200


def restored(backup, before):
    """A backup that the release made, brought to this version."""
    assert ["annotate", "0006_as_written"] not in manifest(backup)["migrations"]
    Judgment.objects.all().delete()
    call_command("restore", backup, "--replace")
    assert known_migrations() <= MigrationRecorder(connection).applied_migrations().keys()
    assert rows({table: names for table, (names, _) in before.items()}) == before


def faults_of(name, operations):
    """What a migration takes away from code that still runs."""
    for operation in operations:
        taken = isinstance(operation, TAKES_AWAY)
        if isinstance(operation, RunSQL):
            text = str(operation.sql).upper()
            taken = any(word in text for word in ("DROP TABLE", "DROP COLUMN", "RENAME"))
        if taken:
            yield f"{'.'.join(name)}: {operation.describe()}"


def later():
    """The migrations that no release has yet."""
    last = dict(RELEASED)
    found = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    return {
        name: migration
        for name, migration in found.items()
        if name[0] in last and name[1] > last[name[0]]
    }


def test_what_was_released_is_not_taken_away():
    found = {
        fault
        for name, migration in later().items()
        if name not in LISTED
        for fault in faults_of(name, migration.operations)
    }
    assert found == set(), "add first, and take away in a later release (CONTRIBUTING.md)"
    assert LISTED.keys() <= later().keys()


@pytest.mark.parametrize(
    "operation",
    [
        RemoveField("study", "slug"),
        RenameField("study", "slug", "word"),
        DeleteModel("Study"),
        RenameModel("Study", "Work"),
        AlterModelTable("study", "work"),
        RunSQL("ALTER TABLE annotate_study DROP COLUMN slug"),
        RunSQL([("ALTER TABLE annotate_study RENAME TO work", None)]),
    ],
)
def test_each_way_of_taking_away_is_found(operation):
    assert list(faults_of(("annotate", "0013_made_up"), [operation]))


def test_adding_takes_nothing_away():
    field = Judgment._meta.get_field("unfinished")
    assert not list(faults_of(("annotate", "0013_made_up"), [AddField("study", "x", field)]))
