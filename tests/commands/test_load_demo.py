"""load_demo: once, and never in production."""

import pytest
from django.core.management.base import CommandError

from annotate.demo.loading import DEMO_STUDIES
from annotate.models import Judgment, Membership, Response, Study, Upload, User
from annotate.services import loading
from tests.uploads.steps import everything


def test_twice_loads_nothing_twice(run):
    said = run("load_demo")
    assert said.out == "".join(f"Loaded {demo.name}.\n" for demo in DEMO_STUDIES)
    assert Study.objects.filter(is_demo=True).count() == 2
    assert Response.objects.current().count() == Response.objects.count() >= 96
    assert Judgment.objects.current().exists()
    before = everything()
    assert run("load_demo").out == ""
    assert everything() == before


def test_what_is_missing_is_added(run):
    run("load_demo")
    before = Response.objects.count()
    User.objects.get(username="rater3").delete()
    Study.objects.get(slug="demo-short-answers").delete()
    assert run("load_demo").out == f"Loaded {DEMO_STUDIES[1].name}.\n"
    assert Response.objects.count() == before
    assert Membership.objects.filter(user__username="rater3").exists()


def test_a_start_that_was_interrupted_is_finished(run, monkeypatch):
    """The first file of a demo study was loaded when the power went."""
    run("load_demo")
    before = Response.objects.count()
    upload = Upload.objects.get(name="alce-inline.json")
    Response.objects.filter(upload=upload).delete()
    upload.delete()
    run("load_demo")
    assert Response.objects.count() == before


def test_a_changed_password_stays(run):
    run("load_demo")
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


@pytest.mark.parametrize("step", ["_load_chunk", "_publish"])
def test_a_start_that_was_killed_is_made_good(run, monkeypatch, step):
    """The lease of the killed start is still good; nobody has to wait for its end."""

    class Killed(BaseException):
        pass

    def kill(*_):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(loading, step, kill)
        with pytest.raises(Killed):
            run("load_demo")
    assert Upload.objects.filter(state="loading").count() == 1
    run("load_demo")
    assert Response.objects.current().count() == 96 + 120
    assert set(Upload.objects.values_list("state", flat=True)) == {"done", "discarded"}
    assert run("load_demo").out == ""
