"""Backups: what is in them, what is refused, and that a restore is whole or does not happen."""

import hashlib
import json
import stat
import zipfile

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection

from annotate.exchange.deletion import delete_study
from annotate.models import AuditChain, AuditEntry, Judgment, Study, Upload
from config import environment as env
from config.backups import BackupError, postgresql, sqlite
from config.health import known_migrations
from evaluation.generating.searching import search_here
from evaluation.models import Corpus
from tests.annotate.deleting import gone
from tests.bucket import bucket, s3_server
from tests.evaluation.corpora import a_corpus, received
from tests.uploads.steps import everything

__all__ = ["bucket", "s3_server"]

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def kept(settings, tmp_path):
    """The files that are stored, by name."""
    settings.MEDIA_ROOT = tmp_path / "uploads"

    def files():
        root = settings.MEDIA_ROOT
        paths = [path for path in root.rglob("*") if path.is_file()]
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}

    return files


@pytest.fixture
def here(kept, peaks):
    """All that is here, rows and files."""
    rows = (AuditEntry, AuditChain, Upload)
    return lambda: (
        *[list(model._default_manager.order_by("pk").values()) for model in rows],
        everything(),
        kept(),
    )


@pytest.fixture
def saved(here, tmp_path):
    path = tmp_path / "attest.zip"
    call_command("backup", path)
    return path


