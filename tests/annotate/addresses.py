"""What everybody gets at every address, and the objects that addresses name.

A row gives the status for an anonymous visitor, an outsider, a rater, a viewer, a researcher and
the owner. Who has opened a share link gets nowhere more than an anonymous visitor.
"""

import json

from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotate.content.judgments import judge_of
from annotate.models import Assignment, Batch, BatchItem, Enrolment, Judge, Participant, Unit, User
from annotate.people.crowd import batch_code
from annotate.protocol.dimensions import Derived, UnitKind
from annotate.rating import inquiries
from annotate.rating.assignments import next_task
from annotate.rating.examples import add_example
from annotate.rating.task_steps import steps_of
from annotate.studies.wordings import save_number
from evaluation.generating.generation_settings import GenerationSettings
from evaluation.generating.generations import create as generate
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Making, Report, ReportChart, ReportComparison, ReportLink, Run
from evaluation.report_pages import comparing
from evaluation.report_pages.sharing import share
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.shape.report import VERSION
from evaluation.runs.lifecycle import create as create_run
from tests.annotate.address_rows import (
    ACTION,
    AT_THE_DESK,
    MEMBERS,
    OWN,
    OWNERS,
    OWNERS_ACT,
    POST_ONLY,
    RATING,
    RESEARCHERS,
    VIEWERS,
    Row,
)
from tests.annotate.api_addresses import API_PAGES
from tests.annotate.loading import SKY, response
from tests.evaluation.reports.sample import sample

