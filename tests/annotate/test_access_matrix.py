"""Who may open what: every address, for everybody, reading and writing.

An address that is in no row of `addresses.py` fails the first test.
"""

import copy
import re
from contextlib import contextmanager
from itertools import product
from urllib.parse import unquote

import pytest
from django.core.cache import caches
from django.db import transaction
from django.test import Client
from django.urls import reverse

from annotate.authentication import new_token
from annotate.exchange.deletion import delete_batch
from annotate.models import (
    Batch,
    Invitation,
    Judgment,
    Membership,
    Role,
    System,
    Unit,
    Upload,
)
from annotate.people import members
from annotate.rating.batches import create_batch
from annotate.studies.wordings import save_dimension
from tests.annotate.address_rows import API_POST, AT_THE_DESK, POST_ONLY, WHO
from tests.annotate.addresses import (
    CHANGES_NOTHING_BY_POST,
    OBJECTS,
    PAGES,
    PUBLIC,
    ROUTES,
    STAGES,
    a_comparison,
    a_generation,
    a_link,
    a_making,
    a_number,
    a_report,
    a_run,
    address,
    an_example,
    desk_objects,
    output_line,
)
from tests.annotate.loading import check, load_questions
from tests.annotate.test_wordings import FLUENCY
from tests.evaluation.corpora import lost_corpus
from tests.shared_rows import shared_rows
from tests.webhooks.receiver import a_webhook

TOKEN = re.compile(r"[A-Za-z0-9]{64}")
"""Of a form: by chance one says “Bob”."""

GROUPS = 8
"""The objects that addresses name cost more than what is asked of one address: groups of addresses
share them."""


def test_every_address_is_in_the_table():
    assert all(name for name, _ in ROUTES), "every address needs a name"
    assert {name for name, _ in ROUTES} == set(PAGES)


def test_only_these_pages_are_public():
    open_to_all = {
        name for name in PAGES if PAGES[name].expected("get", "anonymous") not in {302, 401, 405}
    }
    assert open_to_all == PUBLIC - {"start"}


@shared_rows
def people(peaks, alice, bob, vera, rita, oscar):
    members.join(members.invite(peaks, role=Role.VIEWER, author=alice), vera)
    return dict(zip(WHO[1:-1], (oscar, rita, vera, bob, alice), strict=True))


@shared_rows
def arguments(peaks, people):
    """The objects that addresses name, by the name of their argument."""
    invitation = members.invite(peaks, role=Role.RATER, author=people["owner"])
    load_questions(peaks, "How high is the Watzmann?")
    waiting = check(peaks, "more.jsonl", output_line("The Zugspitze is high [1].", "Umber"))
    return {
        "slug": "peaks",
        "system_id": System.objects.get(study=peaks, name="Vermilion").pk,
        "response_id": peaks.responses.first().pk,
        "upload_id": waiting.pk,
        "invitation_id": invitation.pk,
        "membership_id": Membership.objects.get(study=peaks, role=Role.RATER).pk,
        "unit_id": Unit.objects.get(response=peaks.responses.first(), key="s1").pk,
        "dimension": "citation_recall",
        "example_id": an_example(peaks).pk,
        "removal_id": delete_batch(create_batch(peaks, name="Deleted")).pk,
        **desk_objects(peaks, people["rater"]),
        "judge_id": peaks.judges.get(kind="simulated").pk,
        "question_id": peaks.questions.first().pk,
        "page": "desk",
        "name": "direct",
        "version": 1,
        "automatic_id": peaks.judges.get(kind="automatic").pk,
        "token_id": 1,
        "session_id": 1,
        "provider_id": "issuer.example",
        "uidb36": "1",
        "key": "made-up",
        "pk": 1,
        "connection_id": people["owner"].connections.create(name="own", url="https://x.org/").pk,
        "run_id": a_run(peaks).pk,
        "making_id": a_making(peaks).pk,
        "note_id": peaks.responses.first().notes.create(text="High.", author=people["owner"]).pk,
        "maker": "claims",
        "generation_id": a_generation(peaks).pk,
        "report_id": a_report(peaks).pk,
        "comparison_id": a_comparison(peaks, people["owner"]).pk,
        "corpus_id": lost_corpus(peaks).pk,
        **a_link(peaks, people["owner"]),
        **a_webhook(peaks),
        "code": members.invitation_code(invitation),
        "form": "csv",
        "own": save_dimension(peaks, FLUENCY).key,
        "number": a_number(peaks),
        "what": "flags",
    }


def browser(people, who):
    client = Client()
    if who in people:
        client.force_login(people[who])
    return client


