"""Studies that are put aside, have tags, and are templates for new ones."""

import pytest
from django.urls import reverse

from annotate.exchange import study_archive
from annotate.models import AuditEntry, Batch, Inquiry, Judge, Study
from annotate.rating import inquiries
from annotate.rating.batches import create_batch, open_batch
from annotate.studies.lifecycle import change_study
from annotate.web.errors import Refused
from tests.annotate.pages import visible

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("counts_hold")]


@pytest.fixture
def owner(signed_in, alice):
    return signed_in(alice)


def names(client, **asked):
    page = client.get(reverse("studies"), asked).context["rows"]
    return [row.study.slug for row in page]


def described(study, **more):
    settings = {
        name: getattr(study, name)
        for name in ("name", "description", "raters_per_unit", "citation_cap", "shared_words")
    }
    return change_study(study, **settings | {"division": study.division} | more)


def archive(client, word="archive"):
    assert client.post(reverse(f"study-{word}", args=["peaks"])).status_code == 302


def test_archived_study_keeps_data_and_stops_rating(peaks, owner):
    batch = open_batch(create_batch(peaks, name="First"))
    before = owner.get(reverse("download-outputs", args=["peaks"])).getvalue()
    archive(owner)
    batch.refresh_from_db()
    assert batch.state == Batch.State.CLOSED
    with pytest.raises(Refused, match="The study is archived"):
        open_batch(batch)
    assert owner.get(reverse("download-outputs", args=["peaks"])).getvalue() == before
    study_archive.unarchive(peaks)
    assert open_batch(batch).is_open


def test_raters_ask_no_more(peaks, rita):
    judge = Judge.objects.create(study=peaks, user=rita, name="rita", kind=Judge.Kind.HUMAN)
    unit = peaks.responses.first().units.first()
    batch = create_batch(peaks, name="First")
    asked = Inquiry.objects.create(batch=batch, judge=judge, unit=unit, dimension="citation_recall")
    study_archive.archive(peaks)
    with pytest.raises(Refused, match="The study is archived"):
        inquiries.follow_up(Inquiry.objects.get(pk=asked.pk), text="And now?", author=rita)


def test_twice_is_once(peaks):
    since = study_archive.archive(peaks).archived_at
    assert study_archive.archive(peaks).archived_at == since
    assert AuditEntry.objects.filter(act="study-archived").count() == 1


def test_readers_can_filter_studies_by_tag(peaks, study, owner, signed_in, rita, elsewhere):
    described(peaks, tags=" Pilot,  long  answers, pilot,")
    peaks.refresh_from_db()
    assert peaks.tags == "pilot, long answers"
    assert names(owner, tag="Long answers") == ["peaks"]
    assert names(owner, tag="long") == []
    listed = owner.get(reverse("studies")).content.decode()
    assert '<a class="tag" href="?tag=long%20answers"' in listed
    rater = signed_in(rita)
    assert names(rater, tag="pilot") == []
    assert "pilot" not in rater.get(reverse("studies")).content.decode()
    told = rater.get(reverse("api-studies-detail", args=["peaks"])).json()
    assert told["tags"] == ""


def test_a_template_is_offered_and_copied(peaks, owner, signed_in, oscar):
    new = reverse("study-new")
    assert "Template" not in visible(owner.get(new).content.decode())
    described(peaks, is_template=True, tags="pilot", raters_per_unit=7)
    asked = {"name": "Next year", "preset": "alce", "template": peaks.pk}
    answer = owner.post(new, asked)
    made = Study.objects.get(slug="next-year")
    assert answer.url == reverse("study", args=[made.slug])
    assert (made.raters_per_unit, made.tags, made.is_template) == (7, "pilot", False)
    assert made.description == peaks.description
    assert made.dimensions == peaks.dimensions
    assert not made.responses.exists()
    oscar.is_researcher = True
    oscar.save()
    outsider = signed_in(oscar)
    outsider.post(new, asked)  # what he is not offered says nothing
    assert Study.objects.get(slug="next-year-2").raters_per_unit != 7
    by_program = {"name": "Again", "template": "peaks"}
    address = reverse("api-studies-list")
    assert owner.post(address, by_program, content_type="application/json").status_code == 201
    refused = outsider.post(address, by_program, content_type="application/json")
    assert refused.status_code == 409
