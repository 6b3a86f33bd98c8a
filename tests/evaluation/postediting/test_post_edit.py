"""`post_edit`, as somebody types it: a new system in the study."""

import multiprocessing
import os
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.utils import timezone

from annotate import uploads
from annotate.models import Response, System, Upload
from annotate.studies.lifecycle import change_system, create_study
from annotate.uploads import checking, lifecycle, loading
from tests.annotate.loading import load, response

pytestmark = pytest.mark.django_db


def run(*words):
    out = StringIO()
    call_command("post_edit", *words, stdout=out)
    return out.getvalue()


def texts(name):
    found = Response.objects.current().filter(system__name=name)
    return list(found.order_by("pk").values_list("text", flat=True))


def loaded(study, *responses):
    load(study, list(responses))
    return study


def test_uncited_statements_are_cited_in_a_new_system(peaks):
    before = texts("Quokka-9B")
    load(peaks, [response("The Zugspitze is in Germany.", system="Bare", run="7")])
    said = run("peaks", "Bare", "postcite", "--name", "Bare, cited")
    assert texts("Bare, cited") == ["The Zugspitze is in Germany [1]."]
    assert texts("Bare") == ["The Zugspitze is in Germany."]
    assert texts("Quokka-9B") == before
    made = System.objects.get(name="Bare, cited")
    assert not made.uses_autoais
    assert made.description.startswith("Made from “Bare”. Statements without a citation")
    assert "Signature: postcite|repaired|rules:1|v:1|bm25s:" in made.description
    assert "1 response: all uncited statements are cited now" in said
    old, new = (Response.objects.get(system__name=n) for n in ("Bare", "Bare, cited"))
    assert (new.question_id, new.run) == (old.question_id, "7")
    assert new.sources.count() == old.sources.count() == 2


def test_reranked_samples_count_as_having_used_the_metric(study):
    best = "Zugspitze is the highest peak [1]."
    samples = ["The moon is high [1].", best]
    loaded(study, response(samples[0], metadata={"samples": samples}))
    said = run("peaks", "Vermilion", "rerank", "--name", "Best", "--scorer", "containment")
    assert texts("Best") == [best]
    assert System.objects.get(name="Best").uses_autoais
    assert not System.objects.get(name="Vermilion").uses_autoais
    assert "Pairs, joint: 2 asked" in said
    assert Response.objects.get(system__name="Best").metadata == {"kept_sample": 2}
    assert "0 computed" in run(
        "peaks", "Vermilion", "rerank", "--name", "Again", "--scorer", "containment"
    )
    assert texts("Again") == [best]


def test_passages_are_ordered(study):
    passages = (("", "Rain falls."), ("", "The answer to the question How high? is 2,962 m."))
    loaded(study, response("2,962 m", question="How high?", passages=passages))
    run("peaks", "Vermilion", "rerank-passages", "--name", "Ordered", "--scorer", "containment")
    made = Response.objects.get(system__name="Ordered")
    rows = made.sources.order_by("n").values_list("n", "passage__text")
    assert list(rows) == [(1, passages[1][1]), (2, passages[0][1])]
    assert made.system.uses_autoais


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("nowhere", "Vermilion", "postcite", "--name", "N"), "There is no study “nowhere”"),
        (("peaks", "Umber", "postcite", "--name", "N"), "There is no system “Umber”"),
        (("peaks", "Vermilion", "postcite", "--name", "Quokka-9B"), "“Quokka-9B” already"),
        (("peaks", "Vermilion", "postcite", "--name", " "), "a name of 1 to 200"),
        (("peaks", "Vermilion", "rerank", "--name", "N"), "brings samples"),
        (
            ("peaks", "Vermilion", "rerank-passages", "--name", "N", "--scorer", "containment"),
            r"has passages to put in order: it cites passages by .* \(\d\)",
        ),
        (("peaks", "Vermilion", "postcite", "--name", "N", "--encoder", "no"), "no folder “no”"),
        (("peaks", "Vermilion", "rerank", "--name", "N", "--level", "claims"), "no option “level”"),
    ],
)
def test_refused_edit_leaves_no_system_and_no_file(peaks, words, expected):
    systems, files = System.objects.count(), Upload.objects.count()
    with pytest.raises(CommandError, match=expected):
        run(*words)
    assert (System.objects.count(), Upload.objects.count()) == (systems, files)


