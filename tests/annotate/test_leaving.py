"""Leaving: the person is forgotten, and what they judged stays."""

import json

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.authentication import new_token
from annotate.content.judgments import judge_of, record_judgment
from annotate.exchange import streams
from annotate.models import (
    AdmittedId,
    ApiToken,
    Assignment,
    AuditEntry,
    Enrolment,
    InquiryMessage,
    Judge,
    Judgment,
    Membership,
    Participant,
    PastJudgment,
    Role,
    Study,
    Unit,
    User,
)
from annotate.people import admission, leaving
from annotate.rating import inquiries
from annotate.rating.assignments import next_task
from annotate.rating.task_steps import steps_of
from annotate.web.errors import Refused
from evaluation.language_models.connections import save
from evaluation.models import Connection
from tests.annotate.crowd import come, open_batch
from tests.annotate.pages import visible
from tests.annotate.rating import open_work
from tests.shared_rows import shared_rows

pytestmark = [pytest.mark.postgresql, pytest.mark.usefixtures("counts_hold")]

CANNOT = "Nobody else owns “Peaks and skies”"


@shared_rows
def rated(peaks, rita):
    """rita has judged something, has begun a task and has asked a question about it."""
    unit = Unit.objects.filter(response__study=peaks, kind="response")[0]
    judge = judge_of(peaks, rita)
    record_judgment(judge=judge, unit=unit, dimension="utility", value="4", note="I am rita")
    task = next_task(open_work(peaks), judge)
    assert isinstance(task, Assignment)
    inquiries.ask(task, steps_of(task.batch, task.item)[0], text="Is it?", author=rita)
    return peaks


@shared_rows
def decided(peaks, bob):
    """bob has decided something, and once otherwise before."""
    unit = Unit.objects.filter(response__study=peaks, kind="response")[0]
    judge = Judge.objects.create(study=peaks, kind="adjudicated", name="Decisions")
    for value in ("1", "5"):
        record_judgment(
            judge=judge, unit=unit, dimension="utility", value=value, given_by=bob.username
        )
    assert PastJudgment.objects.get().given_by == "bob"
    return peaks


def exported(study):
    return list(streams.output_lines(study)), sorted(streams.judgments_csv(study))


def held():
    return Assignment.objects.filter(state="active", lease_until__gt=timezone.now()).exists()


def everything_kept():
    """All that the tables of people and of what they did hold, as text."""
    models = (User, Judge, Judgment, PastJudgment, Participant, Enrolment, AdmittedId)
    return json.dumps([list(m.objects.values()) for m in models], default=str)


# Accounts ----------------------------------------------------------------------------------------


def leave(client, user, how):
    return client.post(reverse("account-leave"), {"how": how, "word": user.username})


@pytest.mark.parametrize("how", ["remove", "pseudonym"])
def test_who_leaves_is_forgotten_and_what_they_judged_stays(rated, rita, signed_in, how):
    """Addresses, second factors, single sign-on, browsers and keys go; the log has a number."""
    EmailAddress.objects.create(user=rita, email="rita@example.org", verified=True, primary=True)
    SocialAccount.objects.create(user=rita, provider="sso", uid="rita at work")
    Authenticator.objects.create(user=rita, type="totp", data={"secret": "sealed"})
    UserSession.objects.create(user=rita, session_key="rita" * 8, ip="203.0.113.5")
    new_token(rita, "rita's laptop")
    mine = Connection(name="mine", url="https://model.example.org/", mode="pairs", owner=rita)
    save(mine, key="k")
    before, number = exported(rated), rita.pk
    assert held()
    client = signed_in(rita)
    for word in ("", "Rita"):
        sent = {"how": how, "word": word}
        assert client.post(reverse("account-leave"), sent).status_code == 422
    assert User.objects.filter(username="rita").exists()
    assert leave(client, rita, how).status_code == 302
    assert client.get(reverse("studies")).url.startswith("/sign-in/")
    assert "rita" not in everything_kept().replace("I am rita", "").lower()
    assert exported(rated) == before
    kept = (ApiToken, EmailAddress, SocialAccount, Authenticator, UserSession, Connection)
    for table in kept:
        assert not table.objects.exists(), table
    assert not held(), "others may do it"
    assert not Client().login(username="rita", password="a plain long password")
    assert InquiryMessage.objects.get().text == "Is it?"
    is_there = User.objects.filter(username__startswith="former-").exists()
    assert is_there is (how == "pseudonym")
    assert Membership.objects.filter(study=rated, role="rater").exists() is is_there
    told = AuditEntry.objects.get(act="account-left")
    assert (told.user_id, told.object_id) == (number, number)
    assert "rita" not in str(list(AuditEntry.objects.values())).lower()


