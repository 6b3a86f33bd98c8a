"""The report for programs: waited for, then the same JSON as everywhere."""

import pytest
from django.urls import reverse

from annotate.work import jobs
from evaluation.models import Report
from tests.evaluation.made_up import build_it

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(peaks):
    return f"{reverse('api-report', args=['peaks'])}?resamples=20"


def test_from_the_first_question_to_the_report(browser, address):
    jobs.arrive("celery@one", ["default"])
    answer = browser.get(address)
    assert answer.status_code == 202
    assert answer.json() == {
        "state": "queued",
        "phase": "",
        "progress": 0,
        "workers": ["celery@one"],
        "older_report": False,
    }
    report = build_it(Report.objects.get().pk)
    answer = browser.get(address)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json; charset=utf-8"
    assert answer.content.decode() == report.body


def test_a_failure_is_an_error(browser, address):
    browser.get(address)
    Report.objects.update(state="failed", error="Out of memory.")
    answer = browser.get(address)
    assert answer.status_code == 409
    error = answer.json()["error"]
    assert error["code"] == "refused"
    assert error["message"].startswith("Out of memory. A POST")
