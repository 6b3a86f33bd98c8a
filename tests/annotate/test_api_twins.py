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
    "studies": "list_studies",
    "study-new": "make_study",
    "study": "read_study",
    "study-settings": "change_study",
    "study-copy": "copy_study",
    "study-archive": "archive_study",
    "study-unarchive": "unarchive_study",
    "study-delete": "delete_study",
    "study-progress": "read_progress",
    "leave": "leave_study",
    "deleted": "list_deleted",
    "put-back": "put_back",
    "remove-now": "remove_now",
    "audit-log": "list_audit_log",
    "audit-log-csv": "list_audit_log",
    "guidelines": "read_guidelines",
    "guidelines-changes": "list_versions",
    "guidelines-edit": "change_guidelines",
    "examples": "list_examples",
    "example-new": "add_example",
    "example-edit": "change_example",
    "example-delete": "remove_example",
    "dimensions": "read_dimensions",
    "dimensions-download": "read_protocol",
    **dict.fromkeys(
        (
            "dimensions-arrange",
            "dimensions-take",
            "dimension-new",
            "dimension-edit",
            "number-new",
            "number-edit",
        ),
        "change_dimensions",
    ),
    "systems": "list_systems",
    "system": "change_system",
    "system-delete": "delete_system",
    "responses": "list_responses",
    "response": "read_response",
    "response-claims": "read_response",
    "note-write": "write_note",
    "note": "change_note",
    "note-delete": "delete_note",
    "questions": "describe_questions",
    "uploads": "list_uploads",
    "upload": "read_upload",
    "upload-status": "read_upload",
    "upload-again": "check_upload_again",
    "upload-columns": "check_upload_again",
    "upload-as-table": "check_upload_again",
    "upload-mapping": "read_upload",
    "upload-confirm": "confirm_upload",
    "upload-cancel": "cancel_upload",
    "upload-discard": "discard_upload",
    "members": "list_members",
    "invite": "invite",
    "invitation-revoke": "revoke_invitation",
    "member-role": "change_role",
    "member-remove": "remove_member",
    "webhooks": "list_webhooks",
    "webhook": "list_deliveries",
    "webhook-delete": "remove_webhook",
    "webhook-test": "test_webhook",
    "delivery-again": "redeliver",
    "batches": "list_batches",
    "batch-new": "make_batch",
    "batch": "read_batch",
    "batch-edit": "change_batch",
    "batch-open": "open_batch",
    "batch-close": "close_batch",
    "batch-draw": "draw_tasks",
    "batch-delete": "delete_batch",
    "batch-gold": "list_gold",
    "gold-judge": "make_gold_judge",
    "gold-write": "write_gold",
    "raters": "list_raters",
    "rater-standing": "change_standing",
    "own-work": "list_desk",
    "desk": "list_desk",
    "desk-next": "begin_task",
    "practice-begin": "begin_task",
    "task": "read_task",
    "task-answer": "answer_task",
    "task-flag": "flag_task",
    "task-ask": "ask_about_task",
    "task-finish": "finish_task",
    "task-give-back": "return_task",
    "task-feedback": "read_feedback",
    "own-inquiries": "list_own_inquiries",
    "own-inquiry": "write_again",
    "inquiries": "list_inquiries",
    "inquiry": "answer_inquiry",
    "disputes": "list_disputes",
    "dispute": "decide_dispute",
    "download-outputs": "read_outputs",
    "download-questions": "read_listed_questions",
    "download-judgments": "read_judgments",
    "download-tables": "read_tables",
    "download-dataset": "read_dataset",
    "download-label-studio": "read_label_studio",
    "download-evidence": "read_beside",
    "download-flags": "read_beside",
    "download-notes": "read_beside",
    "download-claims": "read_beside",
    "download-inquiries": "list_inquiries",
    "report": "read_report",
    "report-now": "read_report",
    "report-download": "read_report",
    "report-again": "build_report",
    "report-links": "share_report",
    "report-link-end": "end_report_link",
    "generations": "list_generations",
    "generation-new": "make_generation",
    "generation": "read_generation",
    "generation-pause": "pause_generation",
    "generation-resume": "resume_generation",
    "generation-cancel": "cancel_generation",
    "generation-remove": "remove_generation",
    "connections": "make_connection",
    "connection": "change_connection",
    "connection-delete": "delete_connection",
    "runs": "list_runs",
    "runs-now": "list_runs",
    "run-new": "make_run",
    "run": "read_run",
    "run-start": "start_run",
    "run-pause": "pause_run",
    "run-resume": "resume_run",
    "run-retry": "retry_run",
    "run-cancel": "cancel_run",
    "run-remove": "remove_run",
    "run-biases": "make_run",
    "prompts": "list_prompts",
    "prompt": "keep_own_prompt",
    "prompt-download": "list_prompts",
    "corpora": "make_corpus",
    "corpus": "search_corpus",
    "corpus-cancel": "cancel_corpus",
    "corpus-again": "index_corpus_again",
    "corpus-delete": "delete_corpus",
    "juries": "form_jury",
    "makings": "list_makings",
    "making-new": "order_making",
    "making": "read_making",
    "making-cancel": "cancel_making",
    "making-retry": "retry_making",
    "making-remove": "remove_making",
    "jury-renew": "form_jury",
    "improve-judge": "improve_judge",
    "labels": "read_labels",
    "download-labels": "read_labels",
    "exchange": "read_exchange",
    "download-exchange": "read_exchange",
    "scorers": "list_scorers",
    "data": "read_tables",
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
