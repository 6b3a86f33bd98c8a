"""Who may open what: every address, for everybody, reading and writing.

A row gives the status for an anonymous visitor, an outsider, a rater, a researcher and the owner.
An address that is in no row fails the first test.
"""

import json
import re
from dataclasses import dataclass, field

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotate.models import (
    Assignment,
    Batch,
    BatchItem,
    Enrolment,
    Invitation,
    Judge,
    Membership,
    Participant,
    Role,
    System,
    Unit,
    Upload,
    User,
)
from annotate.services.examples import add_example
from annotate.services.judgments import judge_of
from annotate.services.people import members
from annotate.services.people.crowd import batch_code
from annotate.services.rating.assignments import next_task
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Report, ReportChart, Run
from evaluation.reports.numbers import dumps
from evaluation.running.runs import create as create_run
from tests.annotate.loading import SKY, check, response
from tests.annotate.pages import reachable
from tests.evaluation.reports.sample import sample

WHO = ("anonymous", "outsider", "rater", "researcher", "owner")


@dataclass(frozen=True)
class Row:
    """What GET and POST answer; one word stands for all five."""

    get: str
    post: str = ""
    data: dict = field(default_factory=dict)

    def expected(self, method, who):
        words = (self.post if method == "post" and self.post else self.get).split()
        return int(words[0] if len(words) == 1 else words[WHO.index(who)])


MEMBERS = "302 404 200 200 200"
RESEARCHERS = "302 404 403 200 200"
ACTION = "302 404 403 302 302"
POST_ONLY = "302 405 405 405 405"
AT_THE_DESK = Row("405", "302 404 302 404 404")
API_READ = Row("401 404 403 200 200", "401 405 405 405 405")

