"""Judgments of every format land on the right units, with values ready for agreement."""

from annotate.models import Judge, Judgment
from tests.cases import each
from tests.uploads.files import alce as as_alce
from tests.uploads.files import (
    evaluated,
    evaluation,
    item,
    judged,
    judgments,
    lines,
    rating,
    ratings,
    response,
    responses,
    sentence,
)
from tests.uploads.steps import State, check, load, loaded, problems

HUMAN, AUTOMATIC = "published human evaluation", "ALCE automatic (published)"


def answers(judge, dimension):
    rows = Judgment.objects.filter(judge__name=judge, dimension=dimension).order_by("unit")
    return dict(rows.values_list("unit__key", "value"))


def test_a_human_evaluation_lands_on_its_sentences_and_citations(study):
    loaded(study, evaluation(evaluated(1)), "h.json")
    assert answers(HUMAN, "citation_recall") == {"s1": "yes", "s2": "no", "s3": "no"}
    assert answers(AUTOMATIC, "citation_recall") == {"s1": "yes", "s2": "yes", "s3": "no"}
    assert answers(HUMAN, "citation_support") == {
        "s1.c1": "full",
        "s1.c2": "none",
        "s2.c1": "partial",
    }
    assert answers(AUTOMATIC, "citation_support") == {
        "s1.c1": "full",
        "s1.c2": "none",
        "s2.c1": "full",
    }
    kinds = dict(Judge.objects.values_list("name", "kind"))
    assert kinds == {HUMAN: "human", AUTOMATIC: "automatic"}


@each(
    ("words", "supports", "said"),
    [("Round [1].", (2, 2), "“s1.c2”"), ("Never said.", (), "sentence 1 is not found")],
)
def test_evaluated_text_that_is_not_in_the_output_is_named(study, words, supports, said):
    bad = evaluated(1, output="Round [1].", sentences=[sentence(words, 1, *supports)])
    bad |= {"automatic_recall_scores": [], "automatic_citation_precision_scores": []}
    upload = check(study, evaluation(bad), "h.json")
    assert upload.state == State.INVALID
    assert said in problems(upload)[0]


def test_the_long_form_finds_every_kind_of_unit(study):
    loaded(study, lines(response(1), response(1, run="7"), response(1, system="B")), "r.jsonl")
    rows = [
        judged(1, "r", "utility", "4"),
        judged(1, "s2", "citation_recall", "no", run="7"),
        judged(1, "s2.c1", "citation_support", "partial", system="B", score="0.25"),
    ]
    loaded(study, judgments(*rows), "j.csv")
    found = Judgment.objects.order_by("pk").values_list(
        "unit__response__system__name", "unit__response__run", "unit__key", "value", "score"
    )
    assert set(found) == {
        ("System A", "", "r", "4", None),
        ("System A", "7", "s2", "no", None),
        ("B", "", "s2.c1", "partial", 0.25),
    }


NOWHERE = [
    ({"system": "Nobody"}, "line 3, field system", "System A"),
    ({"question_id": "q9"}, "line 3, field question_id", "“q9”"),
    ({"run": "9"}, "line 3, field run", "run “9”"),
    ({"unit": "s9"}, "line 3, field unit", "r, s1, s2, s1.c1"),
]


@each(("change", "where", "says"), NOWHERE)
def test_a_unit_that_is_not_there_is_named(study, change, where, says):
    loaded(study, responses(1), "r.jsonl")
    rows = [
        judged(1, "s1", "citation_recall", "yes"),
        judged(1, "s2", "citation_recall", "no") | change,
    ]
    upload = check(study, judgments(*rows), "j.csv")
    assert upload.state == State.INVALID
    (problem,) = upload.findings["problems"]
    assert problem["where"] == where
    assert says in problem["text"]
    assert problem["advice"] or change == {"run": "9"}
    assert not Judgment.objects.exists()


def test_a_judge_is_of_one_kind_within_a_study(study):
    loaded(study, responses(1), "r.jsonl")
    loaded(study, judgments(judged(1, "s1", "citation_recall", "yes")), "j.csv")
    other = judged(1, "s2", "citation_recall", "yes", judge_kind="simulated")
    upload = check(study, judgments(other), "j.csv")
    assert upload.state == State.INVALID
    assert "found “simulated”" in problems(upload)[0]


@each("again", [False, True])
def test_a_judge_of_another_kind_that_comes_with_responses(make_study, again):
    """Also where the responses themselves are here already."""
    ais = make_study("short", preset="ais")
    loaded(ais, as_alce(item(1)), "a.json")
    if again:
        loaded(ais, ratings(rating(1, human_rating="", auto_ais="", nli_score="")), "r.csv")
    rows = judged(1, "r", "attributable", "yes", judge="AutoAIS (published)", system="a")
    loaded(ais, judgments(rows), "j.csv")
    content = ratings(rating(1, human_rating="", nli_score=""))
    upload = check(ais, content, "ratings.csv")
    assert upload.state == State.INVALID
    assert "expected “human”" in problems(upload)[0]
    upload = load(ais, content, "ratings.csv", keep_good=True)
    assert upload.result["left_out"] == 1
    assert Judgment.objects.count() == 1
