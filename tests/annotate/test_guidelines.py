"""Guidelines: every text is a version, and earlier versions stay readable."""

from functools import partial

import pytest
from django.urls import reverse

from annotate.models import GuidelinesVersion
from annotate.protocol.presets import PRESETS
from annotate.services.studies import write_guidelines
from tests.annotate.concurrency import at_once

READ = reverse("guidelines", args=["peaks"])
EDIT = reverse("guidelines-edit", args=["peaks"])


def test_a_rater_reads_the_present_version(study, rita, signed_in):
    write_guidelines(study, "# Read slowly\n\nThen *judge*.", None)
    page = signed_in(rita).get(READ).content.decode()
    assert "<h2>Read slowly</h2>" in page
    assert "<em>judge</em>" in page
    assert "Version 2" in page
    assert EDIT not in page


def test_earlier_versions_stay_readable(study, alice, rita, signed_in):
    write_guidelines(study, "Second.", alice)
    page = signed_in(rita).get(READ, {"version": "1"}).content.decode()
    assert "not the present one" in page
    assert "Second." not in page
    assert "?version=2" in page


@pytest.mark.parametrize("version", ["3", "0", "-1", "x", "1.0", "9" * 30, "²"])
def test_a_version_that_is_not_there(study, rita, signed_in, version):
    assert signed_in(rita).get(READ, {"version": version}).status_code == 404


def test_another_studys_version_is_not_shown(study, elsewhere, rita, signed_in):
    write_guidelines(elsewhere, "Oscar's own.", None)
    assert signed_in(rita).get(READ, {"version": "2"}).status_code == 404


def test_saving_makes_the_next_version(study, bob, signed_in):
    page = signed_in(bob).post(EDIT, {"text": "One.\r\n\r\nTwo."}, follow=True)
    assert "Saved as version 2." in page.content.decode()
    version = study.current_guidelines
    assert (version.number, version.text, version.created_by) == (2, "One.\n\nTwo.", bob)
    assert study.guidelines.get(number=1).text == PRESETS["alce"].guidelines


@pytest.mark.parametrize("preset", PRESETS)
def test_saving_what_is_there_changes_nothing(study, alice, signed_in, preset):
    """As a browser sends it back: the form's text with the other kind of line ends."""
    GuidelinesVersion.objects.update(text=PRESETS[preset].guidelines)
    client = signed_in(alice)
    text = client.get(EDIT).context["form"]["text"].value().replace("\n", "\r\n")
    page = client.post(EDIT, {"text": text}, follow=True)
    assert "Nothing changed." in page.content.decode()
    assert study.guidelines.count() == 1


@pytest.mark.parametrize("text", ["", "  \n "])
def test_guidelines_are_not_empty(study, alice, signed_in, text):
    page = signed_in(alice).post(EDIT, {"text": text})
    assert page.status_code == 200
    assert "required" in page.content.decode()
    assert study.guidelines.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_who_save_at_once_make_two_versions(study, alice):
    outcomes = at_once([partial(write_guidelines, study, text, None) for text in ("a", "b")])
    assert sorted(version.number for version in outcomes) == [2, 3], outcomes
