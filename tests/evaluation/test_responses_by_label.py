"""The list of responses by what people and judges said: labels, scores, disagreements."""

import random
from collections import defaultdict
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.content.responses_by_label import WantedLabel, with_label
from annotate.models import Judgment, Response, System, Unit
from tests.annotate.loading import judgment, load, load_judgments, response
from tests.annotate.pages import visible
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.postgresql

LIST = reverse("responses", args=["peaks"])
AUTO = {"judge": "autoais|scorer:tiny", "judge_kind": "automatic"}


def said(question, value, *raters, dimension="citation_recall", unit="s1", **more):
    rows = [{"judge": name} for name in raters] or [more]
    return [judgment(unit, dimension, value, question_id=question, **row) for row in rows]


@shared_rows
def five(study):
    """Five answers of one statement: people say yes, yes (two of three), no (a tie), no, nothing;
    the judge no, yes, yes, no, nothing."""
    load(
        study,
        [response("High [1].", question=f"Number {n}?", question_id=f"q{n}") for n in range(1, 6)],
    )
    load_judgments(
        study,
        [
            *said("q1", "yes", "ann", "ben"),
            *said("q2", "yes", "ann", "ben"),
            *said("q2", "no", "cat"),
            *said("q3", "yes", "ann"),
            *said("q3", "no", "ben"),
            *said("q4", "no", "ann"),
            *said("q1", "no", score="0.2", **AUTO),
            *said("q2", "yes", score="0.6", **AUTO),
            *said("q3", "yes", score="0.9", **AUTO),
            *said("q4", "no", score="0.4", **AUTO),
        ],
    )
    return study


@pytest.fixture
def found(five, alice, signed_in):
    client = signed_in(alice)

    def page(**query):
        if name := query.pop("by", ""):
            query["by"] = five.judges.get(name=name).pk
        return client.get(LIST, query)

    return page


def ids(page):
    assert page.status_code == 200
    return [row.question.external_id for row in page.context["page"].responses]


AUTOAIS = AUTO["judge"]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({"label": "citation_recall:yes"}, "q1 q2"),
        ({"label": "citation_recall:no"}, "q3 q4"),
        ({"label": "citation_recall"}, "q1 q2 q3 q4"),
        ({"label": "utility"}, ""),
        ({"label": "citation_recall:yes", "by": AUTOAIS}, "q2 q3"),
        ({"by": AUTOAIS, "low": "0.4", "high": "0.6"}, "q2 q4"),
        ({"by": AUTOAIS, "low": "0.4", "label": "citation_recall:no"}, "q4"),
        ({"by": AUTOAIS, "apart": "any"}, "q1 q3"),
        ({"by": AUTOAIS, "apart": "people-yes"}, "q1"),
        ({"by": AUTOAIS, "apart": "people-no", "label": "citation_recall"}, "q3"),
        ({"by": AUTOAIS, "apart": "any", "low": "0.5"}, "q3"),
        ({"by": "cat"}, "q2"),
        ({"by": "cat", "apart": "any"}, "q2"),
        ({"by": "cat", "judged": "no"}, "q1 q3 q4 q5"),
        ({"judged": "yes"}, "q1 q2 q3 q4"),
        ({"judged": "no"}, "q5"),
        ({"judged": "no", "by": AUTOAIS, "label": "citation_recall"}, "q5"),
        ({"label": "citation_recall:yes", "q": "Number 2"}, "q2"),
    ],
)
def test_worked_filters(found, query, wanted):
    assert ids(found(**query)) == wanted.split()


def test_judges_of_citations_are_not_shown_of_systems_that_used_them(found):
    System.objects.update(uses_autoais=True)
    assert ids(found(by=AUTOAIS)) == []
    assert ids(found(label="citation_recall:yes")) == ["q1", "q2"]


