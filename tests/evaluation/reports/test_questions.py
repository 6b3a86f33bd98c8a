"""What signatures say of the question that a number is about."""

from dataclasses import replace

from annotate.protocol.protocol import Protocol
from annotate.protocol.shipped import SHIPPED
from annotate.protocol.study import StudyProtocol
from annotate.protocol.written import read
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.items import items_of
from evaluation.reports.questions import question_signature
from tests.evaluation.reports.studies import study
from tests.evaluation.rubric import EVERY

FILE = read(EVERY.read_text(encoding="utf-8"))
OWN = StudyProtocol(list(FILE.protocol), FILE.protocol.values(), [])


def signed(item, protocol=OWN, **settings):
    record = study(protocol=protocol, dimensions=tuple(protocol), **settings).study
    return question_signature(record, items_of(protocol)[item])


def test_of_the_papers_nothing_is_said(subtests):
    for item in ["utility", "citation_recall", "citation_precision", "pf_utility"]:
        with subtests.test(item=item):
            assert signed(item, SHIPPED) == ""


def test_other_shipped_ones_name_file_and_version(subtests):
    for item, said in [
        ("trec_support", "protocol:trec:1|dimension:trec_support:1"),
        ("trec_recall", "protocol:trec:1|dimension:trec_support:1"),
        ("citation_rating", "protocol:citeeval:2|dimension:citation_rating:1"),
        ("better_answer", "protocol:pairwise:1|dimension:better_answer:1"),
    ]:
        with subtests.test(item=item, said=said):
            assert signed(item, SHIPPED) == said


def test_one_of_the_studys_own_names_the_file_that_it_came_with():
    assert signed("sure") == "dimension:sure:1"
    assert signed("sure", files=("tone 3",)) == "protocol:tone:3|dimension:sure:1"
    assert signed("harms.advice", files=("a 1", "b 2")) == "protocol:a:1,b:2|dimension:harms:1"


def test_versions_that_are_counted_together():
    several = (("sure", 1, 7), ("sure", 2, 4), ("worst", 1, 3))
    assert signed("sure", versions=several) == "dimension:sure:1+2"


def test_another_formula_makes_another_signature():
    made = FILE.protocol.derived["dangerous"]
    formulas = ("harms is advice and worst is grave", "harms is advice or worst is grave")
    one, other = (
        signed("dangerous", Protocol(FILE.protocol.values(), [replace(made, formula=formula)]))
        for formula in formulas
    )
    assert one != other
    assert one.startswith("dimension:harms:1,worst:1|formula:")


def test_a_reports_numbers_say_it():
    votes = {"worst": {"A/q1:r": "mild grave", "B/q2:r": "mild mild"}}
    data = study(votes=votes, protocol=OWN, dimensions=tuple(OWN), files=("tone 3",))
    report = build(data, Filters(resamples=20))
    cell = report["systems"]["rows"][0]["people"]["worst"]
    told = "|protocol:tone:3|dimension:worst:1|"
    assert told in cell["signature"]
    assert told in report["people"][0]["alpha"]["signature"]
