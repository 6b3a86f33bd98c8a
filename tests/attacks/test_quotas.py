"""What one study or one person takes that others need: space, rows, workers."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotate.authentication import new_token
from annotate.models import Response, Upload
from evaluation.models import Run
from tests.evaluation.runs.doing import planned
from tests.shared_rows import shared_rows
from tests.uploads.files import lines, response

pytestmark = pytest.mark.django_db

GOOD = lines(response(1), response(2))


@shared_rows
def page(signed_in, bob):
    return signed_in(bob)


@shared_rows
def api(bob):
    return Client(headers={"authorization": f"Bearer {new_token(bob, 'test')}"})


def bring(client, name="uploads", slug="peaks"):
    file = SimpleUploadedFile("a.jsonl", GOOD)
    return client.post(reverse(name, args=[slug]), {"file": file, "mode": "auto"})


@pytest.mark.parametrize("setting", ["ATTEST_STUDY_BYTES", "ATTEST_PERSON_BYTES"])
def test_file_quota_is_enforced(study, page, api, settings, setting, tmp_path):
    setattr(settings, setting, len(GOOD) + 10)
    assert bring(page).status_code == 302
    refused = bring(page)
    assert refused.status_code == 422
    assert f"at most {len(GOOD) + 10:,} are allowed (setting {setting})" in refused.content.decode()
    refused = bring(api, "api-uploads-list")
    assert refused.status_code == 409
    assert setting in refused.json()["error"]["message"]
    if "STUDY" in setting:
        path = tmp_path / "a.jsonl"
        path.write_bytes(GOOD)
        with pytest.raises(CommandError, match=setting):
            call_command("import_outputs", "peaks", str(path))
    assert Upload.objects.count() == 1
    page.post(reverse("upload-discard", args=["peaks", Upload.objects.get().pk]))
    assert bring(page).status_code == 302


@pytest.mark.parametrize("setting", ["ATTEST_STUDY_ROWS", "ATTEST_PERSON_ROWS"])
def test_row_quota_is_enforced(study, page, api, settings, setting, tmp_path):
    setattr(settings, setting, 1)
    bring(page)
    upload = Upload.objects.get()
    refused = page.post(reverse("upload-confirm", args=["peaks", upload.pk]), follow=True)
    assert f"at most 1 are allowed (setting {setting})" in refused.content.decode()
    address = reverse("api-uploads-confirm", args=["peaks", upload.pk])
    refused = api.post(address, {}, content_type="application/json")
    assert refused.status_code == 409
    if "STUDY" in setting:
        path = tmp_path / "a.jsonl"
        path.write_bytes(GOOD)
        with pytest.raises(CommandError, match=setting):
            call_command("import_outputs", "peaks", str(path))
    assert not Response.objects.filter(study=study).exists()
    setattr(settings, setting, 2)
    page.post(reverse("upload-confirm", args=["peaks", upload.pk]))
    assert Response.objects.filter(study=study).count() == 2


def test_row_quota_stops_a_run(peaks, page, settings):
    run = planned(peaks)
    settings.ATTEST_STUDY_ROWS = 5
    refused = page.post(reverse("run-start", args=["peaks", run.pk]), follow=True)
    assert "(setting ATTEST_STUDY_ROWS)" in refused.content.decode()
    run.refresh_from_db()
    assert run.state == Run.State.PLANNED


@pytest.mark.parametrize("setting", ["ATTEST_STUDY_WORK", "ATTEST_PERSON_WORK"])
def test_quota_of_waiting_work_is_enforced(peaks, bob, page, api, settings, setting):
    setattr(settings, setting, 2)
    settings.ATTEST_INLINE_UPLOAD_BYTES = 0
    assert bring(page).status_code == 302  # it waits for a worker
    Run.objects.create(study=peaks, judge_name="alce", created_by=bob)
    refused = bring(page)
    assert refused.status_code == 422
    told = f"and this is one more; at most 2 are allowed (setting {setting})"
    assert f"2 uploads, runs, comparisons and other work, {told}" in refused.content.decode()
    form = {"judge": "correctness", "scorer": "containment", "variant": "released"}
    refused = page.post(reverse("run-new", args=["peaks"]), form)
    assert refused.status_code == 422
    assert setting in refused.content.decode()
    given = {"judge": "correctness"}
    refused = api.post(
        reverse("api-runs-list", args=["peaks"]), given, content_type="application/json"
    )
    assert refused.status_code == 409
    if "STUDY" in setting:
        with pytest.raises(CommandError, match=setting):
            call_command("run_judge", "peaks", "correctness", "--queue")
    Run.objects.update(state=Run.State.CANCELLED)
    assert bring(page).status_code == 302


def test_ones_own_work_holds_up_nobody_else(peaks, elsewhere, oscar, page, signed_in, settings):
    settings.ATTEST_PERSON_WORK = 1
    settings.ATTEST_INLINE_UPLOAD_BYTES = 0
    assert bring(page).status_code == 302
    assert bring(page).status_code == 422
    assert bring(signed_in(oscar), slug="elsewhere").status_code == 302