PAGES = {
    "start": Row("302"),
    "healthz": Row("200", "405"),
    "formats": Row("200"),
    "response-schema": Row("200"),
    "sign-in": Row("200 302 302 302 302"),
    "sign-out": Row("405", "302"),
    "sign-up": Row("404"),
    "join": Row("200", "200 302 302 302 302"),
    "studies": Row("302 200 200 200 200"),
    "study-new": Row("302 200 403 200 200"),
    "account": Row("302 200 200 200 200"),
    "password": Row(POST_ONLY, "302 422 422 422 422"),
    "token-new": Row(POST_ONLY, "302 200 200 200 200", {"label": "script"}),
    "token-delete": Row(POST_ONLY, "302 404 404 404 404"),
    "study": Row(MEMBERS),
    "study-progress": Row(RESEARCHERS),
    "study-settings": Row(RESEARCHERS),
    "study-delete": Row("302 404 403 403 200", "302 404 403 403 302", {"slug": "peaks"}),
    "guidelines": Row(MEMBERS),
    "guidelines-edit": Row(RESEARCHERS, ACTION, {"text": "Read slowly."}),
    "systems": Row(RESEARCHERS),
    "system": Row(RESEARCHERS, ACTION, {"name": "Carmine"}),
    "responses": Row(RESEARCHERS),
    "response": Row(RESEARCHERS),
    "response-claims": Row(RESEARCHERS),
    "batches": Row(RESEARCHERS),
    "batch-new": Row(RESEARCHERS, "302 404 403 422 422", {"name": "Second"}),
    "batch-preview-counts": Row(POST_ONLY, "302 404 403 200 200"),
    "batch": Row(RESEARCHERS),
    "batch-edit": Row(
        RESEARCHERS,
        ACTION,
        {
            "name": "Other",
            "raters_per_item": "2",
            "lease_minutes": "5",
            "audience": "members",
            "gold_percent": "10",
            "gold_mark": "0",
            "gold_least": "5",
        },
    ),
    "batch-open": Row(POST_ONLY, ACTION),
    "batch-close": Row(POST_ONLY, ACTION),
    "batch-delete": Row(POST_ONLY, ACTION),
    "disputes": Row(RESEARCHERS),
    "dispute": Row(RESEARCHERS, ACTION, {"value": "yes"}),
    "examples": Row(RESEARCHERS),
    "example-new": Row(ACTION),
    "example-edit": Row(RESEARCHERS, ACTION, {"value": "no", "explanation": "It does not say."}),
    "example-delete": Row(POST_ONLY, ACTION),
    "uploads": Row(RESEARCHERS, "302 404 403 422 422", {"mode": "auto"}),
    "upload": Row(RESEARCHERS),
    "upload-status": Row(RESEARCHERS),
    "upload-again": Row(POST_ONLY, ACTION),
    "upload-confirm": Row(POST_ONLY, ACTION),
    "upload-cancel": Row(POST_ONLY, ACTION),
    "upload-discard": Row(POST_ONLY, ACTION),
    "members": Row(RESEARCHERS),
    "invite": Row(POST_ONLY, ACTION, {"role": "rater", "days": "3"}),
    "invitation-revoke": Row(POST_ONLY, ACTION),
    "member-role": Row(POST_ONLY, "302 404 403 403 302", {"role": "researcher"}),
    "member-remove": Row(POST_ONLY, "302 404 403 403 302"),
    "leave": Row(POST_ONLY, "302 404 302 302 302"),
    "data": Row(RESEARCHERS),
    "download-outputs": Row(RESEARCHERS),
    "download-judgments": Row(RESEARCHERS),
    "download-evidence": Row(RESEARCHERS),
    "download-flags": Row(RESEARCHERS),
    "labels": Row(RESEARCHERS),
    "download-labels": Row(RESEARCHERS),
    "exchange": Row(RESEARCHERS),
    "download-exchange": Row(RESEARCHERS),
    "scorers": Row(RESEARCHERS),
    "runs": Row(RESEARCHERS),
    "runs-now": Row("302 404 403 302 302"),
    "run-new": Row(RESEARCHERS, "302 404 403 422 422", {"judge": "nobody"}),
    "run": Row(RESEARCHERS),
    "run-start": Row(POST_ONLY, ACTION),
    "run-pause": Row(POST_ONLY, ACTION),
    "run-resume": Row(POST_ONLY, ACTION),
    "run-retry": Row(POST_ONLY, ACTION),
    "run-cancel": Row(POST_ONLY, ACTION),
    "run-remove": Row(POST_ONLY, ACTION),
    "report": Row(RESEARCHERS),
    "report-now": Row("302 404 403 302 302"),
    "report-again": Row(POST_ONLY, ACTION),
    "report-download": Row(RESEARCHERS),
    "report-table": Row(RESEARCHERS),
    "report-chart": Row(RESEARCHERS),
    "raters": Row(RESEARCHERS),
    "rater": Row(RESEARCHERS),
    "batch-monitor": Row(RESEARCHERS),
    "batch-agreement": Row(RESEARCHERS),
    "batch-gold": Row(RESEARCHERS),
    "gold-judge": Row(POST_ONLY, ACTION),
    "gold-write": Row(POST_ONLY, ACTION),
    "participants": Row(RESEARCHERS),
    "participant-return": Row(POST_ONLY, ACTION),
    "rater-standing": Row(POST_ONLY, ACTION, {"standing": "paused", "reason": "To look at it."}),
    "practice-begin": Row(POST_ONLY, "302 404 302 302 302"),
    "task-feedback": Row("302 404 404 404 404"),
    "desk": Row(MEMBERS),
    "desk-next": Row(POST_ONLY, "302 404 302 302 302"),
    "task": Row("302 404 200 404 404"),
    "task-answer": AT_THE_DESK,
    "task-flag": AT_THE_DESK,
    "task-evidence": AT_THE_DESK,
    "task-alive": Row("405", "302 404 200 404 404"),
    "task-finish": AT_THE_DESK,
    "task-give-back": Row(POST_ONLY, "302 404 302 404 404"),
    "batch-preview": Row(RESEARCHERS),
    "crowd": Row("200", "422 200 200 200 200"),
    "crowd-done": Row("302 404 404 404 404"),
    "crowd-leave": Row(POST_ONLY, "302 404 404 404 404"),
    "api-studies": Row("401 200 200 200 200", "401 405 405 405 405"),
    "api-study": Row("401 404 200 200 200", "401 405 405 405 405"),
    "api-systems": API_READ,
    "api-responses": API_READ,
    "api-response": API_READ,
    "api-outputs": API_READ,
    "api-judgments": API_READ,
    "api-uploads": Row("401 404 403 200 200", "401 404 403 400 400"),
    "api-upload": API_READ,
    "api-upload-action": Row("401 405 405 405 405", "401 404 403 200 200"),
    "api-batches": Row("401 404 403 200 200", "401 404 403 415 415"),
    "api-batch": API_READ,
    "api-batch-action": Row("401 405 405 405 405", "401 404 403 200 200"),
    "api-runs": Row("401 404 403 200 200", "401 404 403 415 415"),
    "api-run": API_READ,
    "api-report": Row("401 404 403 202 202", "401 404 403 202 202"),
    "api-run-action": Row("401 405 405 405 405", "401 404 403 200 200"),
}
PUBLIC = {"start", "healthz", "formats", "response-schema", "sign-in", "sign-up", "join", "crowd"}
CHANGES_NOTHING_BY_POST = {"start", "formats", "response-schema", "healthz"}


