"""ORACLE: the passages that together hold the most gold answers."""

from annotate.retrieval.found import Found
from evaluation.generating.gold import gold_answers, oracle
from tests.evaluation.generating.talking import ENGINEER, TOWER, as_before


def test_its_prompt_is_the_golden_one():
    same, written = as_before("oracle", shots=0, ndoc=2)
    assert same
    assert written.passages == (TOWER, ENGINEER)


def passage(key, text):
    return Found(key, text, 0.0)


def test_what_adds_most_is_taken_then_the_first_of_the_others_all_in_their_order():
    passages = [
        passage("1", "nothing"), passage("2", "red"), passage("3", "red and green"),
        passage("4", "blue"), passage("5", "Red, green!"),
    ]  # fmt: skip
    answers = [["red"], ["green", "verde"], ["blue"]]
    # 3 adds two, as 5 does, but earlier; 4 adds one; then nothing is added: 1 is the first.
    assert [one.key for one in oracle(passages, answers, 3)] == ["1", "3", "4"]
    assert [one.key for one in oracle(passages, answers, 2)] == ["3", "4"]
    assert len(oracle(passages, answers, 9)) == 5


def test_an_answer_within_a_word_is_not_held():
    passages = [passage("1", "hundred"), passage("2", "red")]
    assert [one.key for one in oracle(passages, [["red"]], 1)] == ["2"]


def test_gold_answers_of_every_kind_of_reference():
    assert gold_answers({"qa_pairs": [{"short_answers": ["The A", "B!"]}, {"short_answers": []}]}) \
        == [["b"]]  # fmt: skip
    assert gold_answers({"answers": [["One", "1"], ["Two"]]}) == [["one", "1"], ["two"]]
    assert gold_answers({"answer": "Paris"}) == [["paris"]]
    assert gold_answers({"answer": ["Paris", "Lutetia"]}) == [["paris", "lutetia"]]
    assert gold_answers({"claims": ["It is so."]}) == []
