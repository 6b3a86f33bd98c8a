"""Studies with judges."""

import pytest

from tests.evaluation.services.combining import judged


@pytest.fixture
def heard(peaks):
    """Forty questions that people labelled and three models judged, who never err together."""
    return judged(peaks)
