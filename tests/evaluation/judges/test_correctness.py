import pytest

from evaluation.judges import summarise
from evaluation.judges.correctness import Correctness, long_answers, short_answers
from evaluation.judges.short_answers import exact_match, token_f1
from tests.evaluation.judges.items import containment, item


def figures(output, references, **options):
    one = item(output, references=references, **options)
    verdicts = Correctness(containment()).judge([one])
    assert {v.unit for v in verdicts} == {"r"}
    (found,) = summarise("correctness", [one], verdicts, variant="released").per_item
    return {key: figure.value for key, figure in found.items() if figure.value is not None}, found


def pairs(*aliases):
    return {"qa_pairs": [{"question": "?", "short_answers": list(each)} for each in aliases]}


def test_em_recall_is_the_share_of_pairs_with_an_alias_in_the_output():
    found, _ = figures("It was The Beatles [1], in 1964.", pairs(["Beatles"], ["1965", "1964"]))
    assert (found["em_recall"], found["em_hit"]) == (1.0, 1.0)
    found, _ = figures("It was the Beatles [1964].", pairs(["the beatles"], ["1964"]))
    assert (found["em_recall"], found["em_hit"]) == (0.5, 0.0)


def test_claim_recall_is_the_share_of_claims_that_the_output_entails():
    claims = {"claims": ["Rain falls", "Snow falls", "1 falls"]}
    found, _ = figures("Rain falls [1].", claims)
    assert found["claim_recall"] == pytest.approx(1 / 3)


def test_lists():
    """Two of three entities are right; they are two of six answers, and of five."""
    answers = {"answers": [["Nile", "the Nile"], ["Niger"], ["Congo"], ["Volta"], ["Po"], ["Ob"]]}
    found, _ = figures("The Nile [1], Rhine, niger.", answers, is_list=True)
    assert found["qampari_precision"] == pytest.approx(2 / 3)
    assert found["qampari_recall"] == pytest.approx(2 / 6)
    assert found["qampari_recall_5"] == pytest.approx(2 / 5)
    assert found["qampari_f1"] == pytest.approx(4 / 9)
    assert found["qampari_f1_5"] == pytest.approx(1 / 2)
    assert "exact_match" not in found
    assert "rouge_lsum" not in found


def test_short_answers_take_the_best_alias():
    """“new york” against “york new city”: two of two tokens, two of three: F1 4/5."""
    answers = {"answers": [["York New City", "Boston"]]}
    found, _ = figures("New York", answers)
    assert (found["exact_match"], found["token_f1"]) == (0.0, pytest.approx(0.8))
    assert figures("the boston.", answers)[0]["exact_match"] == 1.0


def test_answers_without_a_token():
    assert exact_match("The", ["a"]) == token_f1("The", ["a"]) == 1.0
    assert token_f1("The", ["Nile"]) == 0.0


@pytest.mark.parametrize(
    ("references", "short", "long"),
    [
        ({"answers": [["a", "b"], ["c"]], "answer": "x"}, ["a", "b", "c"], ["x"]),
        ({"answer": ["a", "b"]}, ["a", "b"], []),
        ({"answer": "Nile"}, ["Nile"], ["Nile"]),
        ({"answer": "x", "claims": ["y"]}, [], ["x"]),
        ({"answer": "x", **pairs(["y"])}, [], ["x"]),
        ({"annotations": [{"long_answer": t} for t in "xyz"], "answer": "w"}, [], ["x", "y"]),
        ({}, [], []),
    ],
)
def test_which_references_are_short_and_which_are_long(references, short, long):
    assert short_answers(references) == short
    assert long_answers(references) == long


def test_missing_references_are_given_as_reasons():
    _, found = figures("Rain.", {"answer": "Rain.", "claims": ["Rain"]})
    reasons = {key: figure.reason for key, figure in found.items() if figure.reason}
    assert reasons["em_recall"] == "no reference: no question-answer pairs"
    assert reasons["exact_match"] == "no reference: no short answers"
    assert reasons["qampari_f1"] == "not a list answer"
    _, found = figures("Rain.", {}, is_list=True)
    assert found["qampari_f1"].reason == "no reference: no list of answers"
    assert found["exact_match"].reason == "a list answer"
    assert found["claim_recall"].reason == "no reference: no claims"
    _, found = figures("Rain.", {})
    assert found["rouge_lsum"].reason == "no reference: no long answer"


def test_a_system_is_the_mean_over_responses_with_a_reference():
    items = [
        item("Rain.", references=pairs(["rain"]), key="1"),
        item("Snow falls now.", references=pairs(["rain"]), key="2"),
        item("Fog is.", key="3"),
    ]
    verdicts = Correctness(containment()).judge(items)
    found = summarise("correctness", items, verdicts, variant="released")
    assert found.aggregate["em_recall"].value == 0.5
    assert found.aggregate["length"].value == 2.0
    assert found.judged("em_recall") == 2
