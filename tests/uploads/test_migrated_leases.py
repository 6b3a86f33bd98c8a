"""Uploads of an earlier version keep their constraint, forwards and back; and back to the first."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from config import environment
from tests.config.test_upgrades import RELEASED
from tests.databases import database

BEFORE = [("annotate", "0004_rating_desk"), ("evaluation", "0005_shard_deaths")]
AFTER = [("annotate", "0005_jobs"), ("evaluation", "0006_jobs")]


def migrate(targets):
    targets = list(targets)
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return executor.loader.project_state(targets).apps


@pytest.fixture
def empty(transactional_db, tmp_path):
    """A database of the test's own, in which nothing was migrated yet."""
    place = connection.settings_dict
    usual = place["NAME"]
    with database(connection.display_name, tmp_path) as url:
        connection.close()
        place["NAME"] = environment.database(url)["NAME"]
        yield
        connection.close()
        place["NAME"] = usual


def test_there_and_back_with_data(empty):
    old = migrate(BEFORE)
    study = old.get_model("annotate", "Study").objects.create(
        name="S", slug="s", preset="alce", dimensions=["citation_recall"], raters_per_unit=1
    )
    uploads = old.get_model("annotate", "Upload").objects
    for state, until in (
        ("loading", None),
        ("queued", timezone.now()),
        ("checking", timezone.now()),
        ("done", None),
    ):
        uploads.create(
            study=study, name=state, file="f", size=1, digest="d", state=state, lease_until=until
        )
    run = old.get_model("evaluation", "Run").objects.create(study=study, judge_name="alce")
    old.get_model("evaluation", "Worker").objects.create(
        name="one", since=timezone.now(), seen_at=timezone.now()
    )
    new = migrate(AFTER)
    found = {row.name: row for row in new.get_model("annotate", "Upload").objects.all()}
    held = {name for name, row in found.items() if row.lease_until is not None}
    assert held == {"loading", "checking"}
    assert {row.deaths for row in found.values()} == {0}
    begun = {name for name, row in found.items() if row.attempts}
    assert begun == {"loading", "checking"}  # so a load is taken back before another begins
    assert new.get_model("evaluation", "Run").objects.get(pk=run.pk).deaths == 0
    assert not new.get_model("annotate", "Worker").objects.exists()
    migrate(RELEASED)
    back = migrate(BEFORE)
    names = back.get_model("annotate", "Upload").objects.values_list("name", flat=True)
    assert set(names) == {"loading", "queued", "checking", "done"}
    assert back.get_model("evaluation", "Run").objects.filter(pk=run.pk).exists()
    assert not back.get_model("evaluation", "Worker").objects.exists()
    migrate([("annotate", "0001_initial")])
    assert "annotate_batch" not in connection.introspection.table_names()
    migrate(BEFORE)
    assert "annotate_batch" in connection.introspection.table_names()