def change(path, names):
    """The same archive with other content: bytes by name, nothing to leave one out."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()} | names
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in content.items():
            if text is not None:
                archive.writestr(name, text)


def manifest(path, **changes):
    with zipfile.ZipFile(path) as archive:
        found = json.loads(archive.read("manifest.json"))
    if changes:
        change(path, {"manifest.json": json.dumps(found | changes)})
    return found


def refused(path, *options):
    with pytest.raises(CommandError) as refusal:
        call_command("restore", path, *options)
    return str(refusal.value)


def test_rows_and_files_come_back(saved, here, kept):
    before = here()
    assert before[-1]
    gone(delete_study(Study.objects.get()))
    assert kept() == {}
    call_command("restore", saved, "--replace")
    assert here() == before
    assert Judgment.objects.exists()


def test_only_an_empty_database_is_filled_unasked(saved, here):
    before = here()
    Study.objects.update(name="Later")
    assert "not empty" in refused(saved)
    assert Study.objects.get().name == "Later"
    call_command("restore", saved, "--replace")
    assert here() == before


def test_the_manifest_says_what_is_in_it(saved, kept):
    found = manifest(saved)
    assert found["database"] == connection.vendor
    assert found["counts"]["annotate_judgment"] == Judgment.objects.count()
    assert {tuple(each) for each in found["migrations"]} >= known_migrations()
    assert {name.removeprefix("files/") for name in found["members"]} >= kept().keys()
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600


def test_secrets_are_in_it_only_where_asked_for(saved, settings, tmp_path):
    settings.SECRET_KEY, settings.ATTEST_SEALING_SECRETS = "a-key-of-the-tests", ["sealed-so"]

    def content(*options):
        path = tmp_path / "again.zip"
        call_command("backup", path, *options)
        with zipfile.ZipFile(path) as archive:
            return b"".join(archive.read(name) for name in archive.namelist())

    assert b"a-key-of-the-tests" not in content()
    assert b"sealed-so" not in content()
    asked = content("--with-secrets")
    assert b"SECRET_KEY=a-key-of-the-tests\nATTEST_SEALING_SECRETS=sealed-so\n" in asked


def test_other_secrets_than_those_of_the_backup_are_said(saved, settings, capsys):
    call_command("restore", saved, "--replace")
    assert capsys.readouterr().err == ""
    settings.SECRET_KEY = "another"
    call_command("restore", saved, "--replace")
    said = capsys.readouterr().err
    assert "The SECRET_KEY here is another" in said
    assert "Keys of connections cannot be opened" in said


def test_a_file_that_is_no_backup(here, tmp_path):
    path = tmp_path / "other.zip"
    assert "there is no such file" in refused(path, "--replace")
    path.write_text("something else")
    assert "expected a backup" in refused(path, "--replace")
    change_to = zipfile.ZipFile(path, "w")
    change_to.writestr("a", "b")
    change_to.close()
    assert "expected the manifest of a backup" in refused(path, "--replace")


@pytest.mark.parametrize("what", ["database", "files/"])
def test_what_was_damaged_is_not_restored(saved, here, what):
    Study.objects.update(name="Later")
    name = next(name for name in manifest(saved)["members"] if name.startswith(what))
    change(saved, {name: b"other bytes"})
    before = here()
    assert f"{name} is damaged" in refused(saved, "--replace")
    assert here() == before
    change(saved, {name: None})
    assert "its manifest and its content differ" in refused(saved, "--replace")
    assert here() == before


def test_one_of_another_database_or_a_later_version(saved, here):
    real = manifest(saved, database="oracle")
    assert "a backup of oracle" in refused(saved, "--replace")
    later = [*real["migrations"], ["annotate", "9999_flying"]]
    manifest(saved, database=real["database"], migrations=later, version="9.0")
    said = refused(saved, "--replace")
    assert "Attest 9.0 made it" in said
    assert "annotate.9999_flying" in said
    manifest(saved, form=2)
    assert "of form 1, found 2" in refused(saved, "--replace")


def test_rows_that_are_not_those_of_the_manifest_change_nothing(saved, here):
    Study.objects.update(name="Later")
    before = here()
    counts = manifest(saved)["counts"]
    manifest(saved, counts=counts | {"annotate_judgment": 1})
    assert "annotate_judgment" in refused(saved, "--replace")
    assert here() == before


def test_a_restore_that_breaks_off_changes_nothing(saved, here, kept, monkeypatch):
    gone(delete_study(Study.objects.get()))
    before = here()
    kind = postgresql if connection.vendor == "postgresql" else sqlite

    def fail():
        assert kept(), "files come first"
        raise KeyboardInterrupt

    monkeypatch.setattr(kind, "bring_forward", fail)
    with pytest.raises(KeyboardInterrupt):
        call_command("restore", saved, "--replace")
    assert here() == before


def test_a_file_that_is_gone_is_told(kept, peaks, tmp_path, capsys):
    name = str(Upload.objects.earliest("pk").file.name)
    default_storage.delete(name)
    path = tmp_path / "attest.zip"
    call_command("backup", path)
    assert name in capsys.readouterr().err
    assert manifest(path)["missing"] == [name]


def test_another_file_of_the_same_name_is_kept(saved, kept, settings, here):
    name = next(iter(kept()))
    (settings.MEDIA_ROOT / name).write_bytes(b"of somebody else")
    before = here()
    assert "another file named" in refused(saved, "--replace")
    assert here() == before


def test_what_cannot_be_written_leaves_nothing(peaks, tmp_path, monkeypatch):
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("backup", tmp_path / "nowhere" / "attest.zip")
    monkeypatch.setattr("config.backups.making._files", lambda *asked: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        call_command("backup", tmp_path / "attest.zip")
    assert list(tmp_path.iterdir()) == []


def test_files_move_between_a_folder_and_a_bucket(saved, here, kept, settings, bucket, tmp_path):
    before, folder = here(), settings.STORAGES
    settings.STORAGES = {**folder, "default": env.storage(bucket.url)}
    call_command("restore", saved, "--replace")
    assert bucket.keys() == {f"attest/{name}" for name in kept()}
    moved = tmp_path / "moved.zip"
    call_command("backup", moved)
    bucket.remove()
    settings.STORAGES, settings.MEDIA_ROOT = folder, tmp_path / "other"
    call_command("restore", moved, "--replace")
    assert here() == before


@pytest.fixture
def corpus(kept, peaks, alice, settings, tmp_path):
    """A corpus that is indexed, one whose files wait, and what is on the disk by name."""
    settings.ATTEST_CORPORA_DIR = root = tmp_path / "corpora"
    made = a_corpus(peaks, alice)
    received(peaks, alice, name="Waiting")

    def lies():
        paths = [path for path in root.rglob("*") if path.is_file()]
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}

    return made, lies


def test_corpora_come_back_where_they_were_asked_for(corpus, kept, tmp_path, settings, capsys):
    made, lies = corpus
    before, waiting = lies(), kept()
    path = tmp_path / "attest.zip"
    call_command("backup", path, "--with-corpora")
    assert "--with-corpora" not in capsys.readouterr().out
    settings.ATTEST_CORPORA_DIR = elsewhere = tmp_path / "elsewhere"
    settings.MEDIA_ROOT = tmp_path / "other-files"
    call_command("restore", path, "--replace")
    assert capsys.readouterr().err == ""
    found = {one.relative_to(elsewhere).as_posix() for one in elsewhere.rglob("*") if one.is_file()}
    assert found == before.keys()
    assert kept() == waiting, "files of a corpus that waits are in every backup"
    assert [one.key for one in search_here(made, "foxes", 1)] == ["f1"]
    call_command("restore", path, "--replace")  # what is there already stays
    (next(one for one in elsewhere.rglob("*") if one.is_file())).write_bytes(b"other")
    assert "has another folder named" in refused(path, "--replace")


def test_without_them_it_says_what_to_do(corpus, tmp_path, settings, capsys):
    path = tmp_path / "attest.zip"
    call_command("backup", path)
    assert "The indexes of corpora are not in it (--with-corpora)" in capsys.readouterr().out
    settings.ATTEST_CORPORA_DIR = tmp_path / "elsewhere"
    call_command("restore", path, "--replace")
    assert "The indexes of 1 corpora are not in" in capsys.readouterr().err


def test_a_restore_that_breaks_off_leaves_no_corpus(corpus, tmp_path, settings, monkeypatch):
    path = tmp_path / "attest.zip"
    call_command("backup", path, "--with-corpora")
    settings.ATTEST_CORPORA_DIR = elsewhere = tmp_path / "elsewhere"

    def full(*_):
        raise BackupError("no")

    monkeypatch.setattr("config.backups.restoring._replace_database", full)
    assert "no" in refused(path, "--replace")
    assert not list(elsewhere.glob("*"))
    folder = Corpus.objects.get(state="ready").folder
    change(path, {f"corpora/{folder}/../../out": b"x"})
    with zipfile.ZipFile(path) as archive:
        found = json.loads(archive.read("manifest.json"))
    digest = hashlib.sha256(b"x").hexdigest()
    found["members"][f"corpora/{folder}/../../out"] = {"bytes": 1, "sha256": digest}
    change(path, {"manifest.json": json.dumps(found)})
    assert "leads out of its folder" in refused(path, "--replace")
    assert not (tmp_path / "out").exists()