PAGES = {
    "start": Row("302"),
    "healthz": Row("200", "405"),
    "readyz": Row("503", "405"),  # no worker runs beside the tests
    "metrics": Row("404", "405"),  # without the token
    "help": Row("200"),
    "help-page": Row("200"),
    "formats": Row("200"),
    "styles": Row("404"),
    "response-schema": Row("200"),
    "account_login": Row("200 302 302 302 302 302"),
    "account_logout": Row("405", "302"),
    "account_signup": Row("200 302 302 302 302 302"),
    "account_inactive": Row("200", "405"),
    "join": Row("200", "200 302 302 302 302 302"),
    "studies": Row("302 200 200 200 200 200"),
    "study-new": Row("302 200 403 403 200 200"),
    "account": Row("302 200 200 200 200 200"),
    "account_email": Row("302 200 200 200 200 200", "302"),
    "account_change_password": OWN,
    "account_set_password": Row("302"),
    "account_reset_password": Row("200"),
    "account_reset_password_done": Row("200", "405"),
    "account_reset_password_from_key": Row("200"),
    "account_reset_password_from_key_done": Row("200", "405"),
    "account_email_verification_sent": Row("200", "405"),
    "account_confirm_email": Row("200", "404"),
    "account_confirm_login_code": Row("302"),
    "account_reauthenticate": OWN,
    "mfa_index": Row("302 200 200 200 200 200", "302 405 405 405 405 405"),
    "mfa_authenticate": Row("302"),
    "mfa_reauthenticate": Row("302"),
    "mfa_activate_totp": Row("302"),
    "mfa_deactivate_totp": Row("302 404 404 404 404 404"),
    "mfa_view_recovery_codes": Row("302 404 404 404 404 404", "302 405 405 405 405 405"),
    "mfa_generate_recovery_codes": Row("302"),
    "mfa_download_recovery_codes": Row("302 404 404 404 404 404"),
    "mfa_list_webauthn": Row("302 200 200 200 200 200", "302 405 405 405 405 405"),
    "mfa_add_webauthn": Row("302"),
    "mfa_reauthenticate_webauthn": Row("302"),
    "mfa_login_webauthn": Row("302"),
    "mfa_edit_webauthn": Row("302"),
    "mfa_remove_webauthn": Row("302"),
    "openid_connect_login": Row("404"),
    "openid_connect_callback": Row("404"),
    "socialaccount_connections": OWN,
    "socialaccount_login_cancelled": Row("200", "405"),
    "socialaccount_login_error": Row("401", "405"),
    "socialaccount_signup": Row("302"),
    "usersessions_list": Row("302 200 200 200 200 200", "302 302 302 302 302 302"),
    "session-end": Row(POST_ONLY, "302 404 404 404 404 404"),
    "reset-link": Row("302 403 403 403 403 403"),
    "tokens": Row(
        "302 200 200 200 200 200",
        "302 200 200 200 200 200",
        {"label": "script", "scopes": ["read"]},
    ),
    "token-delete": Row(POST_ONLY, "302 404 404 404 404 404"),
    # Where the installation allows connections of one's own, which it does not unless told.
    "connections": Row("302 404 404 404 404 404"),
    "connection": Row("302 404 404 404 404 404"),
    "connection-delete": Row(POST_ONLY, "302 404 404 404 404 404"),
    "study": Row(MEMBERS),
    "study-progress": Row(VIEWERS),
    "study-settings": Row(RESEARCHERS),
    "study-copy": Row("302 404 403 403 200 200", "302 404 403 403 302 302", {"name": "Again"}),
    **{f"study-{w}": Row(POST_ONLY, "302 404 403 403 403 302") for w in ("archive", "unarchive")},
    "study-delete": Row("302 404 403 403 403 200", "302 404 403 403 403 302", {"slug": "peaks"}),
    "audit-log": Row(OWNERS),
    "audit-log-csv": Row(OWNERS),
    "audit-logs": Row("302 403 403 403 403 403"),
    "audit-logs-csv": Row("302 403 403 403 403 403"),
    "system-delete": Row("302 404 403 403 403 200", "302 404 403 403 403 302"),
    "deleted": Row("302 200 200 200 200 200"),
    "put-back": Row(POST_ONLY, "302 404 404 404 302 302"),
    "remove-now": Row(POST_ONLY, "302 404 404 404 302 302"),
    "guidelines": Row(MEMBERS),
    "guidelines-changes": Row(MEMBERS),
    "own-work": Row(RATING),
    "guidelines-edit": Row(RESEARCHERS, ACTION, {"text": "Read slowly."}),
    "dimensions": Row(RESEARCHERS),
    "dimensions-arrange": Row(POST_ONLY, ACTION, {"up": "citation_recall"}),
    "dimensions-download": Row(RESEARCHERS),
    "dimensions-take": Row(RESEARCHERS, "302 404 403 403 422 422"),
    "dimension-new": Row(RESEARCHERS, "302 404 403 403 422 422", {"title": "Tone"}),
    "dimension-edit": Row(RESEARCHERS, "302 404 403 403 422 422", {"title": "Tone"}),
    "number-new": Row(RESEARCHERS, "302 404 403 403 422 422", {"title": "Fine"}),
    "number-edit": Row(RESEARCHERS, "302 404 403 403 422 422", {"title": "Fine"}),
    "dimension-preview": Row(POST_ONLY, "302 404 403 403 200 200"),
    "systems": Row(VIEWERS),
    "system": Row(RESEARCHERS, ACTION, {"name": "Carmine"}),
    "responses": Row(VIEWERS),
    "questions": Row(RESEARCHERS, ACTION, {"key": "dataset", "value": "peaks", "of": "all"}),
    "response": Row(VIEWERS),
    "response-claims": Row(VIEWERS),
    "note": Row(RESEARCHERS, ACTION, {"text": "Look at it."}),
    **{f"note-{w}": Row(POST_ONLY, ACTION, {"text": "Look."}) for w in ("write", "delete")},
    "batches": Row(VIEWERS),
    "batch-new": Row(RESEARCHERS, "302 404 403 403 422 422", {"name": "Second"}),
    "batch-preview-counts": Row(POST_ONLY, "302 404 403 403 200 200"),
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
    "batch-draw": Row(POST_ONLY, ACTION),
    "batch-delete": Row(POST_ONLY, ACTION),
    "disputes": Row(RESEARCHERS),
    "dispute": Row(RESEARCHERS, ACTION, {"value": "yes"}),
    "examples": Row(RESEARCHERS),
    "example-new": Row(ACTION),
    "example-edit": Row(RESEARCHERS, ACTION, {"value": "no", "explanation": "It does not say."}),
    "example-delete": Row(POST_ONLY, ACTION),
    "uploads": Row(RESEARCHERS, "302 404 403 403 422 422", {"mode": "auto"}),
    "upload": Row(RESEARCHERS),
    "corpora": Row(RESEARCHERS, "302 404 403 403 422 422", {"words": "0"}),
    "corpus": Row(RESEARCHERS),
    **{f"corpus-{act}": Row(POST_ONLY, ACTION) for act in ("cancel", "again", "delete")},
    "upload-columns": Row("302 404 403 403 404 404"),  # it is no table
    "upload-mapping": Row("302 404 403 403 404 404"),
    "upload-status": Row(RESEARCHERS),
    **{f"upload-{word}": Row(POST_ONLY, ACTION) for word in ("again", "as-table")},
    "upload-confirm": Row(POST_ONLY, ACTION),
    "upload-cancel": Row(POST_ONLY, ACTION),
    "upload-discard": Row(POST_ONLY, ACTION),
    "members": Row(RESEARCHERS),
    "invite": Row(POST_ONLY, ACTION, {"role": "rater", "days": "3"}),
    "invitation-revoke": Row(POST_ONLY, ACTION),
    "member-role": Row(POST_ONLY, "302 404 403 403 403 302", {"role": "researcher"}),
    "member-remove": Row(POST_ONLY, "302 404 403 403 403 302"),
    "webhooks": Row(OWNERS),
    "webhook": Row(OWNERS),
    "webhook-delete": Row(POST_ONLY, OWNERS_ACT),
    "webhook-test": Row(POST_ONLY, OWNERS_ACT),
    "delivery-again": Row(POST_ONLY, OWNERS_ACT),
    "leave": Row(POST_ONLY, "302 404 302 302 302 302"),
    "personal": Row("302 404 403 403 403 200", "302 404 403 403 403 422"),
    "personal-download": Row("302 404 403 403 403 200"),
    "account-leave": Row("302 200 200 200 200 200", "302 422 422 422 422 422"),
    "data": Row(RESEARCHERS),
    "download-outputs": Row(RESEARCHERS),
    "download-questions": Row(RESEARCHERS),
    "download-judgments": Row(RESEARCHERS),
    **{
        f"download-{what}": Row(RESEARCHERS)
        for what in ("evidence", "flags", "claims", "inquiries", "notes", "tables", "dataset")
    },
    "download-label-studio": Row(RESEARCHERS),
    "labels": Row(VIEWERS),
    "download-labels": Row(VIEWERS),
    "exchange": Row(RESEARCHERS),
    "download-exchange": Row(RESEARCHERS),
    "scorers": Row(RESEARCHERS),
    "makings": Row(VIEWERS),
    "making-new": Row(RESEARCHERS, ACTION, {"parser": ""}),
    "making": Row(VIEWERS),
    **{f"making-{word}": Row(POST_ONLY, ACTION) for word in ("cancel", "retry", "remove")},
    "generations": Row(VIEWERS),
    "generation-new": Row(RESEARCHERS, "302 404 403 403 422 422", {"system": "nobody"}),
    "generation": Row(VIEWERS),
    "generation-pause": Row(POST_ONLY, ACTION),
    "generation-resume": Row(POST_ONLY, ACTION),
    "generation-cancel": Row(POST_ONLY, ACTION),
    "generation-remove": Row(POST_ONLY, ACTION),
    "runs": Row(VIEWERS),
    "runs-now": Row("302 404 403 302 302 302"),
    "run-new": Row(RESEARCHERS, "302 404 403 403 422 422", {"judge": "nobody"}),
    "run-recommended": Row(POST_ONLY, ACTION),
    "juries": Row(RESEARCHERS, "302 404 403 403 200 200", {}),
    "jury-renew": Row(POST_ONLY, ACTION),
    "improve-judge": Row(RESEARCHERS, "302 404 403 403 200 200", {}),
    "improve-examples": Row(POST_ONLY, ACTION),
    "prompts": Row(RESEARCHERS, "302 404 403 403 422 422", {"name": "own"}),
    "prompt": Row(RESEARCHERS, "302 404 403 403 422 422", {"name": "own"}),
    "prompt-download": Row(RESEARCHERS),
    "run": Row(VIEWERS),
    "run-start": Row(POST_ONLY, ACTION),
    "run-pause": Row(POST_ONLY, ACTION),
    "run-resume": Row(POST_ONLY, ACTION),
    "run-retry": Row(POST_ONLY, ACTION),
    "run-cancel": Row(POST_ONLY, ACTION),
    "run-remove": Row(POST_ONLY, ACTION),
    # The run there is of no language model.
    "run-biases": Row("302 404 403 403 404 404"),
    "report": Row(VIEWERS),
    "report-now": Row("302 404 403 302 302 302"),
    "report-again": Row(POST_ONLY, ACTION),
    "report-compare": Row(VIEWERS),
    "report-comparison": Row(VIEWERS),
    "report-comparison-table": Row(VIEWERS),
    "report-comparison-table-latex": Row(VIEWERS),
    "report-comparison-download": Row(VIEWERS),
    "report-links": Row(RESEARCHERS, "302 404 403 403 200 200", {"days": "30"}),
    "report-link-end": Row(POST_ONLY, ACTION),
    "shared-report": Row("200", "405"),
    "shared-download": Row("200", "405"),
    "shared-table": Row("200", "405"),
    "shared-table-latex": Row("200", "405"),
    "shared-rows": Row("200", "405"),
    "shared-chart": Row("200", "405"),
    "report-download": Row(VIEWERS),
    "report-table": Row(VIEWERS),
    "report-table-latex": Row(VIEWERS),
    "report-texts": Row("302 404 403 404 404 404"),
    "report-rows": Row(VIEWERS),
    "report-chart": Row(VIEWERS),
    "report-threshold": Row(RESEARCHERS, "302 404 403 403 422 422", {"part": "half"}),
    "report-abstained": Row(POST_ONLY, "302 404 403 403 404 404", {"target": "0.9"}),
    "raters": Row(RESEARCHERS),
    "rater": Row(RESEARCHERS),
    "batch-monitor": Row(VIEWERS),
    "batch-agreement": Row(VIEWERS),
    "batch-gold": Row(RESEARCHERS),
    "gold-judge": Row(POST_ONLY, ACTION),
    "gold-write": Row(POST_ONLY, ACTION),
    "participants": Row(RESEARCHERS),
    "participant-release": Row(POST_ONLY, ACTION),
    "admission": Row(RESEARCHERS, ACTION, {"rule": "listed", "ids": "p1"}),
    "admission-fetch": Row(POST_ONLY, ACTION),
    "hash-ids": Row(POST_ONLY, "302 404 403 403 403 302"),
    "participants-csv": Row(RESEARCHERS),
    "participants-mturk": Row(RESEARCHERS),
    "participants-approve": Row(POST_ONLY, ACTION),
    "participant-return": Row(POST_ONLY, ACTION),
    "rater-standing": Row(POST_ONLY, ACTION, {"standing": "paused", "reason": "To look at it."}),
    "practice-begin": Row(POST_ONLY, "302 404 302 403 302 302"),
    "task-feedback": Row("302 404 404 403 404 404"),
    "desk": Row(RATING),
    "desk-next": Row(POST_ONLY, "302 404 302 403 302 302"),
    "task": Row("302 404 200 403 404 404"),
    "task-answer": AT_THE_DESK,
    "task-flag": AT_THE_DESK,
    "task-evidence": AT_THE_DESK,
    "task-ask": AT_THE_DESK,
    "inquiries": Row(RESEARCHERS),
    "inquiry": Row(RESEARCHERS, ACTION, {"text": "It is."}),
    "own-inquiries": Row(RATING),
    "own-inquiry": Row(POST_ONLY, "302 404 302 403 404 404", {"text": "Why?"}),
    "task-alive": Row("405", "302 404 200 403 404 404"),
    "task-seen": Row("405", "302 404 200 403 404 404"),
    "task-finish": AT_THE_DESK,
    "task-give-back": Row("405", "302 404 302 403 404 404"),
    "batch-preview": Row(RESEARCHERS),
    "crowd": Row("200", "422 200 200 200 200 200"),
    "crowd-done": Row("302 404 404 404 404 404"),
    "crowd-leave": Row(POST_ONLY, "302 404 404 404 404 404"),
    **API_PAGES,
}
PUBLIC = {
    "start", "healthz", "readyz", "metrics", "help", "help-page", "formats", "response-schema",
    "styles",
    "join", "crowd",
    "api", "api-schema",
    "account_login", "account_signup", "account_inactive", "account_confirm_email",
    "account_email_verification_sent", "account_reset_password", "account_reset_password_done",
    "account_reset_password_from_key", "account_reset_password_from_key_done",
    "openid_connect_login", "openid_connect_callback", "socialaccount_login_cancelled",
    "shared-report", "shared-download", "shared-table", "shared-table-latex", "shared-rows",
    "shared-chart",
}  # fmt: skip
STAGES = {
    "account_confirm_login_code",
    "mfa_authenticate",
    "mfa_login_webauthn",
    "socialaccount_signup",
}
"""Parts of signing in: who is not in the middle of it is led to its beginning."""

