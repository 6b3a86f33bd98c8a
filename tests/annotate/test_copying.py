"""A copy of a study: what comes along, and what stays."""

from dataclasses import replace

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.exchange.streams import output_lines
from annotate.models import Judgment, Membership, Study, System, Upload
from annotate.protocol.written import write
from annotate.studies.lifecycle import change_study, change_system, write_guidelines
from annotate.studies.wordings import protocol_file_of, save_dimension
from tests.annotate.pages import visible
from tests.annotate.test_wordings import FLUENCY


@pytest.fixture
def changed(peaks, alice):
    """A study in which nothing is as a new one has it."""
    save_dimension(peaks, FLUENCY)
    write_guidelines(peaks, "Read slowly.", alice)
    peaks.refresh_from_db()
    vermilion = System.objects.get(study=peaks, name="Vermilion")
    change_system(
        vermilion, name="Vermilion", display_name="Red", description="Old.", uses_autoais=True
    )
    Study.objects.filter(pk=peaks.pk).update(seed=7)
    peaks.refresh_from_db()
    return change_study(
        peaks,
        name="Peaks and skies",
        description="About high things.",
        raters_per_unit=4,
        citation_cap=5,
        division=peaks.division,
        shared_words=True,
    )


def copied(client, **data):
    answer = client.post("/studies/peaks/copy/", {"name": "Again", **data})
    assert answer.status_code == 302
    return Study.objects.get(name="Again"), answer["Location"]


def asked(study):
    """All that it asks and says, but for what it is called and after which it is made."""
    return write(replace(protocol_file_of(study), key="k", version=1, title="T", source=""))


def test_a_copy_asks_the_same_and_has_no_data(signed_in, bob, changed):
    made, address = copied(signed_in(bob))
    assert address == f"/studies/{made.slug}/"
    assert asked(made) == asked(changed)
    assert FLUENCY.key in made.protocol.own
    same = "preset dimensions description raters_per_unit citation_cap seed shared_words division"
    for name in same.split():
        assert getattr(made, name) == getattr(changed, name), name
    assert made.current_guidelines.text == "Read slowly."
    assert [*Membership.objects.filter(study=made).values_list("user", "role")] == [
        (bob.pk, "owner")
    ]
    assert not made.responses.exists()
    assert not made.systems.exists()


def test_with_the_responses_all_of_them_come_when_they_are_loaded(signed_in, alice, changed):
    client = signed_in(alice)
    made, address = copied(client, with_responses="on")
    upload = Upload.objects.get(study=made)
    assert address == f"/studies/{made.slug}/uploads/{upload.pk}/"
    assert upload.state == Upload.State.READY
    assert not made.responses.exists()
    client.post(f"{address}confirm/")
    assert sorted(output_lines(made)) == sorted(output_lines(changed))
    told = ("name", "display_name", "description", "uses_autoais")
    assert {*made.systems.values_list(*told)} == {*changed.systems.values_list(*told)}
    assert Judgment.objects.filter(unit__response__study=changed).exists()
    assert not Judgment.objects.filter(unit__response__study=made).exists()


def test_copy_with_responses_of_an_empty_study_is_refused_completely(signed_in, alice, study):
    answer = signed_in(alice).post(
        "/studies/peaks/copy/", {"name": "Again", "with_responses": "on"}
    )
    assert answer.status_code == 422
    assert "is empty" in visible(answer.content.decode())
    assert not Study.every.filter(name="Again").exists()


def test_copying_needs_the_right_to_create_studies(signed_in, bob, peaks):
    bob.is_researcher = False
    bob.save()
    client = signed_in(bob)
    assert client.get("/studies/peaks/copy/").status_code == 403
    assert "Copy this study" not in client.get("/studies/peaks/settings/").content.decode()


def test_study_is_copied_by_command(changed, capsys):
    call_command("create_study", "again", copy_of="peaks", owner="alice")
    made = Study.objects.get(slug="again")
    assert asked(made) == asked(changed)
    assert made.name == "again"
    with pytest.raises(CommandError, match="The study says what is asked"):
        call_command("create_study", "other", copy_of="peaks", lines="first")
