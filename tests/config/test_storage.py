"""Files in a bucket: received by one machine, loaded by another, swept, missing, out of reach."""

from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotate import uploads
from annotate.exchange.deletion import delete_study
from annotate.models import Upload
from annotate.uploads import storing
from config import environment as env
from tests.annotate.deleting import gone
from tests.bucket import bucket, s3_server
from tests.uploads.files import lines, response
from tests.uploads.leasing import accepted, content_of, undisturbed
from tests.uploads.steps import State, check, receive, work

__all__ = ["bucket", "s3_server"]

pytestmark = pytest.mark.processes

GOOD = lines(response(1), response(2))


@pytest.fixture
def machine(settings, tmp_path, bucket):
    """Changes to a machine: its data folder is its own, the bucket is everybody's."""
    settings.STORAGES = {**settings.STORAGES, "default": env.storage(bucket.url)}

    def change(name):
        settings.MEDIA_ROOT = tmp_path / name
        settings.MEDIA_ROOT.mkdir(exist_ok=True)

    change("web")
    return change


@pytest.fixture
def kept_here(tmp_path):
    return lambda: [path for path in tmp_path.rglob("*") if path.is_file()]


def test_web_and_worker_need_no_folder_in_common(
    study, bob, signed_in, machine, bucket, kept_here, settings
):
    settings.ATTEST_INLINE_UPLOAD_BYTES = 0
    file = SimpleUploadedFile("a.jsonl", GOOD)
    answer = signed_in(bob).post(reverse("uploads", args=["peaks"]), {"file": file, "mode": "auto"})
    assert answer.status_code == 302
    upload = Upload.objects.get()
    assert bucket.keys() == {f"attest/{upload.file.name}"}
    assert bucket.get(f"attest/{upload.file.name}") == GOOD
    machine("worker")
    assert work(upload).state == State.READY, upload.error
    uploads.confirm(upload)
    assert work(upload).state == State.DONE, upload.error
    assert upload.result["responses"] == 2
    assert kept_here() == []


def test_what_is_loaded_is_what_a_folder_gives(study, machine):
    upload = accepted(study)
    machine("worker")
    assert work(upload).state == State.DONE, upload.error
    assert content_of(study) == undisturbed()


def test_passages_beside_a_file_are_fetched_too(study, machine, bucket):
    passages = b'{"id": "p1", "text": "The sky is blue."}\n'
    upload = receive(study, GOOD, "a.jsonl", passages=passages)
    assert bucket.keys() == {f"attest/{n}" for n in (upload.file.name, upload.passages_file.name)}
    with storing.on_disk(upload.passages_file) as path:
        assert path.read_bytes() == passages
    assert not path.exists()


def test_files_go_with_what_they_belong_to(study, machine, bucket):
    upload = check(study, GOOD, "a.jsonl")
    uploads.discard(upload)
    assert bucket.keys() == set()
    check(study, GOOD, "b.jsonl")
    assert len(bucket.keys()) == 1
    gone(delete_study(study))
    assert bucket.keys() == set()


def test_what_no_upload_has_is_swept_after_a_day(study, machine, bucket):
    upload = receive(study, GOOD)
    bucket.put("attest/2026/01/left", b"half a file")
    bucket.put("beside/2026/01/not-ours", b"of another program")
    whole = {"attest/2026/01/left", f"attest/{upload.file.name}", "beside/2026/01/not-ours"}
    storing.sweep(timezone.now())
    assert bucket.keys() == whole
    storing.sweep(timezone.now() + timedelta(hours=25))
    assert bucket.keys() == whole - {"attest/2026/01/left"}


def test_a_file_that_is_gone_is_said(study, machine, bucket):
    upload = receive(study, GOOD)
    upload.file.storage.delete(str(upload.file.name))
    assert work(upload).state == State.FAILED
    assert "Upload it again" in upload.error


def test_a_storage_that_does_not_take_it_leaves_nothing(
    study, bob, signed_in, machine, bucket, kept_here
):
    bucket.remove()
    client = signed_in(bob)
    client.raise_request_exception = False
    file = SimpleUploadedFile("a.jsonl", GOOD)
    answer = client.post(reverse("uploads", args=["peaks"]), {"file": file, "mode": "auto"})
    assert answer.status_code == 500
    assert "tell your administrator" in answer.content.decode()
    assert not Upload.objects.exists()
    assert kept_here() == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("/srv/files", "expected s3://BUCKET/FOLDER"),
        ("s3://bucket", "with a folder that Attest has for itself"),
        ("s3://key:secret@bucket/attest", "expected no key in it"),
        ("s3://bucket/attest?endpint=https://s3.example.org", "found endpint"),
        ("s3://bucket/attest?endpoint=s3.example.org", "expected endpoint=https://HOST"),
    ],
)
def test_an_address_that_cannot_be_meant_is_refused(url, said):
    with pytest.raises(env.SettingError, match="ATTEST_STORAGE_URL") as refused:
        env.storage(url)
    assert said in str(refused.value)
    assert "secret@" not in str(refused.value)


def test_a_missing_bucket_fails_the_ping(machine, bucket):
    ping = default_storage.ping  # type: ignore[attr-defined]
    ping()
    bucket.remove()
    with pytest.raises(OSError, match="storage"):
        ping()