CHANGES_NOTHING_BY_POST = {
    "start", "help", "help-page", "formats", "response-schema", "healthz", "readyz", "metrics",
    "styles",
}  # fmt: skip


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


def a_run(study):
    run = create_run(study, JudgeSettings("alce", "coverage"), queued=False)
    Run.objects.filter(pk=run.pk).update(state=Run.State.PLANNED)
    return run


def a_making(study):
    options = {"parser": "", "remake": True}
    return Making.objects.create(study=study, what="claims", options=options)


def a_generation(study):
    return generate(study, "Made", GenerationSettings("vanilla", simulated=True), queued=False)


def a_report(study):
    body = dumps(sample())
    report = Report.objects.create(
        study=study,
        key=f"{study.pk}",
        state="done",
        body=body,
        version=VERSION,
        filters_digest=Filters().digest,
    )
    ReportChart.objects.create(
        report=report,
        key="answers",
        position=1,
        title="Chart",
        spec="{}",
        svg="<svg/>",
        is_drawn=True,
    )
    return report


def a_comparison(study, by):
    """Two reports side by side, in a table that has a report's name."""
    side = comparing.of_study(study, Filters(), study.name)
    row = comparing.order(study, [side, side], paired=True, by=by)
    table = {"key": "systems", "title": "Systems", "caption": "", "detail": False}
    table |= {"columns": [{"key": "row", "title": "System"}], "rows": [], "notes": []}
    body = {"paired": True, "shared_questions": 2, "tables": [table | {"cautions": []}]}
    ReportComparison.objects.filter(pk=row.pk).update(
        state="done", body=dumps(body), finished_at="2026-01-01T00:00Z"
    )
    return row