@pytest.mark.parametrize("how", ["remove", "pseudonym"])
def test_a_name_beside_answers_is_replaced(decided, bob, how):
    name = (leaving.remove_account if how == "remove" else leaving.make_pseudonymous)(bob)
    assert name.startswith("former-")
    assert Judgment.objects.get(judge__name="Decisions").given_by == name
    assert PastJudgment.objects.get().given_by == name


def test_only_that_name_of_a_past_answer_changes(decided):
    past = PastJudgment.objects.all()
    assert past.update(given_by="former-1") == 1
    for change in ({"value": "3"}, {"given_by": "x", "value": "3"}, {"note": "x"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            past.update(**change)


@pytest.mark.parametrize("how", ["remove", "pseudonym"])
def test_a_study_keeps_an_owner(peaks, alice, bob, signed_in, how):
    answer = leave(signed_in(alice), alice, how)
    assert answer.status_code == 422
    assert CANNOT in visible(answer.content.decode())
    assert User.objects.filter(username="alice", is_active=True).exists()
    Membership.objects.filter(user=bob).update(role=Role.OWNER)
    assert leave(signed_in(alice), alice, how).status_code == 302
    assert Study.objects.get().current_guidelines.text


def test_who_has_no_account_does_not_leave_by_this_page(peaks):
    client = come(open_batch(peaks))
    assert client.get(reverse("account-leave")).status_code == 403


# A study's people --------------------------------------------------------------------------------


@shared_rows
def crowd(peaks):
    batch = open_batch(peaks, "By link")
    come(batch)
    admission.change_terms(batch, rule="listed", own_codes=False, ids=["5z3a", "listed"])
    judge_of(peaks, Participant.objects.get().user)
    return peaks


def test_all_that_is_known_of_people_is_in_one_file(rated, decided, crowd, alice, signed_in):
    found = signed_in(alice).get(reverse("personal-download", args=["peaks"])).json()
    people = {person["user_name"]: person for person in found["people"]}
    rita = people["rita"]
    assert (rita["name"], rita["email"], rita["role"]) == ("Rita", "rita@example.org", "rater")
    assert [(a["value"], a["note"]) for a in rita["answers"]] == [("4", "I am rita")]
    assert [q["text"] for q in rita["questions"]] == ["Is it?"]
    assert [task["state"] for task in rita["tasks"]] == ["active"]
    [came] = [link for person in people.values() for link in person["came_by_links"]]
    assert (came["platform"], came["id"], came["session"]) == ("prolific", "5z3a", "se1")
    assert found["names_beside_answers"] == ["bob"]
    assert found["listed_ids"] == ["5z3a", "listed"]


def test_erased_nobody_is_known_and_what_they_judged_stays(
    rated, decided, crowd, alice, bob, rita, signed_in
):
    before = exported(rated)
    client = signed_in(alice)
    address = reverse("personal", args=["peaks"])
    assert "Behind 2 raters" in visible(client.get(address).content.decode())
    assert client.post(address, {"word": "no"}).status_code == 422
    assert Participant.objects.exists()
    assert client.post(address, {"word": "peaks"}).status_code == 302
    assert exported(rated) == before
    assert not Participant.objects.exists()
    assert not AdmittedId.objects.exists()
    assert not User.objects.filter(username__startswith="crowd-").exists()
    assert not rated.judges.filter(user__in=[rita]).exists()
    roles = set(rated.memberships.values_list("user__username", "role"))
    assert roles == {("alice", "owner"), ("bob", "researcher")}
    assert Judgment.objects.get(judge__name="Decisions").given_by == "researcher-1"
    assert PastJudgment.objects.get().given_by == "researcher-1"
    assert InquiryMessage.objects.get().author is None
    assert not held()
    assert User.objects.filter(username="rita").exists(), "the account is their own"
    assert "Behind 0 raters" in visible(client.get(address).content.decode())


def test_one_rater_is_erased_alone(rated, crowd, elsewhere, rita, bob):
    Membership.objects.create(study=elsewhere, user=rita, role=Role.RATER)
    other = judge_of(elsewhere, rita)
    researcher = judge_of(rated, bob)
    with pytest.raises(Refused, match="or a researcher of the study is"):
        leaving.erase_rater(researcher)
    leaving.erase_rater(rated.judges.get(user=rita))
    assert not Membership.objects.filter(study=rated, user=rita).exists()
    assert Participant.objects.exists()
    with pytest.raises(Refused, match="Nobody is known behind this rater"):
        leaving.erase_rater(rated.judges.get(name="rater-1"))
    leaving.erase_people(rated)
    assert leaving.erase_people(rated) == 0
    for judge, user in ((researcher, bob), (other, rita)):
        judge.refresh_from_db()
        assert judge.user == user
    assert Membership.objects.filter(study=elsewhere, user=rita).exists()
