"""The audit log: written with the act or not at all, and whole or it shows."""

import csv
import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from annotate.authentication import delete_token, new_token
from annotate.content.judgments import judge_of
from annotate.models import ApiToken, AuditChain, AuditEntry, Judge, Membership, Role, Unit
from annotate.people import members
from annotate.rating.batches import create_batch
from annotate.rating.standing import change_standing
from annotate.studies.lifecycle import create_study, write_guidelines
from annotate.web import audit
from annotate.web.errors import Refused
from tests.conftest import PASSWORD
from tests.shared_rows import shared_rows


def acts(**only):
    return list(AuditEntry.objects.filter(**only).order_by("id").values_list("act", flat=True))


def last(act):
    return AuditEntry.objects.filter(act=act).latest("id")


# What is told ----------------------------------------------------------------------------------


def test_an_act_in_the_browser_says_who_what_where_and_from_where(study, alice, signed_in):
    browser = signed_in(alice)
    browser.post(
        reverse("guidelines-edit", args=["peaks"]),
        {"text": "Read slowly."},
        REMOTE_ADDR="203.0.113.5",
        headers={"X-Request-ID": "the-request"},
    )
    told = last("guidelines-written")
    assert (told.user_id, told.study_id, told.via) == (alice.pk, study.pk, "page")
    assert (told.address, told.request_id) == ("203.0.113.5", "the-request")
    assert (told.kind, told.details) == ("guidelinesversion", {"version": 2})


def test_programs_and_commands_are_told_as_such(peaks, alice, capsys):
    key = new_token(alice, "script")
    headers = {"Authorization": f"Bearer {key}"}
    answer = Client().get(reverse("api-judgments", args=["peaks", "csv"]), headers=headers)
    assert answer.status_code == 200
    told = last("exported")
    assert (told.via, told.user_id) == ("program", alice.pk)
    assert told.token_id == ApiToken.objects.get().pk
    assert told.details == {"what": "api-judgments", "form": "csv"}
    call_command("export_judgments", "peaks")
    told = last("exported")
    assert (told.via, told.user_id, told.study_id) == ("command", None, peaks.pk)


def test_signing_in_and_failing_to(alice, client):
    page = reverse("account_login")
    client.post(page, {"login": "alice", "password": "wrong, and not kept"})
    client.post(page, {"login": "my password, by mistake", "password": "x"})
    client.post(page, {"login": "alice", "password": PASSWORD})
    client.post(reverse("account_logout"))
    told = AuditEntry.objects.order_by("id")
    assert acts() == ["sign-in-failed", "sign-in-failed", "signed-in", "signed-out"]
    assert [entry.user_id for entry in told] == [alice.pk, None, alice.pk, alice.pk]
    assert "mistake" not in str(list(told.values()))
    assert "not kept" not in str(list(told.values()))


def test_acts_of_people_tokens_and_batches_are_recorded(peaks, alice, bob, rita):
    invitation = members.invite(peaks, role=Role.RATER, author=alice, label="crowd")
    members.come(invitation, name="New", email="new@example.org", password="long and new 1")
    member = Membership.objects.get(study=peaks, user=bob)
    members.change_role(member, Role.OWNER)
    members.remove_member(member)
    members.revoke(invitation)
    batch = create_batch(peaks, name="First", author=alice)
    change_standing(judge_of(peaks, rita), Judge.Standing.EXCLUDED, reason="too fast", by=alice)
    assert acts(study_id=peaks.pk)[-7:] == [
        "invited",
        "joined",
        "role-changed",
        "member-removed",
        "invitation-revoked",
        "batch-made",
        "standing-changed",
    ]
    changed = last("role-changed")
    assert changed.details == {"member": bob.pk, "before": "researcher", "after": "owner"}
    assert (last("batch-made").about, last("batch-made").object_id) == ("First", batch.pk)
    new_token(alice, "script")
    delete_token(ApiToken.objects.get())
    assert acts()[-2:] == ["token-made", "token-deleted"]


def test_what_is_read_is_told_and_what_is_refused_is_not(peaks, bob, rita, signed_in):
    refused = signed_in(rita).get(reverse("download-outputs", args=["peaks"]))
    assert refused.status_code == 403
    assert "exported" not in acts()
    response = Unit.objects.filter(response__study=peaks)[0].response
    for page, act in (("response", "votes-read"), ("download-judgments", "exported")):
        arguments = ["peaks", response.pk if page == "response" else "csv"]
        signed_in(bob).get(reverse(page, args=arguments))
        told = last(act)
        assert (told.user_id, told.study_id) == (bob.pk, peaks.pk)
        assert told.details["what"] == page


def names(patterns):
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from names(pattern.url_patterns)
        elif isinstance(pattern, URLPattern):
            yield str(pattern.pattern), pattern.name


def test_all_that_can_be_taken_home_is_told():
    """Whatever looks like a file, but the form of Attest's own format, what a table's columns are,
    and what is one's own."""
    files = {
        name
        for path, name in names(get_resolver().url_patterns)
        if name
        and (
            any(word in name for word in ("download", "api-exchange"))
            or path.endswith((".csv", ".jsonl", ".json", ".zip"))
        )
    }
    by_link = {"shared-download", "shared-table"}  # told by `sharing.note_taking`
    of_nobody = {"response-schema", "upload-mapping", "mfa_download_recovery_codes"}
    assert files - set(audit.READS) == of_nobody | by_link


# With the act or not at all --------------------------------------------------------------------


def test_an_act_that_fails_is_not_told(study, alice):
    with pytest.raises(Refused):
        members.remove_member(Membership.objects.get(study=study, user=alice))
    assert "member-removed" not in acts()


