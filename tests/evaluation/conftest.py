"""Raters of the small study that tests/conftest.py loads; a connection to language models."""

from collections.abc import Callable
from contextlib import ExitStack
from ipaddress import ip_network

import pytest
from django.core.cache import caches
from django.test import Client

from annotate.models import Judge, Role, Study, User
from annotate.people import members
from annotate.studies.lifecycle import create_study
from evaluation.language_models import connections
from evaluation.models import Connection
from tests.evaluation.asking.fake import serving
from tests.evaluation.desk import rater
from tests.shared_rows import shared_rows


@shared_rows
def three(peaks: Study) -> list[Judge]:
    return [rater(peaks, f"rater-{number}") for number in (1, 2, 3)]


@shared_rows
def quiet(peaks: Study) -> Callable[[], None]:
    """Takes away what the study's file of judgments brought."""

    def clear() -> None:
        for judge in peaks.judges.all():
            judge.judgments.all().delete()

    return clear


@shared_rows
def browser(bob: User, signed_in: Callable[[User], Client]) -> Client:
    """A browser in which a researcher of the study is signed in."""
    return signed_in(bob)


@shared_rows
def viewer(peaks: Study, alice: User, vera: User, signed_in: Callable[[User], Client]) -> Client:
    """A browser in which a viewer of the study is signed in."""
    members.join(members.invite(peaks, role=Role.VIEWER, author=alice), vera)
    return signed_in(vera)


@shared_rows
def new(alice: User) -> Callable[..., Study]:
    """Create an empty study of alice's by its name."""

    def create(slug: str, preset: str = "alce") -> Study:
        return create_study(name=slug, slug=slug, preset=preset, owner=alice)

    return create


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """What one test computed is not shown in another, whose rows may have the same keys."""
    caches["process"].clear()


@pytest.fixture
def lab(settings):
    """Makes the connection “lab”, which everybody may use."""
    settings.ATTEST_CALLED_NETWORKS = (ip_network("127.0.0.0/8"),)

    def make(server, mode="chat", **more):
        made = Connection(name="lab", url=server.url(mode), mode=mode, model="m-1", **more)
        connections.save(made, key="k3y")
        connections.lend(made, everybody=True, studies=[], people=[])
        return made

    return make


@pytest.fixture
def serve(lab):
    """Start servers of language models that answer by a rule, behind the connection “lab”."""
    with ExitStack() as servers:

        def start(answer, *where, **more):
            server = servers.enter_context(serving(answer))
            lab(server, *where, **more)
            return server

        yield start
