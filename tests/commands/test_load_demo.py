"""load_demo: once, and never in production."""

import pytest
from django.core.management.base import CommandError

from annotate.management.demo.loading import DEMO_STUDIES
from annotate.models import Assignment, Batch, Judgment, Response, Study, Upload, User
from annotate.uploads import loading
from tests.uploads.steps import everything


def test_twice_loads_nothing_twice(demo, run):
    assert demo == "".join(f"Loaded {each.name}.\n" for each in DEMO_STUDIES)
    assert Study.objects.filter(is_demo=True).count() == 2
    assert Response.objects.current().count() == Response.objects.count() >= 96
    assert Judgment.objects.current().exists()
    before = everything()
    assert run("load_demo").out == ""
    assert everything() == before


def test_the_batches_of_the_demo(demo):
    found = {batch.name: batch for batch in Batch.objects.all()}
    states = {name: (batch.state, batch.items.count()) for name, batch in found.items()}
    assert states == {
        "Demo: try the rating form": ("open", 8),
        "Demo: practice": ("open", 4),
        "Demo: simulated round": ("closed", 96),
        "Demo: rate short answers": ("open", 24 + 6),
    }
    gold = found["Demo: rate short answers"].items.filter(is_gold=True)
    assert gold.count() == 6
    done = Assignment.objects.all()
    assert {row.batch.name for row in done} == {"Demo: simulated round"}
    assert {row.judge.kind for row in done} == {"simulated"}
    utility = Judgment.objects.filter(dimension="utility", judge__kind="simulated")
    assert done.count() == utility.count()


def test_a_changed_password_stays(demo, run):
    user = User.objects.get(username="researcher")
    user.set_password("my own one")
    user.save()
    run("load_demo")
    user.refresh_from_db()
    assert user.check_password("my own one")


def test_production_gets_no_public_passwords(run, settings):
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="not loaded in production"):
        run("load_demo")
    assert not User.objects.exists()
    assert not Study.objects.exists()


def test_a_start_that_was_killed_is_made_good(run, monkeypatch):
    """The lease of the killed start is still good; nobody has to wait for its end."""

    class Killed(BaseException):
        pass

    def kill(*_):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(loading, "_publish", kill)
        with pytest.raises(Killed):
            run("load_demo")
    assert Upload.objects.filter(state="loading").count() == 1
    run("load_demo")
    assert Response.objects.current().count() == 96 + 120
    assert set(Upload.objects.values_list("state", flat=True)) == {"done", "discarded"}
    assert run("load_demo").out == ""
