"""A study with every type of question, and servers of language models with their connection."""

import pytest

from evaluation.language_models.asking_models import _client
from tests.evaluation.asking.batching import batch_serving
from tests.evaluation.asking.test_model_runs import says
from tests.evaluation.rubric import EVERY, rubric_study
from tests.shared_rows import shared_rows


@pytest.fixture(autouse=True)
def unheard():
    """Each test is a process of its own, which has not heard from a server yet."""
    _client.cache_clear()


@shared_rows
def every(alice):
    return rubric_study(alice, questions=2, file=EVERY)


@pytest.fixture
def server(serve):
    """A server that answers by `says`."""
    return serve(says)


@pytest.fixture
def vendor(lab):
    """A server with a batch API that answers by `says`, behind the connection “lab”."""
    with batch_serving(says) as made:
        lab(made)
        yield made
