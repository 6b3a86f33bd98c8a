"""A webhook of the study's that leads to this machine, and who is told."""

import pytest

from annotate.studies import webhooks
from tests.background_server import in_background
from tests.webhooks.receiver import HERE, Receiver


@pytest.fixture
def receiver(settings):
    settings.ATTEST_CALLED_NETWORKS = HERE
    with in_background(Receiver()) as server:
        yield server


@pytest.fixture
def made(study, alice, receiver):
    """A webhook that wants all that needs no mark, and its secret."""
    wanted = [event for event in webhooks.EVENTS if event != "agreement.fell"]
    return webhooks.create(study, receiver.url, wanted, by=alice)


@pytest.fixture
def webhook(made):
    return made[0]
