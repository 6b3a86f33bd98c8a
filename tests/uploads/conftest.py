"""Studies to load into."""

from collections.abc import Callable
from typing import Any

import pytest

from annotate.jobs import sending
from annotate.models import Study
from annotate.services.studies import create_study
from annotate.services.uploads import chunks


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
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three records a transaction, so that a small file takes several."""
    monkeypatch.setattr(chunks, "CHUNK_RECORDS", 3)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The messages that would have gone to a worker."""
    messages: list[int] = []
    monkeypatch.setattr(sending, "tell", lambda task, queue, key: messages.append(key))
    return messages
