"""A disk that is full, or fills while a file is stored: said in words, nothing left behind."""

import errno
import os
import sqlite3
from collections import namedtuple
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.utils import OperationalError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate import access
from annotate.authentication import new_token
from annotate.models import Upload
from annotate.uploads import storing
from tests.uploads.files import lines, response
from tests.uploads.steps import receive

Usage = namedtuple("Usage", "total used free")
GOOD = lines(response(1))


@pytest.fixture
def kept(settings, tmp_path):
    """Where files are stored: the names of those that are there."""
    settings.MEDIA_ROOT = tmp_path
    return lambda: {path.name for path in tmp_path.rglob("*") if path.is_file()}


@pytest.fixture
def bring(peaks, bob, signed_in):
    client = signed_in(bob)
    client.raise_request_exception = False

    def post(content=GOOD):
        file = SimpleUploadedFile("a.jsonl", content)
        given = {"file": file, "mode": "auto"}
        return client.post(reverse("uploads", args=["peaks"]), given)

    return post


def full(monkeypatch):
    monkeypatch.setattr(storing, "disk_usage", lambda path: Usage(10**12, 10**12 - 1_000, 1_000))


def fills_up(monkeypatch):
    def save(self, name, content):
        half = Path(self.path(name))
        half.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(content.read()[:5])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FileSystemStorage, "_save", save)


@pytest.mark.parametrize("disk", [full, fills_up])
def test_file_that_does_not_fit_is_refused_and_leaves_nothing(bring, kept, monkeypatch, disk):
    with monkeypatch.context() as for_a_while:
        disk(for_a_while)
        answer = bring()
        assert answer.status_code == 507
        assert "no room for a.jsonl" in answer.content.decode()
        assert not kept()
        assert not Upload.objects.filter(name="a.jsonl").exists()
    assert bring().status_code == 302


def test_programs_are_told_too(peaks, bob, kept, monkeypatch):
    full(monkeypatch)
    program = Client(headers={"authorization": f"Bearer {new_token(bob, 'test')}"})
    file = SimpleUploadedFile("a.jsonl", GOOD)
    answer = program.post(reverse("api-uploads-list", args=["peaks"]), {"file": file})
    assert answer.status_code == 507
    assert "no room" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "fault",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        OperationalError("database or disk is full"),
    ],
)
def test_wherever_it_fails_it_is_said(alice, signed_in, monkeypatch, fault):
    def fail(*args):
        if isinstance(fault, OperationalError):
            raise fault from sqlite3.OperationalError("database or disk is full")
        raise fault

    monkeypatch.setattr(access, "memberships_of", fail)
    client = signed_in(alice)
    client.raise_request_exception = False
    answer = client.get(reverse("studies"))
    assert answer.status_code == 507
    assert "The server has no disk space left" in answer.content.decode()


def test_what_no_upload_has_is_swept_after_a_day(peaks, kept, settings):
    upload = receive(peaks, GOOD)
    for name, age in (("old", timedelta(hours=25)), ("young", timedelta(hours=1))):
        path = settings.MEDIA_ROOT / name
        path.write_text("half a file")
        at = (timezone.now() - age).timestamp()
        os.utime(path, (at, at))
    os.utime(upload.file.path, (0, 0))
    storing.sweep(timezone.now())
    assert kept() == {"young", Path(str(upload.file.name)).name}
