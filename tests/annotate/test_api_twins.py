"""What a page does, a program can do: every page has its twin, or it says here why it has none."""

import re
from pathlib import Path

import pytest

from annotate.api.description import described
from tests.annotate.addresses import PAGES

OPERATIONS = {
    operation["operationId"]
    for methods in described()["paths"].values()
    for operation in methods.values()
}

TWINS = {
    "studies": "studies_list",
    "study-new": "studies_create",
    "study": "studies_retrieve",
    "study-settings": "studies_partial_update",
    "study-copy": "copy_create",
    "study-archive": "archive_create",
    "study-unarchive": "unarchive_create",
    "study-delete": "studies_destroy",
    "study-progress": "progress_retrieve",
    "leave": "leave_create",
    "deleted": "deleted_list",
    "put-back": "deleted_back_create",
    "remove-now": "deleted_now_create",
    "audit-log": "audit_log_list",
    "audit-log-csv": "audit_log_list",
    "guidelines": "guidelines_retrieve",
    "guidelines-changes": "guidelines_versions_list",
    "guidelines-edit": "guidelines_update",
    "examples": "examples_list",
    "example-new": "examples_create",
    "example-edit": "examples_partial_update",
    "example-delete": "examples_destroy",
    "dimensions": "dimensions_retrieve",
    "dimensions-download": "protocol.yaml_retrieve",
    **dict.fromkeys(
        (
            "dimensions-arrange",
            "dimensions-take",
            "dimension-new",
            "dimension-edit",
            "number-new",
            "number-edit",
        ),
        "dimensions_create",
    ),
    "systems": "systems_list",
    "system": "systems_partial_update",
    "system-delete": "systems_destroy",
    "responses": "responses_list",
    "response": "responses_retrieve",
    "response-claims": "responses_retrieve",
    "note-write": "responses_notes_create",
    "note": "notes_partial_update",
    "note-delete": "notes_destroy",
    "questions": "questions_create",
    "uploads": "uploads_list",
    "upload": "uploads_retrieve",
    "upload-status": "uploads_retrieve",
    "upload-again": "uploads_again_create",
    "upload-columns": "uploads_again_create",
    "upload-as-table": "uploads_again_create",
    "upload-mapping": "uploads_retrieve",
    "upload-confirm": "uploads_confirm_create",
    "upload-cancel": "uploads_cancel_create",
    "upload-discard": "uploads_discard_create",
    "members": "members_list",
    "invite": "invitations_create",
    "invitation-revoke": "invitations_destroy",
    "member-role": "members_partial_update",
    "member-remove": "members_destroy",
    "webhooks": "webhooks_list",
    "webhook": "webhooks_deliveries_list",
    "webhook-delete": "webhooks_destroy",
    "webhook-test": "webhooks_test_create",
    "delivery-again": "webhooks_deliveries_again_create",
    "batches": "batches_list",
    "batch-new": "batches_create",
    "batch": "batches_retrieve",
    "batch-edit": "batches_partial_update",
    "batch-open": "batches_open_create",
    "batch-close": "batches_close_create",
    "batch-draw": "batches_draw_create",
    "batch-delete": "batches_destroy",
    "batch-gold": "batches_gold_retrieve",
    "gold-judge": "batches_gold_judge_create",
    "gold-write": "batches_gold_create",
    "raters": "raters_list",
    "rater-standing": "raters_standing_create",
    "own-work": "desk_retrieve",
    "desk": "desk_retrieve",
    "desk-next": "desk_batches_next_create",
    "practice-begin": "desk_batches_next_create",
    "task": "desk_tasks_retrieve",
    "task-answer": "desk_tasks_answer_create",
    "task-flag": "desk_tasks_flag_create",
    "task-ask": "desk_tasks_ask_create",
    "task-finish": "desk_tasks_finish_create",
    "task-give-back": "desk_tasks_return_create",
    "task-feedback": "desk_tasks_feedback_retrieve",
    "own-inquiries": "desk_inquiries_list",
    "own-inquiry": "desk_inquiries_create",
    "inquiries": "inquiries_list",
    "inquiry": "inquiries_create",
    "disputes": "disputes_list",
    "dispute": "disputes_create",
    "download-outputs": "outputs.jsonl_retrieve",
    "download-questions": "questions.jsonl_retrieve",
    "download-judgments": "judgments._retrieve",
    "download-tables": "tables.zip_retrieve",
    "download-dataset": "dataset.zip_retrieve",
    "download-label-studio": "label_studio.zip_retrieve",
    "download-evidence": "beside_.csv_retrieve",
    "download-flags": "beside_.csv_retrieve",
    "download-notes": "beside_.csv_retrieve",
    "download-claims": "beside_.csv_retrieve",
    "download-inquiries": "inquiries_list",
    "report": "report_retrieve",
    "report-now": "report_retrieve",
    "report-download": "report_retrieve",
    "report-again": "report_create",
    "report-links": "report_links_create",
    "report-link-end": "report_links_destroy",
    "generations": "generations_list",
    "generation-new": "generations_create",
    "generation": "generations_retrieve",
    "generation-pause": "generations_pause_create",
    "generation-resume": "generations_resume_create",
    "generation-cancel": "generations_cancel_create",
    "generation-remove": "generations_destroy",
    "connections": "connections_create",
    "connection": "connections_partial_update",
    "connection-delete": "connections_destroy",
    "runs": "runs_list",
    "runs-now": "runs_list",
    "run-new": "runs_create",
    "run": "runs_retrieve",
    "run-start": "runs_start_create",
    "run-pause": "runs_pause_create",
    "run-resume": "runs_resume_create",
    "run-retry": "runs_retry_create",
    "run-cancel": "runs_cancel_create",
    "run-remove": "runs_destroy",
    "run-biases": "runs_create",
    "prompts": "prompts_retrieve",
    "prompt": "prompts_create",
    "prompt-download": "prompts_retrieve",
    "corpora": "corpora_create",
    "corpus": "corpora_search_retrieve",
    "corpus-cancel": "corpora_cancel_create",
    "corpus-again": "corpora_again_create",
    "corpus-delete": "corpora_destroy",
    "juries": "juries_create",
    "makings": "makings_list",
    "making-new": "makings_create",
    "making": "makings_retrieve",
    "making-cancel": "makings_cancel_create",
    "making-retry": "makings_retry_create",
    "making-remove": "makings_destroy",
    "jury-renew": "juries_create",
    "improve-judge": "improve_create",
    "labels": "labels.csv_retrieve",
    "download-labels": "labels.csv_retrieve",
    "exchange": "exchange_retrieve",
    "download-exchange": "exchange_retrieve",
    "scorers": "scorers_list",
    "data": "tables.zip_retrieve",
}

