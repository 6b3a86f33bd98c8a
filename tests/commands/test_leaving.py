"""remove_account and personal_data, for whoever asks to be forgotten."""

import json

import pytest
from django.core.management import CommandError

from annotate.content.judgments import judge_of
from annotate.models import Membership, Role, User
from annotate.studies.lifecycle import create_study
from tests.shared_rows import shared_rows


@shared_rows
def study(alice, bob, rita):
    made = create_study(name="Peaks and skies", slug="peaks", preset="alce", owner=alice)
    Membership.objects.create(study=made, user=bob, role=Role.RESEARCHER)
    Membership.objects.create(study=made, user=rita, role=Role.RATER)
    return made


@shared_rows
def rater(peaks, rita):
    return judge_of(peaks, rita)


def test_an_account_is_removed(run, rater):
    said = run("remove_account", "rita@example.org")
    assert said.out.startswith("The account is removed. Its answers now carry the name former-")
    assert not User.objects.filter(username="rita").exists()
    rater.refresh_from_db()
    assert rater.user is None


def test_an_account_is_made_pseudonymous(run, rater):
    said = run("remove_account", "rita", "--pseudonym")
    rater.refresh_from_db()
    assert f"The account is called {rater.user.username} now" in said.out
    assert (rater.user.email, rater.user.name, rater.user.is_active) == ("", "", False)


def test_what_cannot_be_done_is_said(run, rater):
    with pytest.raises(CommandError, match="Nobody else owns “Peaks and skies”"):
        run("remove_account", "alice")
    with pytest.raises(CommandError, match="There is no account “nobody”"):
        run("remove_account", "nobody")
    with pytest.raises(CommandError, match="There is no rater “rater-9” in this study"):
        run("personal_data", "peaks", "--rater", "rater-9")


def test_personal_data_are_shown_and_erased(run, peaks, rater):
    found = json.loads(run("personal_data", "peaks").out)
    assert [person["name"] for person in found["people"]] == ["Alice", "Bob", "Rita"]
    one = json.loads(run("personal_data", "peaks", "--rater", "rater-1").out)
    assert [person["name"] for person in one["people"]] == ["Rita"]
    assert "listed_ids" not in one
    assert run("personal_data", "peaks", "--rater", "rater-1", "--erase").out == (
        "Erased: who 1 rater was.\n"
    )
    one = json.loads(run("personal_data", "peaks", "--rater", "rater-1").out)
    assert ["name" in person for person in one["people"]] == [False], "nobody is known"
    with pytest.raises(CommandError, match="Nobody is known behind this rater"):
        run("personal_data", "peaks", "--rater", "rater-1", "--erase")
    assert run("personal_data", "peaks", "--erase").out == "Erased: who 0 raters were.\n"
    assert Membership.objects.filter(study=peaks).count() == 2
