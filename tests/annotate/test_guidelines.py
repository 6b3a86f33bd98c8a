"""Guidelines: every text is a version, and earlier versions stay readable."""

from functools import partial

import pytest
from django.urls import reverse

from annotate.models import Assignment, GuidelinesVersion
from annotate.protocol.presets import PRESETS
from annotate.studies.lifecycle import write_guidelines
from tests.annotate.concurrency import at_once
from tests.annotate.loading import load, response
from tests.annotate.rating import open_work, take

READ = reverse("guidelines", args=["peaks"])
EDIT = reverse("guidelines-edit", args=["peaks"])


def test_a_version_that_is_not_there(study, elsewhere, rita, signed_in):
    write_guidelines(elsewhere, "Oscar's own.", None)
    for version in ("2", "3", "0", "-1", "x", "1.0", "9" * 30, "²"):
        assert signed_in(rita).get(READ, {"version": version}).status_code == 404, version


@pytest.mark.parametrize("preset", PRESETS)
def test_saving_what_is_there_changes_nothing(study, alice, signed_in, preset):
    """As a browser sends it back: the form's text with the other kind of line ends."""
    GuidelinesVersion.objects.update(text=PRESETS[preset].guidelines)
    client = signed_in(alice)
    text = client.get(EDIT).context["form"]["text"].value().replace("\n", "\r\n")
    page = client.post(EDIT, {"text": text}, follow=True)
    assert "Nothing changed." in page.content.decode()
    assert study.guidelines.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_who_save_at_once_make_two_versions(study, alice):
    outcomes = at_once([partial(write_guidelines, study, text, None) for text in ("a", "b")])
    assert sorted(version.number for version in outcomes) == [2, 3], outcomes


def test_a_search_marks_every_place_and_leaves_the_markup_alone(study, rita, signed_in):
    write_guidelines(study, "# Strong words\n\n**Strong** is *not*  strong & <b>.", None)
    client = signed_in(rita)
    page = client.get(READ, {"q": "STRONG"}).content.decode()
    assert "3 places with “STRONG”" in page
    assert "<strong><mark>Strong</mark></strong>" in page
    assert "0 places" in client.get(READ, {"q": "amp"}).content.decode()
    assert "<mark>&amp; &lt;b&gt;</mark>" in client.get(READ, {"q": "& <b>"}).content.decode()
    part = client.get(READ, {"q": "words"}, headers={"hx-request": "true"}).content.decode()
    assert part.lstrip().startswith('<div id="guidelines-found">')
    assert "0 places" in client.get(READ, {"q": "nowhere"}).content.decode()


def test_what_changed_since_a_rater_started(study, rita, signed_in):
    batch = open_work_on(study)
    client = signed_in(rita)
    write_guidelines(study, "Keep this.\n\nRead it once.\n\nGone.", None)
    take(client, batch)
    assert "What changed since you started" not in client.get(READ).content.decode()
    write_guidelines(study, "Keep this.\n\nRead it twice.", None)
    for page in (client.get(READ), client.get(reverse("task", args=["peaks", task_of(rita).pk]))):
        assert "guidelines/changes/?since=2" in page.content.decode()
    shown = client.get(reverse("guidelines-changes", args=["peaks"]))
    assert shown.context["old"].number == 2
    kinds = [(c.kind, [(r.kind, r.text) for r in c.runs]) for c in shown.context["changes"]]
    assert kinds == [
        ("same", []),
        (
            "changed",
            [("same", "Read it "), ("removed", "once."), ("added", "twice.")],
        ),
        ("removed", [("removed", "Gone.")]),
    ]
    html = shown.content.decode()
    assert "1 unchanged paragraph" in html
    changes = reverse("guidelines-changes", args=["peaks"])
    assert "No changes." in client.get(changes, {"since": "3"}).content.decode()
    assert client.get(changes, {"since": "9"}).status_code == 404


def open_work_on(study):
    load(study, [response("The Zugspitze is high [1].")])
    return open_work(study)


def task_of(user):
    return Assignment.objects.get(judge__user=user)
