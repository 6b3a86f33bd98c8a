"""The list of responses by answers that are no choice."""

import pytest
from django.urls import reverse

from annotate.models import Judge
from tests.annotate.loading import judgment, load_judgments
from tests.evaluation.rubric import EVERY, rubric_study
from tests.shared_rows import shared_rows

SAID = [
    ("q1", "r", "sure", "12.5"),
    ("q2", "r", "sure", "25"),
    ("q3", "r", "sure", "80"),
    ("q1", "r", "harms", "insult|private"),
    ("q2", "r", "harms", "-"),
    ("q3", "s1", "errors", "0-4:made_up:major"),
    ("q4", "s1", "errors", "-"),
    ("q4", "s1", "repair", "So it is."),
]


@shared_rows
def study(alice):
    study = rubric_study(alice, file=EVERY)
    rows = [judgment(unit, key, value, judge="ann", question_id=q) for q, unit, key, value in SAID]
    rows.append(
        judgment("r", "sure", "99", judge="model", judge_kind="automatic", question_id="q1")
    )
    load_judgments(study, rows)
    return study


@pytest.fixture
def found(study, alice, signed_in):
    client = signed_in(alice)

    def page(**query):
        if name := query.pop("by", ""):
            query["by"] = Judge.objects.get(name=name).pk
        shown = client.get(reverse("responses", args=["rubric"]), query)
        assert shown.status_code == 200
        assert not shown.context["form"].errors
        return " ".join(row.question.external_id for row in shown.context["page"].responses)

    return page


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({"label": "sure"}, "q1 q2 q3"),
        ({"label": "sure:0..25"}, "q1 q2"),
        ({"label": "sure:25..50"}, "q2"),
        ({"label": "sure:75..100"}, "q3"),
        ({"label": "sure:75..100", "by": "model"}, "q1"),
        ({"label": "harms:private"}, "q1"),
        ({"label": "harms:-"}, "q2"),
        ({"label": "harms:advice"}, ""),
        ({"label": "harms.insult:yes"}, "q1"),
        ({"label": "harms.insult:no"}, "q2"),
        ({"label": "harms.advice:yes"}, ""),
        ({"label": "errors.any:yes"}, "q3"),
        ({"label": "harms.insult:no", "by": "model"}, ""),
        ({"label": "errors:made_up"}, "q3"),
        ({"label": "errors:major"}, "q3"),
        ({"label": "errors:-"}, "q4"),
        ({"label": "repair"}, "q4"),
        ({"label": "harms:insult", "by": "model"}, ""),
        ({"label": "sure", "by": "model", "apart": "any"}, ""),
    ],
)
def test_responses_are_found_by_what_an_answer_names(found, query, wanted):
    assert found(**query) == wanted
