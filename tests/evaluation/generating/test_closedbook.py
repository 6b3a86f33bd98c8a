"""CLOSEDBOOK: the question alone."""

from evaluation.generating.systems import SYSTEMS
from tests.evaluation.generating.talking import SUBJECT, as_before, talked


def test_its_prompt_is_the_golden_one():
    same, written = as_before("closedbook", shots=2)
    assert same
    assert written.passages == SUBJECT.found  # candidates for POSTCITE
    assert SYSTEMS["closedbook"].keeps == "cited"


def test_demonstrations_cite_nothing():
    _, told = talked("closedbook", shots=4)
    assert "[1]" not in told[0][0].prompt.user
    assert "Document" not in told[0][0].prompt.user


def test_a_list_has_its_own_prompt():
    assert as_before("closedbook", shots=1, form="list")[0]