def a_link(study, by):
    """The key and the secret of a share link to the report of the whole study."""
    secret = share(study, Filters(), by=by, days=30, with_texts=True)
    return {"secret": secret, "link_id": ReportLink.objects.latest("pk").pk}


def an_example(study):
    sky = Unit.objects.get(response__study=study, response__question__text=SKY, key="s1")
    return add_example(sky, "citation_recall", value="yes", explanation="So it says.", by=None)


def an_inquiry(task, user):
    """Asked by a rater, and answered by somebody whose name raters do not see."""
    step = steps_of(task.batch, task.item)[0]
    inquiry = inquiries.ask(task, step, text="Is it?", author=user).inquiry
    bob = User.objects.filter(name="Bob").first() or user
    inquiries.answer(inquiry, text="So it is.", author=bob, shared=True)
    return inquiry


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
        "inquiry_id": an_inquiry(task, user).pk,
        "enrolment_id": Enrolment.objects.create(batch=made, participant=participant).pk,
        "link": batch_code(by_link),
    }


def a_number(study):
    """A number of the study's own."""
    made = Derived("fine", UnitKind.RESPONSE, "Fine", "Is it fine?", formula="utility is positive")
    save_number(study, made)
    return made.key


def output_line(output, system):
    return json.dumps(response(output, system=system))


def address(name, arguments):
    route = next(route for found, route in ROUTES if found == name)
    if name == "download-exchange":
        arguments = {**arguments, "form": "alce-citations"}
    if name == "dimension-edit":
        arguments = {**arguments, "key": arguments["own"]}
    if name == "number-edit":
        arguments = {**arguments, "key": arguments["number"]}
    if name == "report-threshold":
        arguments = {**arguments, "key": "j1-attributable"}
    elif name.startswith(("report-", "shared-")):
        form, key = ("svg", "answers") if name.endswith("-chart") else ("json", "systems")
        arguments = {**arguments, "form": form, "key": key}
    return reverse(name, kwargs={key: arguments[key] for key in arguments if f"{key}>" in route})


OBJECTS = {
    "batch_id", "removal_id", "unit_id", "example_id", "system_id", "response_id", "upload_id",
    "invitation_id", "membership_id", "item_id", "assignment_id", "enrolment_id", "judge_id",
    "automatic_id", "report_id", "comparison_id", "making_id", "note_id", "link_id", "inquiry_id",
    "webhook_id", "delivery_id", "corpus_id",
}  # fmt: skip
