"""ALiiCE's positional fine-grained citations."""

import pytest

from evaluation.generating.positional import TASK
from evaluation.generating.systems import SYSTEMS
from tests.evaluation.generating.talking import as_before, talked


@pytest.mark.parametrize("options", [{}, {"shorten": "summ"}, {"shorten": "snippet"}])
def test_its_prompts_are_the_golden_ones(options):
    same, _ = as_before("positional", **options)
    assert same


def test_no_demonstrations_three_examples_of_the_form_and_five_or_ten_passages():
    _, told = talked("positional", ndoc=10)
    assert told[0][0].prompt.user.count("Question:") == 1
    assert len([line for line in TASK.partition("right:\n")[2].splitlines() if "[1]" in line]) == 3
    assert SYSTEMS["positional"].takes == ("ndoc", "shorten")
    assert SYSTEMS["positional"].usual.ndoc == 5
