"""Whatever a program sends, it is told what is wrong in the shape of all errors."""

import json

import pytest
from django.urls import reverse

from evaluation.language_models.connections import save
from evaluation.models import Connection, Run
from tests.evaluation.runs.doing import planned

pytestmark = pytest.mark.django_db


def send(browser, content, name="api-runs-list", args=("peaks",)):
    return browser.post(reverse(name, args=args), content, content_type="application/json")


NONSENSE = {
    "threshold NaN": '{"judge": "alce", "threshold": NaN}',
    "threshold Infinity": '{"judge": "alce", "threshold": Infinity}',
    "threshold as text": '{"judge": "alce", "threshold": "NaN"}',
    "threshold as a list": '{"judge": "alce", "threshold": [1]}',
    "NaN in options": '{"judge": "alce", "options": {"window": NaN}}',
    "huge number in options": '{"judge": "alce", "options": {"window": 1e999}}',
    "NUL in an option": r'{"judge": "alce", "options": {"url": "http://a\u0000b/"}}',
    "NUL in an option's name": r'{"judge": "alce", "options": {"a\u0000b": 1}}',
    "NUL deep in options": r'{"judge": "alce", "options": {"url": [{"a": "\u0000"}]}}',
    "NUL in the model": r'{"judge": "alce", "model": "a\u0000b"}',
    "NUL in the parser": r'{"judge": "alce", "parser": "a\u0000b"}',
    "NUL in a system": r'{"judge": "alce", "systems": ["a\u0000b"]}',
    "half a character": r'{"judge": "alce", "options": {"url": "\ud800"}}',
    "half a character in the model": r'{"judge": "alce", "model": "\ud800"}',
    "half a character in the variant": r'{"judge": "alce", "variant": "\ud800"}',
    "half a character as the judge": r'{"judge": "\ud800"}',
    "half a character in a system": r'{"judge": "alce", "systems": ["\ud800"]}',
    "options as a list": '{"judge": "alce", "options": ["url"]}',
    "an unknown option": '{"judge": "alce", "scorer": "coverage", "options": {"windo": 3}}',
    "an option that is no such thing": '{"judge": "alce", "options": {"é✓": {}}}',
    "an option of another kind": '{"judge": "alce", "scorer": "http", "options": {"url": 3}}',
    "negative cap": '{"judge": "alce", "cap": -1}',
    "cap NaN": '{"judge": "alce", "cap": NaN}',
    "cap true": '{"judge": "alce", "cap": true}',
    "cap beyond all": '{"judge": "alce", "cap": 1' + "0" * 400 + "}",
    "batch beyond all": '{"judge": "alce", "batch": 1' + "0" * 40 + "}",
    "batch as text": '{"judge": "alce", "batch": "first"}',
    "an unknown variant": '{"judge": "alce", "variant": "é"}',
    "no judge": "{}",
    "a list": "[]",
    "a number": "3",
    "nothing": "null",
    "half of it": '{"judge": "alce"',
    "no JSON": "judge=alce",
}


def test_a_run_that_makes_no_sense_is_refused(browser, peaks):
    for name, content in NONSENSE.items():
        answer = send(browser, content)
        assert answer.status_code == 400, (name, answer.content)
        told = json.loads(answer.content, parse_constant=pytest.fail)
        assert set(told) == {"error"}, name
        assert set(told["error"]) == {"code", "message", "details"}, name
        assert told["error"]["code"] in {"invalid", "parse_error"}, name
        assert not Run.objects.exists(), name


def test_signs_of_any_script_are_accepted(browser, loaded):
    save(Connection(name="модель ✓", url="http://127.0.0.1:9/", everybody=True))
    settings = {"judge": "alce", "scorer": "http", "connection": "модель ✓"}
    answer = send(browser, json.dumps(settings | {"options": {"revision": "κρίση"}}))
    assert answer.status_code == 201
    assert answer.json()["settings"]["connection"] == "модель ✓"


@pytest.mark.parametrize("action", ["start", "pause", "resume", "retry", "cancel"])
def test_an_action_with_nonsense_breaks_nothing(browser, loaded, action):
    """What it does not understand it leaves alone, and takes nothing back."""
    run = planned(loaded)
    answer = send(browser, "{", f"api-runs-{action}", ["peaks", run.pk])
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "parse_error")
    run.refresh_from_db()
    assert run.state == Run.State.PLANNED
    for content in ("[]", "3", "null", '{"found": NaN}', '{"found": ["discard"]}'):
        Run.objects.filter(pk=run.pk).update(state=Run.State.PLANNED)
        answer = send(browser, content, f"api-runs-{action}", ["peaks", run.pk])
        assert answer.status_code in {200, 400, 409}, content
        told = json.loads(answer.content, parse_constant=pytest.fail)
        if answer.status_code != 200:
            assert set(told["error"]) == {"code", "message", "details"}, content
        run.refresh_from_db()
        assert not run.discards, content


def test_neither_does_a_form_take_it(browser, peaks):
    for field, value in (
        ("threshold", "NaN"),
        ("threshold", "inf"),
        ("cap", "-1"),
        ("cap", "²"),
        ("cap", "9" * 5000),
        ("model", "a\0b"),
        ("options", "url=a\0b"),
        ("options", "=3"),
        ("options", "windo=3"),
        ("batch", "99999999999999999999999999"),
        ("systems", "²"),
    ):
        form = {"judge": "alce", "scorer": "coverage", "variant": "released", field: value}
        answer = browser.post(reverse("run-new", args=["peaks"]), form)
        assert answer.status_code in {400, 422}, (field, value)
        assert not Run.objects.exists(), (field, value)