def routes(patterns, prefix=""):
    """Every address as (name, route)."""
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            assert isinstance(pattern, URLPattern)
            yield pattern.name, route


ROUTES = list(routes(get_resolver().url_patterns))


def test_every_address_is_in_the_table():
    assert all(name for name, _ in ROUTES), "every address needs a name"
    assert {name for name, _ in ROUTES} == set(PAGES)


def test_only_these_pages_are_public():
    open_to_all = {
        name for name in PAGES if PAGES[name].expected("get", "anonymous") not in {302, 401, 405}
    }
    assert open_to_all == PUBLIC - {"start"}


@pytest.fixture
def people(alice, bob, rita, oscar):
    return dict(zip(WHO[1:], (oscar, rita, bob, alice), strict=True))


@pytest.fixture
def arguments(peaks, people):
    """The objects that addresses name, by the name of their argument."""
    invitation = members.invite(peaks, role=Role.RATER, author=people["owner"])
    waiting = check(peaks, "more.jsonl", _line("The Zugspitze is high [1].", "Umber"))
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
        **desk_objects(peaks, people["rater"]),
        "judge_id": peaks.judges.get(kind="simulated").pk,
        "token_id": 1,
        "run_id": a_run(peaks).pk,
        "report_id": a_report(peaks).pk,
        "code": members.invitation_code(invitation),
        "form": "csv",
        "action": "confirm",
    }


def a_run(study):
    run = create_run(study, JudgeSettings("alce", "coverage"), queued=False)
    Run.objects.filter(pk=run.pk).update(state=Run.State.PLANNED)
    return run


def a_report(study):
    body = dumps(sample())
    report = Report.objects.create(study=study, key=f"{study.pk}", state="done", body=body)
    ReportChart.objects.create(
        report=report,
        key="chart",
        position=1,
        title="Chart",
        spec="{}",
        svg="<svg/>",
        is_drawn=True,
    )
    return report


def an_example(study):
    sky = Unit.objects.get(response__study=study, response__question__text=SKY, key="s1")
    return add_example(sky, "citation_recall", value="yes", explanation="So it says.", by=None)


