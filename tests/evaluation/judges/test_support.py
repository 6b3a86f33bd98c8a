"""The three waves: what is asked, in how many calls, and what follows."""

from evaluation.judges import support
from evaluation.judges.alce import Alce
from evaluation.judges.entailment import Asker
from tests.evaluation.judges.items import item

# Each passage holds some words; together they may hold a statement that none of them holds alone.
PASSAGES = ["red green", "blue", "red green blue", "nothing"]


class Counted:
    """Containment that keeps what it was asked, call by call."""

    threshold = 0.5
    fingerprint = "counted:1"

    def __init__(self):
        self.calls = []

    def probabilities(self, pairs):
        self.calls.append(sorted(pairs))
        return [
            float(set(hypothesis.strip(".").split()) <= set(premise.split()))
            for premise, hypothesis in pairs
        ]


def judged(*outputs, **options):
    scorer = Counted()
    asker = Asker(scorer)
    items = [item(output, PASSAGES, key=str(n)) for n, output in enumerate(outputs)]
    verdicts = Alce(asker, **options).judge(items)
    values = {(v.item, v.unit): v.value or v.reason for v in verdicts}
    return values, scorer, asker


def test_a_citation_is_needed_unless_it_fails_alone_and_the_others_do_without_it():
    values, _, _ = judged("red green blue [1][2].", "red green blue [3][4].", "blue [2][3].")
    assert values == {
        ("0", "s1"): "yes",
        ("0", "s1.c1"): "needed",
        ("0", "s1.c2"): "needed",
        ("1", "s1"): "yes",
        ("1", "s1.c1"): "needed",
        ("1", "s1.c2"): "not_needed",
        ("2", "s1"): "yes",
        ("2", "s1.c1"): "needed",
        ("2", "s1.c2"): "needed",
    }


def test_nothing_more_is_asked_than_needed():
    """Single citations of supported statements with several; the others only where one failed."""
    _, scorer, asker = judged(
        "red green blue [3].",  # one citation: nothing more to ask
        "orange [1][2].",  # not supported: nothing more to ask
        "red green blue [3][4].",  # both alone; without 4 is not asked again, it is 3 alone
        "blue [2][3].",  # both alone do: no third question
    )
    asked = {wave: count.asked for wave, count in asker.counts.items()}
    computed = {wave: count.computed for wave, count in asker.counts.items()}
    assert asked == {"joint": 4, "single": 4, "leave-one-out": 1}
    assert computed == {"joint": 4, "single": 3, "leave-one-out": 0}
    assert len(scorer.calls) == 2


def test_passages_are_joined_in_the_order_cited():
    _, scorer, _ = judged("red [2][1].")
    assert scorer.calls[0] == [("blue\nred green", "red.")]


def test_nothing_is_asked_about_a_statement_without_a_citation_or_with_one_out_of_range(subtests):
    for output in ["red.", "red [9].", "red [1][9].", "red [0]."]:
        with subtests.test(output=output):
            values, scorer, _ = judged(output)
            assert values["0", "s1"] == "no"
            assert scorer.calls == []


def test_a_given_statement_has_passages_for_the_citations_that_count_only():
    """Published human evaluations hang at most three passages on a sentence."""
    given = item(
        "blue [2][3][4][5].", PASSAGES, statements=[("blue [2][3][4][5].", (2, 3, 4))], key="g"
    )
    verdicts = Alce(Asker(Counted())).judge([given])
    assert [v.value or v.reason for v in verdicts] == [
        "yes",
        "needed",
        "needed",
        "not_needed",
        "beyond the citations that count",
    ]
    verdicts = Alce(Asker(Counted()), cap=None).judge([given])
    assert verdicts[0].value == "no"


def test_large_questions_are_asked_in_parts(monkeypatch):
    outputs = ["red green blue [1][2].", "red green blue [3][4].", "blue [2][3].", "red [4]."]
    whole, _, asked = judged(*outputs)
    monkeypatch.setattr(support, "MOST_CHARS", 12)
    parts, scorer, others = judged(*outputs)
    assert parts == whole
    assert [others.counts[w].computed for w in others.counts] == [
        asked.counts[w].computed for w in asked.counts
    ]
    assert len(scorer.calls) > 3
