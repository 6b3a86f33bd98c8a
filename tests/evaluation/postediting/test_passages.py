"""Candidate passages in the order of their scores."""

from dataclasses import replace

from annotate.formats.division import FIRST_LINE
from annotate.formats.records import GivenStatement
from annotate.segment import Division, Lines, Span
from evaluation.entailment import Asker
from evaluation.judges.autoais import AutoAIS
from evaluation.postediting.passages import ANOTHER, CITES, EMPTY, SAME, TOO_FEW, ByAutoAIS
from tests.evaluation.postediting.records import record


class ByDigits:
    """The probability is written in the premise."""

    threshold = 0.5
    fingerprint = "digits"

    def probabilities(self, pairs):
        self.hypotheses = {hypothesis for _, hypothesis in pairs}
        return [float(premise) for premise, _ in pairs]


LINES: tuple[Lines, ...] = ("all", "first", "flat")


def edit(*records, division=FIRST_LINE):
    scorer = ByDigits()
    return ByAutoAIS(AutoAIS(Asker(scorer)), division).edit(records), scorer


def test_the_best_passage_comes_first_and_is_number_one():
    (made,), scorer = edit(record("2,962 m", ("0.2", "0.9", "0.4")))
    assert [(p.n, p.text) for p in made.record.passages] == [(1, "0.9"), (2, "0.4"), (3, "0.2")]
    assert made.record.output == "2,962 m"
    assert made.outcome == ANOTHER
    assert scorer.hypotheses == {"The answer to the question 'How high?' is '2,962 m'"}


def test_of_equal_passages_the_earlier_stays_first():
    one = record("2,962 m", ("0.5", "0.5", "0.5"))
    one = replace(one, passages=tuple(replace(p, external_id=f"p{p.n}") for p in one.passages))
    (made,), _ = edit(one)
    assert [p.external_id for p in made.record.passages] == ["p1", "p2", "p3"]
    assert made.outcome == SAME


def test_spans_that_cite_by_number_keep_the_passages_where_they_are():
    one = record("2,962 m", ("0.2", "0.9"), citations=(Span(0, 7, (1,)),))
    (made,), _ = edit(one)
    assert made.record is one
    assert made.outcome == CITES


def test_marks_of_every_style_that_is_read_keep_the_passages_where_they_are():
    one = record("It is high [Source 1].", ("0.2", "0.9"))
    assert edit(one)[0][0].outcome == ANOTHER
    (made,), _ = edit(one, division=Division("all"))
    assert made.record is one
    assert made.outcome == CITES


def test_the_signature_says_how_outputs_are_divided():
    made = {ByAutoAIS(AutoAIS(Asker(ByDigits())), Division(lines)).signature for lines in LINES}
    assert len(made) == len(LINES)


def test_each_response_has_its_own_order():
    (first, second), _ = edit(
        record("a", ("0.1", "0.2")), record("b", ("0.3", "0.25"), question="Where?")
    )
    assert [p.text for p in first.record.passages] == ["0.2", "0.1"]
    assert [p.text for p in second.record.passages] == ["0.3", "0.25"]


def test_what_cannot_be_ordered_stays_and_says_why():
    given = record("a", ("0.1", "0.2"))
    given = replace(given, statements=(GivenStatement("a", given.passages[:1]),))
    cites = record("a [1]", ("0.1", "0.2"))
    made, _ = edit(cites, given, record("a", ("0.1",)), record(" ", ("0.1", "0.2")))
    assert [one.outcome for one in made] == [CITES, CITES, TOO_FEW, EMPTY]
    assert made[0].record is cites