def desk_objects(study, user):
    """An open batch with a task of its own, one of gold, and somebody who came by its link."""
    made = Batch.objects.create(
        study=study,
        name="First",
        dimensions=study.dimensions,
        raters_per_item=3,
        lease_minutes=30,
        state=Batch.State.OPEN,
        gold=Judge.objects.create(study=study, kind=Judge.Kind.REFERENCE, name="gold"),
    )
    for number, each in enumerate(study.responses.filter(citation_count__gt=1), 1):
        item = BatchItem.objects.create(
            batch=made,
            response=each,
            unit=each.units.get(key="r"),
            is_gold=number == 2,
            shuffle=number,
            question_shuffle=number,
        )
    stranger = User.objects.create(username=f"crowd-{study.slug}")
    participant = Participant.objects.create(
        study=study, platform="link", external_id="w7", user=stranger
    )
    by_link = Batch.objects.create(
        study=study,
        name="By link",
        purpose=Batch.Purpose.PRACTICE,
        dimensions=study.dimensions,
        raters_per_item=3,
        lease_minutes=30,
        state=Batch.State.OPEN,
        audience=Batch.Audience.LINK,
    )
    task = next_task(made, judge_of(study, user))
    assert isinstance(task, Assignment)
    return {
        "batch_id": made.pk,
        "item_id": item.pk,
        "assignment_id": task.pk,
        "enrolment_id": Enrolment.objects.create(batch=made, participant=participant).pk,
        "link": batch_code(by_link),
    }


def _line(output, system):
    return json.dumps(response(output, system=system))


def address(name, arguments):
    route = next(route for found, route in ROUTES if found == name)
    if name == "download-exchange":
        arguments = {**arguments, "form": "alce-citations"}
    if name == "api-run-action":
        arguments = {**arguments, "action": "start"}
    if name.startswith("report-"):
        form, key = {"report-chart": ("svg", "chart")}.get(name, ("json", "systems"))
        arguments = {**arguments, "form": form, "key": key}
    if name == "api-batch-action":
        arguments = {**arguments, "action": "close"}
    return reverse(name, kwargs={key: arguments[key] for key in arguments if f"{key}>" in route})


def browser(people, who):
    client = Client()
    if who in people:
        client.force_login(people[who])
    return client


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("name", PAGES)
def test_the_matrix(people, arguments, name, who):
    path, row = address(name, arguments), PAGES[name]
    client = browser(people, who)
    for method, data in (("get", {}), ("post", row.data)):
        answer = getattr(client, method)(path, data)
        if answer.streaming:
            assert b"".join(answer.streaming_content)
        assert answer.status_code == row.expected(method, who), method
        if answer.status_code == 302 and who == "anonymous" and name not in PUBLIC | {"sign-out"}:
            back = reverse("task", args=["peaks", arguments["assignment_id"]])
            after = back if row.get == "405" else path
            assert answer.url == f"{reverse('sign-in')}?next={after}"
        if answer.status_code in {401, 403, 404} and path.startswith("/api/"):
            assert set(answer.json()["error"]) == {"code", "message", "details"}


@pytest.mark.parametrize(
    "name", [name for name in PAGES if name not in CHANGES_NOTHING_BY_POST and "api" not in name]
)
def test_a_form_needs_its_token(people, arguments, name):
    client = Client(enforce_csrf_checks=True)
    client.force_login(people["owner"])
    before = state()
    answer = client.post(address(name, arguments), PAGES[name].data)
    assert answer.status_code == 403
    assert state() == before


@pytest.mark.parametrize(
    "name",
    [
        "api-uploads",
        "api-upload-action",
        "api-batches",
        "api-batch-action",
        "api-runs",
        "api-run-action",
        "api-report",
    ],
)
def test_a_session_alone_does_not_write_through_the_api(people, arguments, name):
    client = Client(enforce_csrf_checks=True)
    client.force_login(people["owner"])
    before = state()
    answer = client.post(address(name, arguments))
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "permission_denied"
    assert state() == before


def state():
    """What the writing addresses would change."""
    return (
        list(Membership.objects.order_by("pk").values_list("pk", "role")),
        list(Invitation.objects.order_by("pk").values_list("pk", "revoked_at")),
        list(Upload.objects.order_by("pk").values_list("pk", "state")),
        list(System.objects.order_by("pk").values_list("pk", "name")),
        list(Batch.objects.order_by("pk").values_list("pk", "name", "state")),
    )


@pytest.mark.parametrize("name", [n for n, row in PAGES.items() if row.get == POST_ONLY])
def test_reading_never_changes(people, arguments, name):
    before = state()
    answer = browser(people, "owner").get(address(name, arguments))
    assert answer.status_code == 405
    assert state() == before


