"""VANILLA, SUMM, SNIPPET, ORACLE, CLOSEDBOOK and ALiiCE's system: answers from the prompt."""

from annotate.formats.records import QuestionRecord
from annotate.text.search_result import Found
from evaluation.generating.systems.alce import POSITIONAL_TASK, SUMMARISE
from evaluation.generating.systems.conversations import ModelAnswer, Subject
from evaluation.generating.systems.shipped import SYSTEMS
from tests.evaluation.generating.talking import ENGINEER, SUBJECT, TOWER, talked

LISTED = "The [1], Gustave Eiffel [2]."


def test_what_is_written_and_which_passages_stay():
    written, _ = talked("vanilla", shots=2)
    assert written.output == (
        "The tower was opened in 1889 [1]. Its engineer was Gustave Eiffel [2]."
    )
    assert written.passages == SUBJECT.found
    for system in ("summ", "snippet"):
        written, _ = talked(system, shots=1)
        assert written.passages == (TOWER, ENGINEER), system
        assert written.notes["irrelevant"] == 1, system
        assert written.notes["shown"] == [
            "The tower was opened in 1889.", "Its engineer was Gustave Eiffel.",
        ], system  # fmt: skip
    assert talked("closedbook", shots=2)[0].passages == SUBJECT.found  # candidates for POSTCITE
    assert SYSTEMS["closedbook"].keeps == "cited"
    for system in ("vanilla", "summ", "snippet", "oracle"):
        assert talked(system, shots=1, form="list")[0].output == LISTED, system


def test_demonstrations_are_as_many_as_asked_and_drawn_by_seed():
    for shots in range(5):
        prompts = [
            talked("vanilla", shots=shots, seed=seed)[1][0][0].prompt.user for seed in (1, 1, 2)
        ]
        assert [prompt.count("Question: ") for prompt in prompts] == [shots + 1] * 3
        assert prompts[0] == prompts[1]
        assert (prompts[0] == prompts[2]) is (shots == 0)
    (bare, _), *_ = talked("closedbook", shots=4)[1]
    assert "[1]" not in bare.prompt.user
    assert "Document" not in bare.prompt.user
    (positional, _), *_ = talked("positional", ndoc=10)[1]
    assert positional.prompt.user.count("Question:") == 1
    examples = POSITIONAL_TASK.partition("right:\n")[2].splitlines()
    assert len([line for line in examples if "[1]" in line]) == 3


# Short forms --------------------------------------------------------------------------------------


def shortened(said, system="summ", task=SUMMARISE):
    return talked(
        system, lambda prompt: said if prompt.system == task else "So it is [1].", shots=0
    )


def test_silence_leaves_a_passage_out_and_about_all_of_them_is_no_answer():
    declined = ModelAnswer("", "the model declined to answer")

    def answer(prompt):
        if "Cheese" in prompt.user and prompt.system == SUMMARISE:
            return declined
        return "Short." if prompt.system == SUMMARISE else "So it is [1]."

    assert talked("summ", answer, shots=0)[0].passages == (TOWER, ENGINEER)
    assert shortened(declined)[0] == declined.why


# ORACLE -------------------------------------------------------------------------------------------

NUMBERS = ["one", "two", "three", "four", "five", "six"]
TEXTS = ["nothing", "one two three four", "one two five", "Three, four and six!"]


def chosen(texts, references, ndoc, **more):
    """The passages that stand in the prompt, by their place from 1 on, and what is noted."""
    found = tuple(Found(f"{n}", text, 0.0, "T") for n, text in enumerate(texts, 1))
    subject = Subject(QuestionRecord("Which?", "q1", references), found)
    written, _ = talked("oracle", subject=subject, shots=0, ndoc=ndoc, **more)
    return [one.key for one in written.passages], written.notes


def test_the_oracle_is_not_greedy():
    """Whoever takes the passage with four answers first needs three passages for all six."""
    references = {"answers": [[one] for one in NUMBERS]}
    assert chosen(TEXTS, references, 2) == (["3", "4"], {})
    assert chosen(TEXTS, references, 3)[0] == ["1", "3", "4"], "filled up with the best of the rest"


def test_the_oracle_of_claims_chooses_what_entails_them():
    asked = []

    def entail(pairs):
        asked.extend(pairs)
        return [claim in text.lower() for text, claim in pairs]

    assert chosen(TEXTS, {"claims": NUMBERS}, 2, entail=entail)[0] == ["3", "4"]
    assert len(asked) == len(TEXTS) * len(NUMBERS)
    assert asked[0] == ("Title: T\nnothing", "one")
