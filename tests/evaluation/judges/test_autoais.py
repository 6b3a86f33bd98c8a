from evaluation.entailment import Asker
from evaluation.judges import summarise
from evaluation.judges.autoais import AutoAIS
from tests.evaluation.judges.items import containment, item


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


def test_marks_are_no_part_of_the_answer():
    assert heard(item("Angel Falls [1]", ["one"]))[0][1].endswith("is 'Angel Falls'")


def judge(*items, score=0.5, **options):
    asker = Asker(Heard(score), **options)
    return [(v.unit, v.value, v.score, v.reason) for v in AutoAIS(asker).judge(items)]


def test_a_response_without_a_passage_is_not_judged():
    assert judge(item("Angel Falls")) == [("r", "", None, "no passage")]
    assert judge(item("Angel Falls [1]")) == [("r", "", None, "no passage")]


def test_a_response_that_cites_only_what_is_not_there_is_not_judged():
    scorer = Heard()
    one = item("Angel Falls [9][0].", ["one", "two", "three"])
    (verdict,) = AutoAIS(Asker(scorer)).judge([one])
    assert (verdict.value, verdict.reason) == ("", "no passage with a number that it cites")
    assert scorer.pairs == []


def test_what_is_not_there_is_left_out_beside_what_is():
    assert heard(item("A [9]. B [2].", ["one", "two"]))[0][0] == "two"


def test_marks_after_the_first_line_cite_too():
    """The answer is judged whole, so its source is that of the whole answer."""
    assert heard(item("Angel Falls.\nIt drops 979 m [2].", ["one", "two"]))[0][0] == "two"


def test_passages_that_a_file_hangs_on_statements():
    one = item("A [1]. B.", ["one", "two"], statements=[("A [1].", [2]), ("B.", [])])
    assert heard(one)[0][0] == "two"


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


def test_an_empty_output_is_not_judged():
    assert judge(item(" ", ["one"])) == [("r", "", None, "empty output")]


def test_the_threshold_decides():
    one = item("Angel Falls", ["one"])
    assert judge(one, score=0.5) == [("r", "yes", 0.5, "")]
    assert judge(one, score=0.49) == [("r", "no", 0.49, "")]
    assert judge(one, score=0.5, threshold=0.7) == [("r", "no", 0.5, "")]


def test_the_signature_names_scorer_threshold_and_variant():
    assert AutoAIS(containment()).signature == "autoais|containment:1|thr:0.5|variant:released|v:2"
    other = AutoAIS(containment(threshold=0.75), variant="paper").signature
    assert other == "autoais|containment:1|thr:0.75|variant:paper|v:2"