def test_broken_samples_are_named(study):
    loaded(study, response("A.", metadata={"samples": ["A.", 5]}))
    with pytest.raises(CommandError, match="“q1”, sample 2: expected an output"):
        run("peaks", "Vermilion", "rerank", "--name", "N", "--scorer", "containment")


def test_responses_that_grew_too_long_leave_no_system(peaks, settings):
    settings.ATTEST_MAX_FIELD_CHARS = 70
    load(
        peaks,
        [
            response(
                "The Zugspitze, it is said, is the highest peak of Germany, as we know.",
                system="Long",
            )
        ],
    )
    with pytest.raises(CommandError, match=r"cannot be loaded: line 1.*output"):
        run("peaks", "Long", "postcite", "--name", "Longer")
    assert not System.objects.filter(name="Longer").exists()
    assert Upload.objects.latest("pk").state == Upload.State.DISCARDED


def test_interrupted_loading_leaves_no_system(peaks, monkeypatch):
    def interrupted(upload):
        raise KeyboardInterrupt

    monkeypatch.setattr(lifecycle, "load", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run("peaks", "Quokka-9B", "postcite", "--name", "N")
    assert not System.objects.filter(name="N").exists()
    monkeypatch.undo()
    run("peaks", "Quokka-9B", "postcite", "--name", "N")
    assert len(texts("N")) == 2


@pytest.fixture
def kept(transactional_db):
    """A study that other processes see too, with a system whose samples can be reranked."""
    study = create_study(name="Peaks", slug="peaks", preset="alce", owner=None)
    samples = [{"output": "A.", "probability": 0.1}, {"output": "B.", "probability": 0.2}]
    load(
        study, [response("A.", samples=samples), response("A.", question_id="q2", question="Why?")]
    )
    old = study.systems.get()
    change_system(old, name=old.name, description="", uses_autoais=True)
    return study


PLACES = {
    "before the check": (uploads, "work"),
    "while checking": (checking, "renew"),
    "checked": (uploads, "accept"),
    "accepted": (lifecycle, "load"),
    "before publishing": (loading, "_publish"),
}
AGAIN = ("peaks", "Vermilion", "rerank", "--by", "probability", "--name", "N")


def until_killed(place):
    def end(*_, **__):
        os._exit(9)

    setattr(*PLACES[place], end)
    run(*AGAIN)
    os._exit(0)


def killed(place):
    """What is left when the command is killed: the upload."""
    connections.close_all()
    child = multiprocessing.get_context("fork").Process(target=until_killed, args=(place,))
    child.start()
    child.join(timeout=60)
    assert child.exitcode == 9
    return Upload.objects.latest("pk")


def time_passes(upload):
    past = timezone.now() - timedelta(minutes=5)
    Upload.objects.filter(pk=upload.pk).update(created_at=past, finished_at=past)
    Upload.objects.filter(pk=upload.pk, lease_until__isnull=False).update(lease_until=past)


@pytest.mark.parametrize("place", PLACES)
def test_a_killed_command_is_taken_back_by_the_next(kept, place):
    upload = killed(place)
    assert System.objects.get(name="N").uses_autoais, "whoever loads the file loads it marked"
    assert texts("N") == []
    with pytest.raises(CommandError, match=r"“N” is being made, or was .* again in 60 seconds"):
        run(*AGAIN)
    time_passes(upload)
    run("peaks", "Vermilion", "rerank", "--by", "probability", "--name", "Other")
    assert not System.objects.filter(name="N").exists()
    upload.refresh_from_db()
    assert upload.state == Upload.State.DISCARDED
    run(*AGAIN)
    assert texts("N") == ["B.", "A."]
    assert Response.objects.filter(system__name="N").count() == 2


def test_a_person_may_discard_what_a_killed_command_checked(kept):
    upload = killed("checked")
    uploads.discard(upload)
    time_passes(upload)
    run(*AGAIN)
    assert texts("N") == ["B.", "A."]
