"""Deleting a study, a system or a batch: gone at once for everybody, and back as it was."""

from datetime import timedelta

import pytest
from django.core.management import CommandError
from django.db import DatabaseError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.access import removals_of
from annotate.authentication import new_token
from annotate.exchange import deletion, streams
from annotate.management.lookup import find_study
from annotate.models import (
    Passage,
    Question,
    Removal,
    Response,
    Role,
    Study,
    System,
    Unit,
)
from annotate.people import crowd, members
from annotate.protocol.dimensions import UnitKind
from annotate.rating.batches import create_batch, open_batch
from annotate.rating.examples import add_example
from annotate.studies.lifecycle import create_study
from annotate.uploads.redividing import refuse_to_divide_again
from annotate.web.errors import Refused
from annotate.work import jobs
from tests.annotate.deleting import due, gone
from tests.annotate.loading import load, response
from tests.annotate.pages import visible
from tests.annotate.rating import open_work
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.postgresql


def exported(study):
    return list(streams.output_lines(study)), list(streams.judgments_csv(study))


def read(answer):
    return visible(answer.content.decode())


def test_deleted_study_is_hidden_from_everybody(peaks, alice, bob, rita, signed_in):
    invitation = members.invite(peaks, role=Role.RATER, author=alice)
    batch = open_work(peaks, audience="link")
    token = new_token(alice, "test")
    deletion.delete_study(peaks)
    for user in (alice, bob, rita):
        client = signed_in(user)
        assert client.get(reverse("study", args=["peaks"])).status_code == 404
        assert "Peaks and skies" not in read(client.get(reverse("studies")))
    program = Client(headers={"authorization": f"Bearer {token}"})
    assert program.get(reverse("api-studies-detail", args=["peaks"])).status_code == 404
    assert program.get(reverse("api-studies-list")).json() == {"studies": [], "after": None}
    with pytest.raises(CommandError, match="There is no study"):
        find_study("peaks")
    assert members.find_invitation(members.invitation_code(invitation)) is None
    assert crowd.find_batch(crowd.batch_code(batch)) is None


def test_put_back_it_is_as_it_was(peaks, alice, bob, signed_in):
    before = exported(peaks)
    removal = deletion.delete_study(peaks, by=alice)
    client = signed_in(alice)
    assert "Deleted: 1" in read(client.get(reverse("studies")))
    page = read(client.get(reverse("deleted")))
    assert "Peaks and skies" in page
    assert "can be restored" in page
    answer = client.post(reverse("put-back", args=[removal.pk]), follow=True)
    assert "The study “Peaks and skies” is restored." in read(answer)
    assert exported(Study.objects.get(slug="peaks")) == before
    assert signed_in(bob).get(reverse("study", args=["peaks"])).status_code == 200
    assert not Removal.objects.exists()


@pytest.mark.parametrize("what", ["bob", "rita", "oscar"])
def test_only_owners_put_a_study_back(peaks, alice, request, signed_in, what):
    somebody = request.getfixturevalue(what)
    removal = deletion.delete_study(peaks, by=alice)
    for name in ("put-back", "remove-now"):
        answer = signed_in(somebody).post(reverse(name, args=[removal.pk]))
        assert answer.status_code == 404
    assert not removals_of(somebody).exists()
    assert Removal.objects.get().due_at > timezone.now()


def test_the_address_is_free_again_and_then_the_old_study_waits(peaks, alice):
    removal = deletion.delete_study(peaks, by=alice)
    create_study(name="Peaks", slug="peaks", preset="alce", owner=alice)
    with pytest.raises(Refused, match="Another study has the address “peaks” by now"):
        deletion.put_back(removal)
    assert Study.every.get(pk=peaks.pk).deleted_at is not None
    gone(deletion.delete_study(Study.objects.get(slug="peaks")))
    deletion.put_back(removal)
    assert Study.objects.get(slug="peaks") == peaks


def test_a_worker_removes_it_only_when_the_time_is_over(peaks, settings):
    settings.ATTEST_UNDO_DAYS = 3
    now = timezone.now()
    removal = deletion.delete_study(peaks)
    assert timedelta(days=3) <= removal.due_at - now < timedelta(days=3, minutes=5)
    assert not deletion.work(removal.pk)
    with pytest.raises(Refused, match="cannot be put back any more"):
        deletion.put_back(Removal(pk=due(removal), study=peaks))
    deletion.look_after_removals(timezone.now())
    assert Removal.objects.get().sent_at is not None


def test_without_days_it_goes_at_once(peaks, alice, signed_in, settings):
    settings.ATTEST_UNDO_DAYS = 0
    settings.CELERY_TASK_ALWAYS_EAGER = True
    client = signed_in(alice)
    assert "cannot undo this" in read(client.get(reverse("study-delete", args=["peaks"])))
    answer = client.post(reverse("study-delete", args=["peaks"]), {"slug": "peaks"}, follow=True)
    assert "“Peaks and skies” is deleted." in read(answer)
    assert "can be restored" not in read(answer)
    assert not Removal.objects.get().can_be_put_back


