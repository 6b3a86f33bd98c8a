"""Upgrade while a rater works: every acknowledged answer is kept.

The client does as the desk's page does: an answer stays with it until the server has said that it
is kept, and is sent again until then.
"""

import random
import secrets
import threading
import time

import pytest
from django.db import DatabaseError, OperationalError, connection
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import (
    AddField,
    AlterModelTable,
    DeleteModel,
    RemoveField,
    RenameField,
    RenameModel,
    RunPython,
    RunSQL,
)
from django.db.models import CharField

from annotate.content.counts import triggers as count_triggers
from annotate.content.judgments import judge_of
from annotate.models import Judgment
from annotate.models.triggers import UNCHANGEABLE, UNFIT, WORDED, drop_triggers, make_triggers
from annotate.rating.task_steps import steps_of
from tests.annotate.claiming import claim
from tests.annotate.desk import do_next
from tests.annotate.rating import answer, open_work, rater_in
from tests.databases import triggers

pytestmark = pytest.mark.postgresql

RELEASED = {"annotate": "0002_triggers_and_search", "evaluation": "0001_initial"}
"""The last migration of each app that databases in use have."""

LISTED: dict[tuple[str, str], str] = {}
"""Later ones that do not only add, by app and name, and why nothing that was released needs what
they take away."""

TAKES_AWAY = (RemoveField, RenameField, DeleteModel, RenameModel, AlterModelTable)
ANSWERS = 6
"""The least number of answers before and after the migration."""

GIVES_UP_SECONDS = 240
TRIES = 50
PAUSE = 0.02


class Rater(threading.Thread):
    """Answers one task's questions again and again; remembers what was acknowledged."""

    def __init__(self, task, client):
        super().__init__(daemon=True)
        self.task, self.client = task, client
        self.questions = [
            (step.unit.pk, step.unit.key, step.dimension.key, step.dimension.choices)
            for step in steps_of(task.batch, task.item)
            if step.dimension.key in {"citation_recall", "utility"}
        ]
        self.is_over = False
        self.acknowledged, self.refused, self.faults = {}, [], []
        self.saved = 0

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
            try:
                self.answer(unit, key, dimension, value, edit)
            except DatabaseError as problem:
                self.refused.append(problem)
                time.sleep(0.05)
            else:
                self.acknowledged[unit, dimension] = value
                self.saved += 1
                return
        raise AssertionError(f"not kept: {self.refused[-1]}")

    def answer(self, unit, key, dimension, value, edit):
        before = Judgment.objects.filter(
            judge=self.task.judge_id, unit=unit, dimension=dimension
        ).first()
        base = before.edit if before else ""
        found = answer(self.client, self.task, f"{key}:{dimension}", value, edit=edit, base=base)
        assert found.status_code == 200, found.content.decode()
        assert f'data-value="{value}"' in found.content.decode()

    def wait_for_answers(self):
        saved, deadline = self.saved, time.monotonic() + GIVES_UP_SECONDS
        while self.saved < saved + ANSWERS:
            assert self.faults == []
            assert time.monotonic() < deadline, self.refused[-1:]
            time.sleep(0.02)


def make(apps, schema_editor):
    make_triggers(schema_editor)
    count_triggers.create_triggers(schema_editor)


def drop(apps, schema_editor):
    drop_triggers(schema_editor)
    count_triggers.drop_triggers(schema_editor)


class Sample(Migration):
    """A column that old code does not write. SQLite builds the table of judgments anew for it."""

    operations = [
        RunPython(drop, make),
        AddField("judgment", "sample", CharField(max_length=10, default="", db_default="")),
        RunPython(make, drop),
    ]


def change(step):
    """Apply or undo the sample, and again where the database broke it off."""
    migration = Sample("0000_sample", "annotate")
    for _ in range(TRIES):
        state = MigrationLoader(connection).project_state()
        try:
            with connection.schema_editor(atomic=True) as editor:
                getattr(migration, step)(state, editor)
            return
        except OperationalError:
            connection.close()
    raise AssertionError("the database breaks it off each time")


@pytest.mark.django_db(transaction=True)
def test_no_answer_is_lost_while_a_migration_runs(peaks, rita, signed_in):
    batch = open_work(peaks, raters_per_item=2)
    do_next(batch, judge_of(peaks, rater_in(peaks, "nina")))
    task = claim(batch, judge_of(peaks, rita))
    others = Judgment.objects.exclude(judge=task.judge_id).order_by("pk")
    before = list(others.values_list())
    assert before
    rater = Rater(task, signed_in(rita))
    rater.start()
    rater.wait_for_answers()
    try:
        change("apply")
        rater.wait_for_answers()
        with connection.cursor() as cursor:
            cursor.execute("SELECT DISTINCT sample FROM annotate_judgment")
            assert cursor.fetchall() == [("",)]
        assert all(name in triggers() for name in (UNFIT, UNCHANGEABLE, WORDED))
    finally:
        change("unapply")
        rater.is_over = True
        rater.join(GIVES_UP_SECONDS)
    assert rater.faults == []
    stored = Judgment.objects.filter(judge=task.judge_id)
    assert {(each.unit_id, each.dimension): each.value for each in stored} == rater.acknowledged
    assert list(others.values_list()) == before


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
    found = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    return {
        name: migration
        for name, migration in found.items()
        if name[0] in RELEASED and name[1] > RELEASED[name[0]]
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


def test_each_way_of_taking_away_is_found(subtests):
    for operation in [
        RemoveField("study", "slug"),
        RenameField("study", "slug", "word"),
        DeleteModel("Study"),
        RenameModel("Study", "Work"),
        AlterModelTable("study", "work"),
        RunSQL("ALTER TABLE annotate_study DROP COLUMN slug"),
        RunSQL([("ALTER TABLE annotate_study RENAME TO work", None)]),
    ]:
        with subtests.test(operation=operation):
            assert list(faults_of(("annotate", "0013_made_up"), [operation]))


def test_adding_takes_nothing_away():
    field = Judgment._meta.get_field("unfinished")
    assert not list(faults_of(("annotate", "0013_made_up"), [AddField("study", "x", field)]))
