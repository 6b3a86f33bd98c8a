"""A study with every type of question, and a connection to a server that speaks as models do."""

import pytest

from evaluation.language_models.asking_models import _client
from tests.beginnings import beginning
from tests.evaluation.rubric import EVERY, rubric_study


@pytest.fixture(autouse=True)
def unheard():
    """Each test is a process of its own, which has not heard from a server yet."""
    _client.cache_clear()


@beginning
def every(alice):
    return rubric_study(alice, questions=2, file=EVERY)
