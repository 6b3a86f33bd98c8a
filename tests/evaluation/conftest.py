"""Raters of the small study that tests/conftest.py loads."""

from collections.abc import Callable

import pytest
from django.core.cache import caches

from annotate.models import Judge, Study
from tests.beginnings import beginning
from tests.evaluation.desk import rater


@beginning
def three(peaks: Study) -> list[Judge]:
    return [rater(peaks, f"rater-{number}") for number in (1, 2, 3)]


@beginning
def quiet(peaks: Study) -> Callable[[], None]:
    """Takes away what the study's file of judgments brought."""

    def clear() -> None:
        for judge in peaks.judges.all():
            judge.judgments.all().delete()

    return clear


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """What one test computed is not shown in another, whose rows may have the same keys."""
    caches["process"].clear()
