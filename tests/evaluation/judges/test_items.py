import pytest

from evaluation.judges import JUDGES, VARIANTS, JudgeError, Verdict, load_judge, of_files
from evaluation.judges.items import ItemPassage
from tests.evaluation.judges.items import containment, item


def test_statements_know_their_passages():
    one = item("Rain [2]. Snow.", ["one", {"title": "Two", "text": "two"}])
    first, second = one.statements
    assert (first.key, first.text, first.marked) == ("s1", "Rain.", "Rain [2].")
    assert [(c.key, c.number, c.passage) for c in first.citations] == [
        ("s1.c1", 2, ItemPassage(2, "Two", "two"))
    ]
    assert second.citations == ()
    assert one.plain == "Rain. Snow."


def test_what_follows_a_new_line_is_part_of_the_answer_only():
    one = item("Rain.\nSnow [1].", ["one"])
    assert (one.answer, one.plain, len(one.statements)) == ("Rain.\nSnow [1].", "Rain.", 1)


def test_given_statements_bring_their_passages_in_the_order_of_their_marks():
    one = item("Rain [7][8].", ["one", "two"], statements=[("Rain [7][8].", (2,))], key="g")
    passages = [citation.passage for citation in one.statements[0].citations]
    assert passages == [ItemPassage(2, "", "two"), None]


def test_a_premise_names_the_title_where_there_is_one():
    assert ItemPassage(1, "Rain", "It falls.").premise == "Title: Rain\nIt falls."
    assert ItemPassage(1, "", "It falls.").premise == "It falls."


@pytest.mark.parametrize(
    "fields",
    [{}, {"value": "yes", "reason": "why"}, {"score": 0.5, "reason": "why"}],
)
def test_a_verdict_has_an_answer_or_a_reason(fields):
    with pytest.raises(ValueError, match="either a value or score"):
        Verdict("1", "r", "attributable", **fields)


def test_every_judge_takes_a_variant_and_signs():
    for name in of_files():
        options = {"level": "sentences"} if name == "aliice" else {}
        for variant in VARIANTS:
            judge = load_judge(name, asker=containment(), variant=variant, **options)
            assert judge.signature.startswith(f"{name}|")
            assert f"|variant:{variant}|" in judge.signature
            assert judge.signature.split("|")[-1].startswith("v:")


def test_what_cannot_be_made_says_so():
    with pytest.raises(JudgeError, match="no judge “magic”; expected one of autoais, alce"):
        load_judge("magic")
    with pytest.raises(JudgeError, match="“autoais” has no option “cap”; it has variant"):
        load_judge("autoais", asker=containment(), cap=3)
    with pytest.raises(JudgeError, match="“alce” needs an entailment scorer"):
        load_judge("alce")
    with pytest.raises(JudgeError, match="“aliice”: parser: expected one"):
        load_judge("aliice", asker=containment())


def test_who_asks_no_scorer():
    assert [name for name in of_files() if not JUDGES[name].asks] == ["quotes", "fluency"]
