"""When the measurement of language models fails."""

import pytest

from bench.models import LEAST, MOST_MB, Reached, short_of


@pytest.mark.parametrize(
    ("reached", "is_full", "words"),
    [
        (Reached(LEAST, MOST_MB), True, []),
        (Reached(0.8, 5.0), False, []),
        (Reached(0.8, 5.0), True, ["SQLite reached 80.0% of the ideal, 90% are wanted"]),
        (Reached(0.95, 400.0), False, ["SQLite took 400 MB more, 30 at most are wanted"]),
    ],
)
def test_a_slow_run_of_full_size_fails_and_one_that_grows(reached, is_full, words):
    assert short_of("SQLite", reached, is_full=is_full) == words