def test_twice_is_refused(peaks, alice):
    deletion.delete_study(peaks)
    with pytest.raises(Refused, match="This study is deleted already"):
        deletion.delete_study(peaks)


# Systems ------------------------------------------------------------------------------------------


@shared_rows
def system(peaks):
    return System.objects.get(study=peaks, name="Vermilion")


def test_deleted_system_is_hidden_from_everybody(peaks, system, alice, bob, signed_in):
    one = system.responses.first()
    unit = Unit.objects.get(response=one, kind=UnitKind.RESPONSE)
    add_example(unit, "utility", value="5", explanation="It is.", by=alice)
    client = signed_in(alice)
    page = read(client.get(reverse("system-delete", args=["peaks", system.pk])))
    assert f"Its {system.responses.count()} responses" in page
    answer = client.post(reverse("system-delete", args=["peaks", system.pk]), follow=True)
    assert "“Vermilion” is deleted. Until" in read(answer)
    for name, args in (
        ("systems", ["peaks"]),
        ("responses", ["peaks"]),
        ("guidelines", ["peaks"]),
        ("study", ["peaks"]),
    ):
        page = read(signed_in(bob).get(reverse(name, args=args)))
        assert "Vermilion" not in page
        assert "It is." not in page
    for name, key in (("system", system.pk), ("response", one.pk)):
        assert client.get(reverse(name, args=["peaks", key])).status_code == 404
    outputs, judgments = exported(peaks)
    assert not any("Vermilion" in line for line in outputs)
    assert not any("Vermilion" in line for line in judgments)


def test_a_system_put_back_is_as_it_was(peaks, system):
    replaced = system.responses.first()
    Response.objects.filter(pk=replaced.pk).update(live=None, replaced_at=timezone.now())
    before = exported(peaks)
    removal = deletion.delete_system(system)
    assert exported(peaks) != before
    deletion.put_back(removal)
    assert exported(peaks) == before
    replaced.refresh_from_db()
    assert replaced.live is None


def test_system_is_removed_with_its_unshared_rows(peaks, system):
    load(peaks, [response("Own [1].", question_id="own", passages=(("Own", "Only."),))])
    others = set(Passage.objects.filter(sources__response__system__name="Quokka-9B"))
    gone(deletion.delete_system(system))
    assert list(System.every.values_list("name", flat=True)) == ["Quokka-9B"]
    assert not Question.objects.filter(external_id="own").exists()
    assert set(Passage.objects.all()) == others
    assert not Response.objects.exclude(system__name="Quokka-9B").exists()


def test_its_name_is_free_again(peaks, system):
    removal = deletion.delete_system(system)
    load(peaks, [response("Anew [1].", system="Vermilion")])
    assert System.objects.get(study=peaks, name="Vermilion") != system
    with pytest.raises(Refused, match="There is another system of this name by now"):
        deletion.put_back(removal)


def test_answers_are_not_divided_otherwise_meanwhile(peaks, system):
    removal = deletion.delete_system(system)
    with pytest.raises(Refused, match="“Vermilion” was deleted and can be put back as it was"):
        refuse_to_divide_again(peaks)
    deletion.put_back(removal)
    refuse_to_divide_again(peaks)


# Batches ------------------------------------------------------------------------------------------


def test_a_deleted_batch_is_put_back_by_a_researcher(peaks, bob, signed_in):
    batch = open_batch(create_batch(peaks, name="Pilot"))
    client = signed_in(bob)
    client.post(reverse("batch-delete", args=["peaks", batch.pk]))
    assert client.get(reverse("batch", args=["peaks", batch.pk])).status_code == 404
    assert "Pilot" not in read(client.get(reverse("batches", args=["peaks"])))
    assert "In Peaks and skies" in read(client.get(reverse("deleted")))
    client.post(reverse("put-back", args=[Removal.objects.get().pk]))
    assert client.get(reverse("batch", args=["peaks", batch.pk])).status_code == 200


# Workers ------------------------------------------------------------------------------------------


def test_failed_cancellation_is_retried(peaks, monkeypatch):
    called = []

    def fails_first(removal):
        called.append(removal.pk)
        if len(called) == 1:
            raise DatabaseError("deadlock detected")

    monkeypatch.setattr(deletion, "STOPS", [fails_first])
    removal = deletion.delete_study(peaks)
    assert not Removal.objects.get().has_stopped
    jobs.sweep()
    assert Removal.objects.get().has_stopped
    jobs.sweep()
    assert called == [removal.pk, removal.pk]


def test_nothing_is_loaded_while_a_system_is_removed(peaks, system):
    removal = deletion.delete_system(system)
    holding = jobs.claim(deletion.REMOVAL, due(removal))
    assert holding is not None
    assert jobs.claim(deletion.REMOVAL, removal.pk) is None