def test_invalid_filters_of_responses_are_explained(found):
    for query, words in (
        ({"apart": "any"}, "Disagrees with people: Choose of whom you ask it"),
        ({"low": "0.5"}, "Score from: Choose of whom you ask it"),
        ({"low": "0.5", "judged": "no", "by": AUTOAIS}, "Score from: Units that were not judged"),
        ({"label": "citation_recall:no", "judged": "no"}, "Label: Units that were not judged"),
        ({"label": "taste:good"}, "Label: Select a valid choice"),
        ({"low": "2", "by": AUTOAIS}, "Score from: Ensure this value is less than or equal"),
    ):
        page = found(**query)
        assert words in visible(page.content.decode()), query
        assert len(ids(page)) == 5


def test_programs_ask_the_same(five, alice, signed_in):
    judge = five.judges.get(name=AUTOAIS)
    query = {"by": judge.pk, "apart": "people-yes"}
    found = signed_in(alice).get("/api/studies/peaks/responses/", query).json()
    assert [row["question_id"] for row in found["responses"]] == ["q1"]


# Against the plain way ---------------------------------------------------------------------------


def plainly(study, judge, item, apart):
    """The responses where a judge says otherwise than most people, by going through all units."""
    answers: Any = defaultdict(lambda: defaultdict(list))
    for one in Judgment.objects.counted().filter(judge__study=study).exclude(value=""):
        people = one.judge.kind == "simulated"
        answers[one.unit_id]["people" if people else one.judge.name].append(one.value)
    low_to_high = ["no", "none", "partial", "yes", "full"]

    def said(unit, who):
        given = answers[unit.pk][who]
        most = max((given.count(v) for v in given), default=0)
        return min(
            (v for v in given if given.count(v) == most), key=low_to_high.index, default=None
        )

    def precise(unit, who):
        recall, support = said(unit.parent, who), said(unit, who)
        if recall is None or support is None:
            return None
        return "yes" if recall == "yes" and support != "none" else "no"

    found = set()
    for unit in Unit.objects.filter(response__study=study).select_related("parent", "response"):
        if unit.kind != ("statement" if item == "citation_recall" else "citation"):
            continue
        of = said if item == "citation_recall" else precise
        label, own = of(unit, "people"), of(unit, judge)
        if None in (label, own) or label == own or unit.response.live is None:
            continue
        if apart == "any" or apart == {"yes": "people-yes", "no": "people-no"}[label]:
            found.add(unit.response_id)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_disagreements_are_those_of_the_plain_way(study, seed):
    draw = random.Random(seed)
    load(
        study,
        [
            response("Up [1]. Down [1].", question=f"Number {n}?", question_id=f"q{n}")
            for n in range(12)
        ],
    )
    rows = []
    for n in range(12):
        for who in ({"judge": "ann"}, {"judge": "ben"}, {"judge": "cat"}, AUTO):
            for text in ("s1", "s2"):
                if draw.random() < 0.8:
                    value = draw.choice(["yes", "no"])
                    rows += said(f"q{n}", value, unit=text, **who)
                if draw.random() < 0.8:
                    value = draw.choice(["full", "partial", "none"])
                    rows += said(
                        f"q{n}", value, unit=f"{text}.c1", dimension="citation_support", **who
                    )
    load_judgments(study, rows)
    Response.objects.filter(question__external_id="q0").update(live=None)
    study.judges.filter(name="cat").update(standing=draw.choice(["excluded", "active"]))
    judge = study.judges.get(name=AUTOAIS)
    listed = {*Response.objects.current().values_list("pk", flat=True)}
    for item in ("citation_recall", "citation_precision"):
        for apart in ("any", "people-yes", "people-no"):
            found = with_label(study, WantedLabel(judge, item, apart=apart))
            assert listed.intersection(found) == plainly(study, AUTOAIS, item, apart), (item, apart)


def test_however_much_was_said_the_statements_are_as_many(found, five):
    with CaptureQueriesContext(connection) as few:
        ids(found(by=AUTOAIS, apart="any"))
    names = [f"r{n}" for n in range(20)]
    rows = [row for n in range(1, 6) for row in said(f"q{n}", "no" if n % 2 else "yes", *names)]
    load_judgments(five, rows)
    with CaptureQueriesContext(connection) as many:
        ids(found(by=AUTOAIS, apart="any"))
    assert len(many) == len(few)