@pytest.mark.parametrize("first", range(GROUPS))
def test_the_matrix(people, arguments, first):
    """Everybody finds every address as the one before did; one that answers otherwise hides none
    of those that come after it."""
    faults = []
    at_the_door = {who: came_in(people, arguments, who) for who in WHO}
    for name, who in product(list(PAGES)[first::GROUPS], WHO):
        with put_back():
            try:
                tries(arguments, name, who, again(at_the_door[who]))
            except AssertionError as fault:
                faults.append(f"{name}, {who}: {fault}")
    assert faults == [], "\n".join(faults)


@contextmanager
def put_back():
    """What was done is undone: the objects are made once for many addresses or people."""
    before = transaction.savepoint()
    yield
    transaction.savepoint_rollback(before)
    caches["process"].clear()


def came_in(people, arguments, who):
    """Whose session is made once for many addresses, too."""
    client = browser(people, who)
    if who == "link":
        assert client.get(address("shared-report", arguments)).status_code == 200
    return client


def again(client):
    """The same browser, as it was before anything was asked for with it."""
    fresh = Client()
    fresh.cookies.update(copy.deepcopy(client.cookies))
    return fresh


def tries(arguments, name, who, client):
    path, row = address(name, arguments), PAGES[name]
    for method, data in (("get", {}), ("post", row.data)):
        answer = getattr(client, method)(path, data)
        if answer.streaming:
            assert b"".join(answer.streaming_content)
        assert answer.status_code == row.expected(method, who), (who, method)
        if not answer.streaming and b'<nav class="tabs' in answer.content:
            assert b'aria-current="page"' in answer.content, "no tab is marked"
        if (
            answer.status_code == 302
            and who in {"anonymous", "link"}
            and name not in PUBLIC | STAGES | {"account_logout"}
        ):
            back = reverse("task", args=["peaks", arguments["assignment_id"]])
            after = back if row.get == "405" else path
            assert unquote(answer.url) == f"{reverse('account_login')}?next={after}"
        if answer.status_code in {401, 403, 404} and path.startswith("/api/"):
            assert set(answer.json()["error"]) == {"code", "message", "details"}


def test_a_form_needs_its_token(people, arguments):
    client = Client(enforce_csrf_checks=True)
    client.force_login(people["owner"])
    before = state()
    for name, row in PAGES.items():
        if name not in CHANGES_NOTHING_BY_POST and "api" not in name:
            answer = client.post(address(name, arguments), row.data)
            assert answer.status_code == 403, name
            assert state() == before, name


WRITING = [
    n for n, row in PAGES.items() if n.startswith("api-") and row.expected("post", "owner") != 405
]


def test_a_session_alone_does_not_write_through_the_api(people, arguments):
    client = Client(enforce_csrf_checks=True)
    client.force_login(people["owner"])
    before = state()
    for name in WRITING:
        answer = client.post(address(name, arguments))
        assert answer.status_code == 403, name
        assert answer.json()["error"]["code"] == "permission_denied", name
        assert state() == before, name


def state():
    """What the writing addresses would change."""
    return (
        list(Membership.objects.order_by("pk").values_list("pk", "role")),
        list(Invitation.objects.order_by("pk").values_list("pk", "revoked_at")),
        list(Upload.objects.order_by("pk").values_list("pk", "state")),
        list(System.objects.order_by("pk").values_list("pk", "name")),
        list(Batch.objects.order_by("pk").values_list("pk", "name", "state")),
    )


def test_reading_never_changes(people, arguments):
    before = state()
    client = browser(people, "owner")
    for name in [name for name, row in PAGES.items() if row.get == POST_ONLY]:
        assert client.get(address(name, arguments)).status_code == 405, name
        assert state() == before, name


WRITES = {POST_ONLY, AT_THE_DESK.get, API_POST}
NAMES_AN_OBJECT = [name for name, route in ROUTES if any(f"{key}>" in route for key in OBJECTS)]


