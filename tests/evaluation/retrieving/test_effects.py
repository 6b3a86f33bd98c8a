"""What retrieval did to answers, with the arithmetic."""

from evaluation.agreement.ratings import Figure, undefined
from evaluation.retrieving.effects import QUALITIES, GivenPassages, effect, effects

NOT_JUDGED = undefined("not judged")


def given(held, told, answers=2, *, passages=3, recall=None):
    cited = NOT_JUDGED if recall is None else Figure(recall)
    return GivenPassages(
        "A", passages, answers, frozenset(held), frozenset(told), cited, NOT_JUDGED
    )


def test_an_error_that_no_passage_could_have_prevented_is_explained_by_retrieval():
    some = [given({0}, {0}), given({0}, set()), given({0, 1}, {0, 1}), given(set(), {1})]
    row = effect("all", some)
    assert row["responses"] == 4
    assert row["answer_recall"].value == (1 / 2 + 1 / 2 + 2 / 2 + 0 / 2) / 4
    assert row["correctness"].value == (1 / 2 + 0 / 2 + 2 / 2 + 1 / 2) / 4
    # Lacking: of the first answer 1, of the second 0 and 1, of the fourth 0; held of these: one.
    assert row["errors"] == 4
    assert row["explained"].value == 3 / 4
    assert row["recall_of_citations"].reason == "not judged"


def test_rows_by_what_the_passages_hold():
    some = [given(set(), set()), given({0, 1}, {0, 1}, recall=1.0), given({0, 1}, {0}, recall=0.5)]
    none, every = effects(some, lambda one: one.quality, QUALITIES)
    assert (none["of"], none["responses"], none["explained"].value) == ("none", 1, 1.0)
    assert (every["of"], every["responses"], every["explained"].value) == ("all", 2, 0.0)
    assert every["recall_of_citations"].value == 0.75


def test_nothing_is_undefined_with_its_reason():
    row = effect("all", [])
    assert row["correctness"].reason == "no response whose question has answers"
    assert row["explained"].reason == "no error"
    assert effect("all", [given(set(), {0, 1})])["explained"].reason == "no error"
