"""An edit holds to the version that was read (`If-Match`), wherever there is one."""

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from annotate.api.endpoint import Endpoint
from annotate.authentication import new_token
from tests.annotate.test_access_matrix import arguments, people  # noqa: F401 - fixtures

MAKES = "It makes something new, and changes nothing that is there."
BY_STATE = "Only the state that it stands in says whether it can be done; others are refused."
BY_BASE = "It is compared by `base`, the version of the answer alone."
BY_ITSELF = "What it changes is one's own, or the same whoever asks."

COMPARES_NOTHING = {
    MAKES: """make_study copy_study invite make_webhook test_webhook add_example ask_about_task
        write_note bring_file make_batch write_gold build_report share_report improve_judge
        make_corpus make_connection form_jury order_making make_generation preview_generation
        make_run begin_task write_again""",
    BY_STATE: """confirm_upload check_upload_again cancel_upload discard_upload cancel_corpus
        index_corpus_again cancel_making retry_making pause_generation resume_generation
        cancel_generation start_run pause_run resume_run retry_run cancel_run redeliver put_back
        remove_now flag_task finish_task return_task""",
    BY_BASE: "answer_task",
    BY_ITSELF: "leave_study describe_questions",
}


def operations(patterns=None):
    """What writes: name of its address, view, method, operation."""
    for one in patterns or get_resolver().url_patterns:
        if hasattr(one, "url_patterns"):
            yield from operations(one.url_patterns)
            continue
        view = getattr(one.callback, "cls", None)
        if view is not None and issubclass(view, Endpoint):
            for method, operation in view.operations.items():
                if method != "GET":
                    yield one.name, view, method, operation


def test_every_edit_compares_or_says_why_not():
    edits: set[str] = set()
    others: set[str] = set()
    for _, view, method, operation in operations():
        compares = view.edited is not None and operation.is_edit(method)
        (edits if compares else others).add(operation.name)
    assert others == {name for names in COMPARES_NOTHING.values() for name in names.split()}
    assert {"change_batch", "change_standing", "keep_own_prompt", "decide_dispute"} <= edits


def test_what_is_edited_is_told_with_its_tag_where_it_is_read():
    read = {
        view.operations["GET"].name for _, view, _, _ in operations() if "GET" in view.operations
    }
    edited = {view.edited.name for _, view, _, _ in operations() if view.edited is not None}
    assert edited <= read


@pytest.mark.parametrize(
    ("name", "method"),
    [
        (name, method)
        for name, view, method, operation in operations()
        if view.edited is not None and operation.is_edit(method)
    ],
)
def test_a_stale_tag_changes_nothing(people, arguments, settings, name, method):  # noqa: F811
    settings.ATTEST_OWN_CONNECTIONS = True
    program = Client(headers={"authorization": f"Bearer {new_token(people['owner'], 'x')}"})
    pattern = next(iter(get_resolver().reverse_dict.getlist(name)))[0][0]
    path = reverse(name, kwargs={one: arguments[one] for one in pattern[1]})
    answer = program.generic(
        method, path, "{}", "application/json", headers={"If-Match": '"another"'}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (412, "changed_meanwhile")
