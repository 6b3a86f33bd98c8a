"""The people of the tests, and a small loaded study of theirs.

alice owns it, bob researches in it, rita rates in it; oscar is an outsider, with a study of his
own.
"""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from django.test import Client

from annotate.models import Membership, Role, Study, User
from annotate.studies.lifecycle import create_study
from tests.annotate.counts_hold import counts_hold
from tests.annotate.loading import load_peaks
from tests.databases import on_postgresql
from tests.migrated import migrated
from tests.packages import package
from tests.prepared import prepared, prepared_once
from tests.rows import Rows
from tests.shared_rows import _django_db_helper, shared_rows, shared_rows_ready, shared_savepoints

__all__ = [
    "_django_db_helper",
    "counts_hold",
    "package",
    "prepared",
    "prepared_once",
    "shared_rows_ready",
    "shared_savepoints",
]

PASSWORD = "a plain long password"  # shared by everybody
PEAKS = Rows(load_peaks)


def person(username: str, *, is_researcher: bool = False) -> User:
    return User.objects.create_user(
        username=username,
        email=f"{username}@example.org",
        password=PASSWORD,
        name=username.title(),
        is_researcher=is_researcher,
    )


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings_parallel_suffix: None) -> Iterator[bool]:
    """The tests' database begins as a copy, in which `migrate` finds nothing to do."""
    name = connection.creation._get_test_db_name()  # type: ignore[attr-defined]
    if connection.vendor == "sqlite":
        shutil.copy(migrated(), name)
        yield True
        return
    server = os.environ["DATABASE_URL"].rpartition("/")[0]
    with on_postgresql(server, name, begun=True):
        yield True


@shared_rows
def alice() -> User:
    return person("alice", is_researcher=True)


@shared_rows
def bob() -> User:
    return person("bob", is_researcher=True)


@shared_rows
def rita() -> User:
    return person("rita")


@shared_rows
def study(alice: User, bob: User, rita: User) -> Study:
    """An ALCE study of alice's with its members and nothing loaded."""
    made = create_study(name="Peaks and skies", slug="peaks", preset="alce", owner=alice)
    Membership.objects.create(study=made, user=bob, role=Role.RESEARCHER)
    Membership.objects.create(study=made, user=rita, role=Role.RATER)
    return made


@shared_rows
def peaks(study: Study) -> Study:
    """The same study with outputs of two systems and some judgments."""
    PEAKS.put(study)
    return study


@shared_rows
def vera() -> User:
    """Reads in studies that let her; she is in none until then."""
    return person("vera")


@shared_rows
def oscar() -> User:
    return person("oscar", is_researcher=True)


@shared_rows
def elsewhere(oscar: User) -> Study:
    """Oscar's study, loaded with the same files."""
    made = create_study(name="Elsewhere", slug="elsewhere", preset="alce", owner=oscar)
    PEAKS.put(made)
    return made


@shared_rows
def signed_in() -> Callable[[User], Client]:
    """A browser in which somebody is signed in."""

    def open_browser(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return open_browser
