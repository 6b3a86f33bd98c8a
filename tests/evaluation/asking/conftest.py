"""A study with every type of question, and a connection to a server that speaks as models do."""

from ipaddress import ip_network

import pytest

from evaluation.models import Connection
from evaluation.outside import connections
from evaluation.running.asking_models import _speaker
from tests.beginnings import beginning
from tests.evaluation.rubric import EVERY, rubric_study


@pytest.fixture
def lab(settings):
    settings.ATTEST_CALLED_NETWORKS = (ip_network("127.0.0.0/8"),)

    def make(server, mode="chat"):
        made = Connection(name="lab", url=server.url(mode), mode=mode, model="m-1")
        connections.save(made, key="k3y")
        connections.lend(made, everybody=True, studies=[], people=[])
        return made

    return make


@pytest.fixture(autouse=True)
def unheard():
    """Each test is a process of its own, which has not heard from a server yet."""
    _speaker.cache_clear()


@beginning
def every(alice):
    return rubric_study(alice, questions=2, file=EVERY)
