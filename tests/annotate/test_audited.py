"""Acts that open doors, and who did them: none goes unrecorded."""

import threading
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.contrib.auth.models import AnonymousUser
from django.core.management import call_command
from django.db import connection, transaction  # noqa: F401 (skipif)
from django.urls import reverse
from django.utils import timezone

from annotate.authentication import new_token
from annotate.models import ApiToken, AuditChain, AuditEntry, Role, Unit
from annotate.people import members
from annotate.people.single_sign_on import SingleSignOnAdapter
from annotate.rating.examples import add_example, change_example, remove_example
from annotate.studies.lifecycle import create_study
from annotate.web import audit
from evaluation.models import Run
from tests.annotate.addresses import a_run
from tests.annotate.concurrency import at_once
from tests.annotate.crowd import come, open_batch


def last(act):
    return AuditEntry.objects.filter(act=act).latest("id")


def test_whoever_signs_up_by_themselves_made_an_account(db, settings, client):
    settings.ATTEST_OPEN_SIGN_UP = True
    given = {"email": "new@example.org", "name": "New", "password1": "long and new 1"}
    assert client.post(reverse("account_signup"), given).status_code == 302
    user = EmailAddress.objects.get(email="new@example.org").user
    assert last("account-made").user_id == user.pk


def test_an_operators_link_for_a_new_password(rita, capsys):
    call_command("reset_link", "rita", remove_second_factor=True)
    told = last("reset-link-made")
    assert (told.object_id, told.details) == (rita.pk, {"second_factor_removed": True})


def test_roles_that_an_issuer_gives_and_takes(rita, settings, rf):
    settings.ATTEST_SSO_OPERATORS, settings.ATTEST_SSO_RESEARCHERS = ["admins"], []
    request = rf.get("/")
    request.user = AnonymousUser()
    for groups, operator in ((["admins"], True), ([], False)):
        account = SocialAccount(extra_data={"userinfo": {"groups": groups}})
        login = SocialLogin(user=rita, account=account)
        login.account.user = rita
        SingleSignOnAdapter(request).pre_social_login(request, login)
        assert last("account-changed").details == {"is_staff": operator}
        assert last("account-changed").object_id == rita.pk


def test_who_may_come_and_who_is_let_in_again(peaks, alice, signed_in):
    batch = open_batch(peaks)
    client = signed_in(alice)
    address = reverse("admission", args=["peaks", batch.pk])
    client.post(address, {"rule": "listed", "ids": "5z3a\n5z3b"})
    told = last("admission-changed")
    assert (told.user_id, told.study_id, told.object_id) == (alice.pk, peaks.pk, batch.pk)
    assert told.details == {"rule": "listed", "own_codes": False, "token": False, "ids": 2}
    assert "5z3a" not in str(list(AuditEntry.objects.values()))
    come(batch)
    enrolment = batch.enrolments.get()
    assert last("joined").user_id == enrolment.participant.user_id
    client.post(reverse("participant-release", args=["peaks", batch.pk, enrolment.pk]))
    assert (last("released").kind, last("released").object_id) == (
        "participant",
        enrolment.participant_id,
    )
    client.post(reverse("hash-ids", args=["peaks"]))
    assert last("ids-hashed").study_id == peaks.pk


def test_labels_that_name_people_are_not_kept_and_owners_see_tokens_for_their_study(study, alice):
    members.invite(study, role=Role.RATER, author=alice, label="for Anna of Basel")
    new_token(alice, "Anna's laptop")
    assert last("invited").object_id
    assert last("token-made").object_id == ApiToken.objects.get().pk
    assert "Anna" not in str(list(AuditEntry.objects.values()))
    new_token(alice, "script", study=study)
    assert last("token-made").study_id == study.pk


# The chain -------------------------------------------------------------------------------------


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite locks no rows")
@pytest.mark.django_db(transaction=True)
def test_who_holds_the_chain_and_stands_still_stops_nobody():
    create_study(name="A", preset="alce", owner=None)
    held, done = threading.Event(), threading.Event()

    def hold():
        with transaction.atomic():
            AuditChain.objects.select_for_update().get(pk=1)
            held.set()
            return done.wait(20)

    def act():
        held.wait(30)
        try:
            create_study(name="B", preset="alce", owner=None)
            audit.seal_what_was_left(timezone.now() + timedelta(minutes=1))
        finally:
            done.set()

    assert True in at_once([hold, act]), "it waited until the other gave up"
    assert audit.verify().waiting == 1
    audit.seal()
    assert (audit.verify().fault, audit.verify().length) == ("", 2)


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite writes one by one")
def test_the_chain_is_whole_after_many_acts_at_once():
    create_study(name="A", preset="alce", owner=None)
    outcomes = at_once([lambda: audit.note("study-made", study=1) for _ in range(12)])
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    audit.seal()
    verdict = audit.verify()
    assert (verdict.fault, verdict.length, verdict.waiting) == ("", 13, 0)


# Known answers, examples, participants, runs ------------------------------------------------------


def test_examples_and_pauses_of_runs_are_written_down(peaks, alice, signed_in):
    unit = Unit.objects.filter(response__study=peaks, key="s1").earliest("pk")
    made = add_example(unit, "citation_recall", value="yes", explanation="So it says.", by=alice)
    change_example(made, value="no", explanation="It does not.")
    remove_example(made)
    told = AuditEntry.objects.filter(act="example-changed", study_id=peaks.pk).order_by("id")
    assert [entry.details["what"] for entry in told] == ["made", "changed", "taken away"]
    assert {entry.details["unit"] for entry in told} == {unit.pk}
    assert told[0].user_id == alice.pk
    run = a_run(peaks)
    Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING)
    client = signed_in(alice)
    for act in ("pause", "resume"):
        client.post(reverse(f"run-{act}", args=[peaks.slug, run.pk]))
        assert (last(f"run-{act}d").object_id, last(f"run-{act}d").user_id) == (run.pk, alice.pk)


def test_what_is_done_with_participants_is_written_down(peaks, rita, alice, signed_in):
    batch = open_batch(peaks)
    part = come(batch)
    enrolment = batch.enrolments.get()
    enrolment.finished_at = timezone.now()
    enrolment.save()
    client, place = signed_in(alice), [peaks.slug, batch.pk]
    client.post(reverse("participants-approve", args=place), {"part": enrolment.pk})
    client.post(reverse("participant-return", args=[*place, enrolment.pk]))
    assert part is not None
    assert last("participants-approved").details == {"participants": 1}
    ended = last("part-ended")
    assert (ended.details["participant"], ended.user_id) == (enrolment.participant_id, alice.pk)
