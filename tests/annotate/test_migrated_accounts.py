"""Accounts and tokens of an earlier version work on."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.hashers import make_password
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.urls import reverse

from annotate.authentication import token_digest
from tests.conftest import PASSWORD

BEFORE = [("annotate", "0016_erasable_names")]


def migrate(targets):
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return executor.loader.project_state(targets).apps


@pytest.fixture
def before(transactional_db):
    yield migrate(BEFORE)
    to_the_end()


def to_the_end():
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_people_sign_in_as_before(before, mailoutbox):
    users = before.get_model("annotate", "User").objects
    users.create(username="rater7", password=make_password(PASSWORD))
    alice = users.create(
        username="alice", email="Alice@Example.org", password=make_password(PASSWORD)
    )
    before.get_model("annotate", "ApiToken").objects.create(
        user=alice, label="old", digest=token_digest("attest_old")
    )
    to_the_end()
    address = EmailAddress.objects.get()
    assert (address.email, address.primary, address.verified) == ("alice@example.org", True, False)
    for name in ("rater7", "alice", "alice@example.org"):
        client = Client()
        client.post(reverse("account_login"), {"login": name, "password": PASSWORD})
        assert SESSION_KEY in client.session, name
    Client().post(reverse("account_reset_password"), {"email": "alice@example.org"})
    assert len(mailoutbox) == 1
    headers = {"authorization": "Bearer attest_old"}
    assert Client().get(reverse("api-studies"), headers=headers).status_code == 200
