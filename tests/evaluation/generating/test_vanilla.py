"""VANILLA: passages whole in the prompt."""

import pytest

from evaluation.generating.options import with_options
from evaluation.generating.systems import SYSTEMS
from tests.evaluation.generating.talking import ENGINEER, TOWER, as_before, talked


@pytest.mark.parametrize("options", [{"shots": 2}, {"shots": 0, "ndoc": 2}])
def test_its_prompt_is_the_golden_one(options):
    same, written = as_before("vanilla", **options)
    assert same
    assert written.output == (
        "The tower was opened in 1889 [1]. Its engineer was Gustave Eiffel [2]."
    )
    assert written.passages[:2] == (TOWER, ENGINEER)


@pytest.mark.parametrize("shots", range(5))
def test_as_many_demonstrations_as_shots_the_same_for_a_seed_and_others_for_another(shots):
    prompts = [talked("vanilla", shots=shots, seed=seed)[1][0][0].prompt.user for seed in (1, 1, 2)]
    assert [prompt.count("Question: ") for prompt in prompts] == [shots + 1] * 3
    assert prompts[0] == prompts[1]
    assert (prompts[0] == prompts[2]) is (shots == 0)


def test_five_passages_and_two_demonstrations_unless_said():
    spec = SYSTEMS["vanilla"]
    assert (spec.usual.ndoc, spec.usual.shots) == (5, 2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"ndoc": "0"}, "from 1 to 100 as ndoc; found “0”"),
        ({"shots": "5"}, "from 0 to 4 as shots"),
        ({"steps": "3"}, "no option “steps”; there are: shots, ndoc"),
    ],
)
def test_what_cannot_be_set_is_refused(given, said):
    spec = SYSTEMS["vanilla"]
    with pytest.raises(ValueError, match=said):
        with_options(spec.usual, spec.takes, given)


def test_a_list_has_its_own_prompt_and_demonstrations():
    same, written = as_before("vanilla", shots=1, form="list")
    assert same
    assert written.output == "The [1], Gustave Eiffel [2]."


@pytest.mark.parametrize("said", ["Answer: So [1].", "**Answer:** So [1].", "**Answer**: So [1]."])
def test_a_heading_that_is_repeated_is_no_part_of_the_answer(said):
    assert talked("vanilla", lambda prompt: said)[0].output == "So [1]."
