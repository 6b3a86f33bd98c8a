from evaluation.judges import summarise
from evaluation.judges.autoais import AutoAIS
from evaluation.judges.entailment import Asker
from tests.evaluation.judges.items import item


class Heard:
    """Keeps the pairs; its answer is `score`."""

    threshold = 0.5
    fingerprint = "heard:1"

    def __init__(self, score=0.5):
        self.score = score
        self.pairs = []

    def probabilities(self, pairs):
        self.pairs += pairs
        return [self.score for _ in pairs]


def heard(one, **options):
    scorer = Heard()
    AutoAIS(Asker(scorer), **options).judge([one])
    return scorer.pairs


def test_the_hypothesis_names_question_and_answer():
    one = item("Angel Falls", ["It drops 979 m."], question="which fall is highest")
    expected = "The answer to the question 'which fall is highest' is 'Angel Falls'"
    assert heard(one) == [("It drops 979 m.", expected)]
    assert heard(one, variant="paper") == [("It drops 979 m.", f"{expected}.")]


def test_a_title_stands_before_the_text():
    one = item("979 m", [{"title": "Angel Falls", "text": "It drops 979 m."}])
    assert heard(one)[0][0] == "Title: Angel Falls\nIt drops 979 m."


def test_the_source_is_what_is_cited_else_all_passages():
    assert heard(item("A [2]. B [2][1].", ["one", "two", "three"]))[0][0] == "two\none"
    assert heard(item("A.", ["one", "two"]))[0][0] == "one\ntwo"


def judge(*items, score=0.5, **options):
    asker = Asker(Heard(score), **options)
    return [(v.unit, v.value, v.score, v.reason) for v in AutoAIS(asker).judge(items)]


def test_without_a_source_the_figure_counts_as_not_attributable():
    """As published: of two attributable answers, one without a passage, one that cites nothing
    that is there, and one empty output the share is 2 of 4."""
    items = [
        item("Angel Falls", ["one"], key="1"),
        item("Angel Falls", ["two"], key="2"),
        item("Angel Falls", key="3"),
        item("Angel Falls [7]", ["one"], key="4"),
        item("", ["one"], key="5"),
    ]
    found = summarise("autoais", items, AutoAIS(Asker(Heard())).judge(items), variant="released")
    assert [each["autoais"].value for each in found.per_item] == [1.0, 1.0, 0.0, 0.0, None]
    assert found.aggregate["autoais"].value == 0.5


def test_the_threshold_decides():
    one = item("Angel Falls", ["one"])
    assert judge(one, score=0.5) == [("r", "yes", 0.5, "")]
    assert judge(one, score=0.49) == [("r", "no", 0.49, "")]
    assert judge(one, score=0.5, threshold=0.7) == [("r", "no", 0.5, "")]
