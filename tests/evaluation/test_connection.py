"""`connection`, as the operator types it."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotate.web.sealing import opened
from evaluation.judges.entailment.door import environment_key
from evaluation.language_models import connections
from evaluation.models import Connection

pytestmark = pytest.mark.django_db

KEY = "a-key-of-nobody"  # a made-up one
PUBLIC = "https://model.example.org/v1/chat/completions"


def run(*words):
    out = StringIO()
    call_command("connection", *words, stdout=out, stderr=out)
    return out.getvalue()


def test_one_is_made_lent_changed_and_removed(peaks, bob, tmp_path):
    (tmp_path / "key").write_text(f"{KEY}\n")
    said = run("add", "lab", PUBLIC, "--mode", "chat", "--model", "judge", "--study", "peaks",
               "--key-from", str(tmp_path / "key"))  # fmt: skip
    assert said == f"lab: {PUBLIC}, chat judge, a key; for study peaks\n"
    lab = Connection.objects.get()
    assert connections.door_to(lab).key == KEY
    first = lab.edition
    assert run("lend", "lab", "--person", "bob", "--person", "alice").endswith("for Alice, Bob\n")
    assert not connections.usable(peaks, None).exists()
    run("change", "lab", "--model", "greater", "--inner", "yes", "--key-from", "environment")
    lab.refresh_from_db()
    assert (lab.model, lab.inner, lab.environment_key) == ("greater", True, True)
    assert connections.door_to(lab).key == environment_key()
    assert lab.edition != first
    assert "the environment's key, may be private" in run("list")
    run("lend", "lab", "--everybody")
    assert run("list").endswith("for everybody\n")
    run("remove", "lab")
    assert run("list") == ""


def test_nothing_that_is_said_shows_a_key(tmp_path, bob):
    (tmp_path / "key").write_text(KEY)
    said = run("add", "lab", PUBLIC, "--key-from", str(tmp_path / "key"))
    connections.save(Connection(name="mine", url=PUBLIC, owner=bob), key=KEY)
    said += run("list") + run("reseal")
    assert KEY not in said
    assert "Bob's own" in said
    assert said.endswith("Keys encrypted again: 2\n")


def test_a_key_can_be_typed(monkeypatch):
    monkeypatch.setattr("getpass.getpass", lambda asked: f" {KEY} ")
    run("add", "lab", PUBLIC, "--key-from", "ask")
    assert connections.door_to(Connection.objects.get()).key == KEY
    run("change", "lab", "--key-from", "none")
    assert connections.door_to(Connection.objects.get()).key == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "lab", "nowhere"), "is not an address"),
        (("add", "lab", PUBLIC, "--mode", "chat"), "needs the model"),
        (("add", "lab", PUBLIC, "--key-from", "/no/such/file"), "There is no file"),
        (("add", "lab", PUBLIC, "--study", "nothing"), "There is no study"),
        (("add", "known", PUBLIC), "There is a connection “known” already"),
        (("change", "lab", "--model", "m"), "There is no connection “lab”. Known: known."),
        (("lend", "mine"), "There is no connection “mine”"),
    ],
)
def test_what_cannot_be_is_said(bob, words, said):
    connections.save(Connection(name="known", url=PUBLIC))
    connections.save(Connection(name="mine", url=PUBLIC, owner=bob))
    with pytest.raises(CommandError, match=said):
        run(*words)


def test_run_judge_names_a_connection_and_no_address(peaks):
    judge = ("run_judge", "peaks", "alce", "--scorer", "http")
    with pytest.raises(CommandError, match="names an address"):
        call_command(*judge, "--option", f"url={PUBLIC}")
    with pytest.raises(CommandError, match="needs a connection"):
        call_command(*judge)
    run("add", "lab", "http://127.0.0.1:9/")  # nobody else may use it
    with pytest.raises(CommandError, match="“lab” leads nowhere, or to an address that is not"):
        call_command(*judge, "--connection", "lab")


def test_unreadable_key_is_named_and_the_others_are_encrypted_again(db, settings):
    settings.ATTEST_SEALING_SECRETS = ["lost"]
    lost = connections.save(Connection(name="lost", url=PUBLIC), key="k1")
    settings.ATTEST_SEALING_SECRETS = ["kept"]
    kept = connections.save(Connection(name="kept", url=PUBLIC), key="k2")
    settings.ATTEST_SEALING_SECRETS = ["new", "kept"]
    with pytest.raises(CommandError, match=rf"connection {lost.pk} \(sealed_key\)") as failed:
        call_command("connection", "reseal")
    assert f"connection {kept.pk}" not in str(failed.value)
    settings.ATTEST_SEALING_SECRETS = ["new"]
    kept.refresh_from_db()
    assert opened(kept.sealed_key, kept.url) == "k2"
