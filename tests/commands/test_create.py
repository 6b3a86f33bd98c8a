"""create_study and create_account."""

import pytest
from django.core.management.base import CommandError

from annotate.models import Membership, Role, Study, User


def test_a_study_with_a_name_and_an_owner(run):
    ada = User.objects.create_user(username="ada", email="Ada@example.org")
    said = run(
        "create_study", "things", "--preset", "alce", "--name", "All things",
        "--owner", "ada@EXAMPLE.org",
    )  # fmt: skip
    assert "no owner" not in said.out
    assert Study.objects.get().name == "All things"
    assert Membership.objects.get().user == ada
    assert Membership.objects.get().role == Role.OWNER


def test_unknown_owner_is_refused(run):
    with pytest.raises(CommandError, match=r"There is no account “bob”. Make one"):
        run("create_study", "things", "--preset", "alce", "--owner", "bob")
    assert not Study.objects.exists()


@pytest.mark.parametrize("slug", ["with space", "a/b", "ümlaut", "x" * 61])
def test_invalid_study_address_is_refused(run, slug):
    with pytest.raises(CommandError, match="address"):
        run("create_study", slug, "--preset", "alce")
    assert not Study.objects.exists()


@pytest.fixture
def password(tmp_path):
    path = tmp_path / "password"
    path.write_text("correct horse battery\n")
    return path


def test_account_is_created(run, password):
    said = run("create_account", "Ada@Example.org", "--name", "Ada", "--password-file", password)
    assert said.out == "Created the account ada@example.org.\n"
    user = User.objects.get()
    assert user.is_researcher
    assert user.name == "Ada"
    assert user.check_password("correct horse battery")


def test_the_password_is_asked_for(run, monkeypatch):
    monkeypatch.setattr("getpass.getpass", lambda prompt: "correct horse battery")
    run("create_account", "ada@example.org")
    assert User.objects.get().check_password("correct horse battery")


@pytest.mark.parametrize(
    ("address", "file", "message"),
    [
        ("ADA@example.org", "password", "There is an account with this address"),
        ("ada", "password", "valid email"),
        ("bob@example.org", "none", "There is no file"),
    ],
)
def test_account_that_cannot_be_made_is_refused(run, password, address, file, message):
    run("create_account", "ada@example.org", "--password-file", password)
    with pytest.raises(CommandError, match=message):
        run("create_account", address, "--password-file", password.with_name(file))
