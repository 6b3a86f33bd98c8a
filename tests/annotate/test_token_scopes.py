"""What each scope of a token opens: every address of the programming interface, both ways."""

from itertools import product

import pytest
from django.test import Client

from annotate.authentication import new_token
from annotate.models import Scope
from tests.annotate.addresses import PAGES, ROUTES, address
from tests.annotate.test_access_matrix import arguments, people, put_back  # noqa: F401 - fixtures

WRITING = {
    "api-uploads-list": Scope.UPLOAD,
    **{f"api-uploads-{w}": Scope.UPLOAD for w in ("confirm", "again", "cancel", "discard")},
    "api-batches-list": Scope.RATE,
    "api-batches-open": Scope.RATE,
    "api-batches-close": Scope.RATE,
    "api-batches-draw": Scope.RATE,
    "api-corpora-list": Scope.UPLOAD,
    **{f"api-corpora-{w}": Scope.UPLOAD for w in ("cancel", "again")},
    "api-generations-list": Scope.RUN,
    "api-generations-preview": Scope.RUN,
    **{f"api-generations-{word}": Scope.RUN for word in ("pause", "resume", "cancel")},
    "api-runs-list": Scope.RUN,
    **{f"api-runs-{w}": Scope.RUN for w in ("start", "pause", "resume", "retry", "cancel")},
    **dict.fromkeys(("api-makings-list", "api-makings-cancel", "api-makings-retry"), Scope.RUN),
    "api-prompts": Scope.RUN,
    "api-improve": Scope.RUN,
    "api-juries": Scope.RUN,
    "api-report": Scope.RUN,
    **dict.fromkeys(
        (
            "api-desk-batches-next",
            "api-own-inquiries-detail",
            "api-batches-gold-judge",
            "api-batches-gold-write",
        ),
        Scope.RATE,
    ),
    **{f"api-tasks-{w}": Scope.RATE for w in ("answer", "flag", "ask", "finish", "return")},
    "api-report-links-list": Scope.RUN,
    **dict.fromkeys(
        (
            "api-dimensions",
            "api-studies-list",
            "api-studies-copy",
            "api-notes-of-response-list",
            "api-studies-archive",
            "api-studies-unarchive",
            "api-studies-leave",
            "api-invitations-list",
            "api-examples-list",
            "api-questions-list",
            "api-rater-standing",
            "api-dispute",
            "api-inquiries-detail",
            "api-webhooks-list",
            "api-connections-list",
            "api-webhooks-test",
            "api-deliveries-again",
            "api-deleted-back",
            "api-deleted-now",
        ),
        Scope.ADMIN,
    ),
}
ADDRESSES = [name for name in PAGES if name.startswith("api-") and name != "api-schema"]
OF_STUDIES = {name: "<slug:slug>" in route for name, route in ROUTES}


def refused(name, method):
    """What an owner gets who may not do it at all: there is nothing to be done so."""
    return PAGES[name].expected(method, "owner") == 405


def test_each_scope(people, arguments):  # noqa: F811
    keys = {one: new_token(people["owner"], "x", scopes=[one]) for one in Scope}
    for name, (scope, key) in product(ADDRESSES, keys.items()):
        row, headers = PAGES[name], {"authorization": f"Bearer {key}"}
        for method, data in (("get", {}), ("post", row.data)):
            needed = Scope.READ if method == "get" else WRITING.get(name, Scope.ADMIN)
            opens = scope in {needed, Scope.ADMIN}
            with put_back():
                answer = getattr(Client(), method)(address(name, arguments), data, headers=headers)
            expected = row.expected(method, "owner") if opens else 403
            assert answer.status_code == expected, f"{method} {name} with {scope}"


def test_every_address_that_writes_has_its_scope():
    assert {n for n in ADDRESSES if not refused(n, "post")} == set(WRITING)


def test_a_token_for_another_study_finds_nothing(
    people,  # noqa: F811
    arguments,  # noqa: F811
    elsewhere,
):
    elsewhere.memberships.create(user=people["owner"], role="owner")
    key = new_token(people["owner"], "x", study=elsewhere)
    headers = {"authorization": f"Bearer {key}"}
    for name, method in product(filter(OF_STUDIES.get, ADDRESSES), ("get", "post")):
        if not refused(name, method):
            answer = getattr(Client(), method)(address(name, arguments), headers=headers)
            assert answer.status_code == 404, f"{method} {name}"
            assert answer.json()["error"]["code"] == "not_found", f"{method} {name}"


@pytest.mark.parametrize("who", ["outsider", "rater"])
def test_a_token_opens_no_more_than_its_person(people, arguments, who):  # noqa: F811
    headers = {"authorization": f"Bearer {new_token(people[who], 'x')}"}
    for name in ADDRESSES:
        answer = Client().get(address(name, arguments), headers=headers)
        assert answer.status_code == PAGES[name].expected("get", who), name