def test_an_object_of_another_study_is_not_found_under_ones_own(people, arguments, elsewhere):
    invitation = members.invite(elsewhere, role=Role.RATER, author=people["outsider"])
    theirs = {
        "unit_id": Unit.objects.get(response=elsewhere.responses.first(), key="s1").pk,
        "example_id": an_example(elsewhere).pk,
        "system_id": elsewhere.systems.get(name="Vermilion").pk,
        "response_id": elsewhere.responses.first().pk,
        "upload_id": elsewhere.uploads.first().pk,
        "invitation_id": invitation.pk,
        "membership_id": elsewhere.memberships.get().pk,
        "judge_id": elsewhere.judges.get(kind="simulated").pk,
        "question_id": elsewhere.questions.first().pk,
        "page": "desk",
        "name": "direct",
        "version": 1,
        "automatic_id": elsewhere.judges.get(kind="automatic").pk,
        "making_id": a_making(elsewhere).pk,
        "note_id": elsewhere.responses.first().notes.create(text="High.").pk,
        "report_id": a_report(elsewhere).pk,
        "comparison_id": a_comparison(elsewhere, people["outsider"]).pk,
        "corpus_id": lost_corpus(elsewhere).pk,
        **a_link(elsewhere, people["outsider"]),
        **a_webhook(elsewhere),
        "removal_id": delete_batch(create_batch(elsewhere, name="Deleted")).pk,
        **desk_objects(elsewhere, people["outsider"]),
    }
    client = browser(people, "owner")
    before = state()
    for name in NAMES_AN_OBJECT:
        path = address(name, {**arguments, **theirs})
        write = PAGES[name].get in WRITES
        answers = [client.post(path, PAGES[name].data)]
        if not write:
            answers.append(client.get(path))
        for answer in answers:
            fitting = {404} if write or "api" not in name else {404, 405}
            assert answer.status_code in fitting, name
        assert answers[-1].status_code == 404, name
        assert state() == before, name


def test_an_object_that_never_was_is_not_found(people, arguments):
    client = browser(people, "owner")
    for name, number in product(NAMES_AN_OBJECT, (10**9, 2**63)):
        path = address(name, {**arguments, **dict.fromkeys(OBJECTS, number)})
        write = PAGES[name].get in WRITES
        answer = client.post(path, PAGES[name].data) if write else client.get(path)
        assert answer.status_code == 404, (name, number)


def test_an_outsider_cannot_tell_a_study_from_none(people, peaks):
    client = browser(people, "outsider")
    real, none = (client.get(reverse("study", args=[slug])) for slug in ("peaks", "no-such"))
    assert (real.status_code, none.status_code) == (404, 404)
    assert TOKEN.sub("", real.content.decode()) == TOKEN.sub("", none.content.decode())


def test_a_removed_member_is_out_at_once(people, peaks):
    client = browser(people, "researcher")
    assert client.get(reverse("responses", args=["peaks"])).status_code == 200
    members.remove_member(Membership.objects.get(study=peaks, user=people["researcher"]))
    assert client.get(reverse("responses", args=["peaks"])).status_code == 404


def test_a_deactivated_account_is_out_at_once(people, peaks):
    client = browser(people, "owner")
    people["owner"].is_active = False
    people["owner"].save()
    answer = client.get(reverse("study", args=["peaks"]))
    assert answer.status_code == 302
    assert answer.url.startswith(reverse("account_login"))


WHY = "Since the judge thinks so"
LIVE = {"HTTP_HX_REQUEST": "true"}


def said_to(people, arguments, who, methods=("get", "post"), **head):
    """All that somebody is answered by any door: by pages, live parts of them, or the API."""
    is_program = "HTTP_AUTHORIZATION" in head
    client = Client() if is_program else browser(people, who)
    for name, method in product(PAGES, methods):
        row = PAGES[name]
        if name.startswith("shared-") or row.expected(method, who) >= 400:
            continue
        if head and is_program != name.startswith("api-"):
            continue
        data = row.data if method == "post" else {}
        with put_back():
            answer = getattr(again(client), method)(address(name, arguments), data, **head)
            said = b"".join(answer.streaming_content) if answer.streaming else answer.content
        yield f"{method} {name}", said.decode("utf-8", "replace")


def test_why_a_judge_says_so_reaches_no_rater(people, arguments, peaks):
    """By no page, no live part of one, and nothing of the interface for programs, with whichever
    scopes; files that a rater may have are among them."""
    said = Judgment.objects.filter(unit__response__study=peaks, judge__kind="automatic")
    assert said.update(note=WHY)
    arguments = arguments | {"response_id": said.earliest("pk").unit.response_id}
    token = {"HTTP_AUTHORIZATION": f"Bearer {new_token(people['rater'], 'all')}"}
    doors = [
        door for head in ({}, LIVE, token) for door in said_to(people, arguments, "rater", **head)
    ]
    assert {"get task", "post account", "get api-tasks-detail"} <= {name for name, _ in doors}
    assert [name for name, text in doors if WHY in text] == []
    seen = said_to(people, arguments, "researcher", ["get"])
    told = {name for name, text in seen if WHY in text}
    assert "get response" in told
    assert not {name for name in told if "dispute" in name}