OBJECTS = {
    "batch_id",
    "unit_id",
    "example_id",
    "system_id",
    "response_id",
    "upload_id",
    "invitation_id",
    "membership_id",
    "item_id",
    "assignment_id",
    "enrolment_id",
    "judge_id",
    "report_id",
}
WRITES = {POST_ONLY, AT_THE_DESK.get, PAGES["api-upload-action"].get}
NAMES_AN_OBJECT = [name for name, route in ROUTES if any(f"{key}>" in route for key in OBJECTS)]


def test_some_addresses_name_objects():
    assert len(NAMES_AN_OBJECT) >= 14


@pytest.mark.parametrize("name", NAMES_AN_OBJECT)
def test_an_object_of_another_study_is_not_found_under_ones_own(people, arguments, elsewhere, name):
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
        "report_id": a_report(elsewhere).pk,
        **desk_objects(elsewhere, people["outsider"]),
    }
    client = browser(people, "owner")
    path = address(name, {**arguments, **theirs})
    before = state()
    write = PAGES[name].get in WRITES
    answers = [client.post(path, PAGES[name].data)]
    if not write:
        answers.append(client.get(path))
    for answer in answers:
        assert answer.status_code in ({404} if write or "api" not in name else {404, 405})
    assert answers[-1].status_code == 404
    assert state() == before


@pytest.mark.parametrize("name", NAMES_AN_OBJECT)
def test_an_object_that_never_was_is_not_found(people, arguments, name):
    for number in (0, 10**9, 10**17, 2**63):
        if "action" in name and number > 10**17:
            continue  # its address holds at most eighteen digits
        path = address(name, {**arguments, **dict.fromkeys(OBJECTS, number)})
        client = browser(people, "owner")
        write = PAGES[name].get in WRITES
        answer = client.post(path, PAGES[name].data) if write else client.get(path)
        assert answer.status_code == 404


def test_an_outsider_cannot_tell_a_study_from_none(people, peaks):
    client = browser(people, "outsider")
    real, none = (client.get(reverse("study", args=[slug])) for slug in ("peaks", "no-such"))
    assert (real.status_code, none.status_code) == (404, 404)
    token = re.compile(rb"[A-Za-z0-9]{64}")
    assert token.sub(b"", real.content) == token.sub(b"", none.content)


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
    assert answer.url.startswith(reverse("sign-in"))


def test_a_rater_sees_no_system_nor_judge_nor_score(people, arguments, peaks):
    """Every page that a rater can reach, the API included."""
    members.join(
        members.invite(peaks, role=Role.RATER, author=None),
        people["outsider"],
    )
    client = browser(people, "rater")
    pages = reachable(client, reverse("start"))
    for name in PAGES:
        if PAGES[name].expected("get", "rater") == 200:
            pages.setdefault(address(name, arguments), client.get(address(name, arguments)))
    assert reverse("study", args=["peaks"]) in pages
    assert reverse("guidelines", args=["peaks"]) in pages
    assert reverse("api-study", args=["peaks"]) in pages
    secrets = [
        "Vermilion",
        "Quokka",
        "Umber",
        "Simulated rater 7",
        "scorer:tiny",
        "0.25",
        "Plainly so",
        "outputs.jsonl",
        "judgments.csv",
        "more.jsonl",
        "Bob",
        "Alice",
        "Oscar",
        "example.org/",
    ]
    for path, answer in pages.items():
        text = answer.content.decode()
        if path == reverse("formats"):
            continue  # the same public page for everybody
        for secret in secrets:
            assert secret not in text, f"{secret} at {path}"


def test_the_crawl_would_find_them(people, arguments):
    """The same crawl by a researcher meets every kind of secret, so that its silence says much."""
    pages = reachable(browser(people, "researcher"), reverse("study", args=["peaks"]))
    text = " ".join(a.content.decode() for a in pages.values() if not a.streaming)
    for secret in ("Vermilion", "Quokka", "scorer:tiny", "0.25", "Plainly so", "more.jsonl", "Bob"):
        assert secret in text
