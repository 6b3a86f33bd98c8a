"""Studies to load into."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from annotate.models import Membership, Role, Study, User
from annotate.studies.lifecycle import create_study
from annotate.uploads import chunks
from annotate.work.jobs import sending


@pytest.fixture
def make_study(db: None) -> Callable[..., Study]:
    def make(slug: str = "things", preset: str = "alce", **options: Any) -> Study:
        return create_study(name=slug, slug=slug, preset=preset, owner=None, **options)

    return make


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    """An ALCE study without anything in it."""
    return make_study()


@pytest.fixture
def browser(study: Study) -> Client:
    """A browser in which the study's owner is signed in."""
    owner = User.objects.create_user(username="ada", is_researcher=True)
    Membership.objects.create(study=study, user=owner, role=Role.OWNER)
    client = Client()
    client.force_login(owner)
    return client


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three records a transaction, so that a small file takes several."""
    monkeypatch.setattr(chunks, "CHUNK_RECORDS", 3)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The messages that would have gone to a worker."""
    messages: list[int] = []
    monkeypatch.setattr(sending, "send_message", lambda task, queue, key: messages.append(key))
    return messages
