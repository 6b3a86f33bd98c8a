"""A parser or a model of a researcher's choice: any package would be imported, any path read."""

import sys

import pytest
from django.urls import reverse

from evaluation.judges.entailment import ScorerError, load_scorer
from evaluation.models import Run
from tests.attacks.conftest import ask, stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def planted(package, tmp_path):
    """A package that says so when it is imported, and a folder that is none of ours."""
    code = "import sys\nsys.planted = True\ndef load(**_):\n    raise OSError\n"
    package("planted_pipeline", {"planted_pipeline.py": code}, {})
    yield tmp_path
    vars(sys).pop("planted", None)


def is_refused(answer, run):
    return answer.status_code in {400, 409} and run is None


def test_no_package_is_imported_as_a_parser(program, loaded, planted):
    answer, run = ask(program, judge="aliice", scorer="containment", parser="planted_pipeline")
    assert not hasattr(sys, "planted")
    assert is_refused(answer, run), answer.content


def test_nor_by_a_stored_run(bob, loaded, planted):
    run = stored(loaded, bob, judge="aliice", scorer="containment", parser="planted_pipeline")
    assert not hasattr(sys, "planted")
    assert run.state == Run.State.FAILED
    assert "is no parser that runs may use" in run.error


PATHS = ["/etc", "../..", "~", "~root", ".", "/proc/self/root/etc", "a/../../..", "\\\\host\\share"]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_is_a_parser(program, loaded, path):
    answer, run = ask(program, judge="aliice", scorer="containment", parser=path)
    assert is_refused(answer, run)


@pytest.mark.parametrize("path", [*PATHS, "somebody/model", "gpt2"])
def test_no_path_and_no_unlisted_name_is_a_model(program, loaded, path):
    for settings in (
        {"scorer": "classifier", "model": path},
        {"scorer": "classifier", "options": {"model": path}},
        {"judge": "fluency", "scorer": "coverage", "model": path},
    ):
        answer, run = ask(program, **settings)
        assert is_refused(answer, run), settings


@pytest.mark.parametrize(
    "revision", ["../../../etc/hostname", "/etc/hostname", "a/../b", "..\\a", "refs/pr/1"]
)
@pytest.mark.parametrize("scorer", ["classifier", "seq2seq"])
def test_no_path_is_a_revision(scorer, revision):
    """The hub's library would read that file, and its error say what stands in it; and what is
    proposed for a listed model is not what the operator listed."""
    with pytest.raises(ScorerError, match="is no revision"):
        load_scorer(scorer, model="somebody/listed", revision=revision)


def test_a_form_takes_neither(program, loaded):
    form = {"judge": "aliice", "scorer": "containment", "variant": "released"}
    for given in ({"parser": "/etc"}, {"scorer": "classifier", "model": "/etc"}):
        answer = program.post(reverse("run-new", args=["peaks"]), form | given)
        assert answer.status_code == 422
        assert "/etc" in answer.content.decode()
    assert not Run.objects.exists()


@pytest.mark.parametrize("settings", [{"model": "/etc"}, {"options": {"model": "/etc"}}])
def test_a_stored_runs_model_is_refused(bob, loaded, settings):
    run = stored(loaded, bob, scorer="classifier", **settings)
    assert run.state == Run.State.FAILED
    assert "is no model that runs may use" in run.error


def test_a_link_out_of_a_root_is_followed_and_refused(program, loaded, settings, tmp_path):
    root, outside = tmp_path / "models", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "link").symlink_to(outside)
    (root / "circle").symlink_to(root / "circle")
    settings.ATTEST_MODEL_ROOTS = [root]
    for path in (root / "link", root / "circle", root / ".." / "outside", root):
        answer, run = ask(program, scorer="classifier", model=str(path))
        assert is_refused(answer, run), path


def test_what_the_operator_names_is_taken(program, loaded, settings, tmp_path):
    (tmp_path / "models" / "nli").mkdir(parents=True)
    settings.ATTEST_MODEL_ROOTS = [tmp_path / "models"]
    settings.ATTEST_MODELS = ["somebody/listed"]
    for model in (str(tmp_path / "models" / "nli"), "somebody/listed"):
        answer = program.post(
            reverse("api-runs-list", args=["peaks"]),
            {"judge": "alce", "scorer": "classifier", "model": model},
            content_type="application/json",
        )
        assert answer.status_code == 201, answer.content