# The chain -------------------------------------------------------------------------------------


@shared_rows
def chain():
    """Five sealed entries."""
    for number in range(5):
        audit.note("study-made", study=number)
    audit.seal()


def tampered(statement, *values):
    """What somebody with a shell of the database can do, triggers or not."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ALTER TABLE annotate_auditentry DISABLE TRIGGER USER")
        else:
            cursor.execute("DROP TRIGGER auditentry_is_append_only")
        cursor.execute(statement, values)


def test_a_whole_chain_holds(chain):
    verdict = audit.verify()
    assert (verdict.fault, verdict.length, verdict.waiting) == ("", 5, 0)
    assert verdict.last == AuditEntry.objects.get(number=5).hash
    audit.note("study-made", study=9)
    assert audit.verify().waiting == 1
    assert audit.seal() == 1
    assert audit.verify().length == 6


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("DELETE FROM annotate_auditentry WHERE number = 3", "Entry 3 is missing."),
        ("DELETE FROM annotate_auditentry WHERE number = 5", "Entries 5 to 5 are missing."),
        ("DELETE FROM annotate_auditentry WHERE number = 1", "Entry 1 is missing."),
        ("UPDATE annotate_auditentry SET user_id = 7 WHERE number = 2", "Entry 2 was changed"),
        ("UPDATE annotate_auditchain SET last = 'x'", "The end of the chain was changed"),
    ],
)
def test_what_is_missing_or_changed_shows(chain, statement, fault):
    tampered(statement)
    assert audit.verify().fault.startswith(fault)
    with pytest.raises(CommandError, match="broken"):
        call_command("audit")


def test_the_database_refuses_a_change(chain):
    entry = AuditEntry.objects.get(number=3)
    entry.about = "something else"
    with pytest.raises(DatabaseError, match="append_only"), transaction.atomic():
        entry.save()
    entry.refresh_from_db()
    entry.number, entry.hash = 9, "f" * 64
    with pytest.raises(DatabaseError, match="append_only"), transaction.atomic():
        entry.save()


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite's chain alone shows it")
def test_the_database_refuses_to_delete(chain):
    with pytest.raises(DatabaseError, match="append_only"), transaction.atomic():
        AuditEntry.objects.filter(number=3).delete()


def test_addresses_can_be_forgotten_and_the_chain_holds(db, rf):
    with audit.visited(rf.get("/"), lambda: "203.0.113.5"):
        audit.note("study-made", study=1)
    audit.seal()
    assert AuditEntry.objects.get().address == "203.0.113.5"
    call_command("audit", forget_addresses_before=str((timezone.now() + timedelta(days=2)).date()))
    assert AuditEntry.objects.get().address == ""
    assert audit.verify().fault == ""


def test_what_a_killed_process_left_a_worker_puts_into_the_chain(db):
    audit.note("study-made", study=1)
    audit.seal_what_was_left(timezone.now())
    assert AuditEntry.objects.get().number is None, "its process may still be about to"
    audit.seal_what_was_left(timezone.now() + timedelta(minutes=1))
    assert AuditEntry.objects.get().number == 1


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_an_act_is_done_and_chained_together_or_not_at_all(monkeypatch):
    study = create_study(name="A", preset="alce", owner=None)
    assert AuditEntry.objects.get().number == 1
    assert AuditChain.objects.get().length == 1

    def full(*args, **options):
        raise DatabaseError("disk full")

    monkeypatch.setattr(AuditEntry, "save", full)
    with pytest.raises(DatabaseError):
        write_guidelines(study, "Other.", None)
    assert study.current_guidelines.number == 1


# Reading it ------------------------------------------------------------------------------------


def test_an_owner_reads_and_filters_and_takes_it_home(study, alice, bob, elsewhere, signed_in):
    members.invite(study, role=Role.RATER, author=bob, label="for friends")
    browser = signed_in(alice)
    page = browser.get(reverse("audit-log", args=["peaks"])).content.decode()
    assert "made an invitation link" in page
    assert "for friends" not in page, "a label may say who somebody is"
    assert "Elsewhere" not in page
    filtered = reverse("audit-log", args=["peaks"]) + f"?user={bob.pk}&act=invited"
    rows = browser.get(filtered).context["rows"]
    assert [(row.user, row.act) for row in rows] == [("Bob", "made an invitation link")]
    tomorrow = (timezone.now() + timedelta(days=1)).date()
    empty = browser.get(reverse("audit-log", args=["peaks"]) + f"?since={tomorrow}")
    assert "No matching entries" in empty.content.decode()
    taken = browser.get(reverse("audit-log-csv", args=["peaks"]) + "?act=invited")
    (row,) = csv.DictReader(io.StringIO(b"".join(taken.streaming_content).decode()))
    assert (row["user"], row["act"], row["kind"]) == ("Bob", "invited", "invitation")
    assert last("exported").details == {"what": "audit-log-csv"}


def test_an_operator_sees_everything_and_checks_the_chain(
    chain, study, elsewhere, oscar, signed_in
):
    oscar.is_staff = True
    oscar.save()
    browser = signed_in(oscar)
    page = browser.get(reverse("audit-logs")).content.decode()
    assert "Peaks and skies" in page
    assert "Elsewhere" in page
    audit.seal()
    assert "chain is intact" in browser.get(reverse("audit-logs") + "?verify=1").content.decode()
    tampered("DELETE FROM annotate_auditentry WHERE number = 2")
    assert (
        "The chain is broken" in browser.get(reverse("audit-logs") + "?verify=1").content.decode()
    )
    assert browser.get(reverse("audit-logs-csv")).status_code == 200