SIGNING_IN = "who one is, and what one's tokens open, is settled by a person in a browser"
AT_WORK = "the desk's script says that a person sits before it, and marks what they point at"
CROWD = "people of crowd platforms come by it in a browser, and are paid by what they did there"
OPEN = "it belongs to no study and is told to everybody, or to whoever runs Attest"
OF_REPORT = "it shows a part of the report, which is told whole"
SIDE_BY_SIDE = "two reports are set side by side to be read; each of them is told whole"
SHARED = "it is for whoever has the link, without an account"
AHEAD = "it shows what a form would do before it is sent; what was sent is refused or told"
WATCHED = "it draws how raters are doing; their answers and standing are told whole"

EXCEPTIONS = {
    SIGNING_IN: {
        "account", "tokens", "token-delete", "session-end", "reset-link", "account-leave",
        "personal", "personal-download", "join",
        "openid_connect_login", "openid_connect_callback", "usersessions_list",
    },
    AT_WORK: {"task-evidence", "task-alive", "task-seen"},
    CROWD: {
        "crowd", "crowd-done", "crowd-leave", "participants", "participants-csv",
        "participants-mturk", "participants-approve", "participant-return",
        "participant-release", "admission", "admission-fetch", "hash-ids",
    },
    OPEN: {
        "start", "api", "formats", "help", "help-page", "healthz", "readyz", "metrics",
        "response-schema", "api-schema", "audit-logs", "audit-logs-csv",
    },
    OF_REPORT: {
        "report-table", "report-table-latex", "report-rows", "report-texts", "report-chart",
        "report-threshold",
    },
    SIDE_BY_SIDE: {
        "report-compare", "report-comparison", "report-comparison-table",
        "report-comparison-table-latex", "report-comparison-download",
    },
    SHARED: {
        "shared-report", "shared-download", "shared-table", "shared-table-latex", "shared-rows",
        "shared-chart",
    },
    AHEAD: {"dimension-preview", "batch-preview", "batch-preview-counts", "improve-examples"},
    WATCHED: {"batch-monitor", "batch-agreement", "rater"},
}  # fmt: skip
"""Why some have none; docs/api.md says it, too."""

OF_ALLAUTH = ("account_", "mfa_", "socialaccount_")


def test_every_page_has_its_twin_or_a_reason():
    pages = {name for name in PAGES if not name.startswith(("api-", *OF_ALLAUTH))} | {"api-schema"}
    without = set().union(*EXCEPTIONS.values())
    assert pages - TWINS.keys() - without == set()
    assert (TWINS.keys() | without) - pages == set()
    assert TWINS.keys() & without == set()


@pytest.mark.parametrize("page", TWINS)
def test_the_twin_is_there(page):
    assert TWINS[page] in OPERATIONS


def test_the_docs_say_which_have_none_and_why():
    page = (Path(__file__).resolve().parents[2] / "docs/api.md").read_text(encoding="utf-8")
    table = page.split("## What has no address")[1].split("\n## ")[0]
    told = re.findall(r"^\| (`.*`) \| (.*) \|$", table, re.MULTILINE)
    assert {why: set(re.findall(r"`(.*?)`", pages)) for pages, why in told} == EXCEPTIONS
