"""An edit holds to the version that was read (`If-Match`), wherever there is one."""

from typing import Any

from django.test import Client
from django.urls import get_resolver, reverse

from annotate.authentication import new_token
from annotate.web.api.viewsets import EDITING, ApiViewSet
from tests.annotate.test_access_matrix import arguments, people, put_back  # noqa: F401 - fixtures

MAKES = "It makes something new, and changes nothing that is there."
BY_STATE = "Only the state that it stands in says whether it can be done; others are refused."
BY_BASE = "It is compared by `base`, the version of the answer alone."
BY_ITSELF = "What it changes is one's own, or the same whoever asks."

COMPARES_NOTHING = {
    MAKES: """Studies.create Studies.copy Invitation.create Webhook.create Webhook.test
        Example.create Task.ask ResponseNote.create Upload.create Batch.create
        Batch.gold_write Report.create ReportLink.create Improve.create Corpus.create
        Connection.create Jury.create Making.create Generation.create Generation.preview
        Run.create NextTask.next OwnInquiry.create""",
    BY_STATE: """Upload.confirm Upload.again Upload.cancel Upload.discard Corpus.cancel
        Corpus.again Making.cancel Making.retry Generation.pause Generation.resume
        Generation.cancel Run.start Run.pause Run.resume Run.retry Run.cancel
        Delivery.again Removal.back Removal.now Task.flag Task.finish Task.give_back""",
    BY_BASE: "Task.answer",
    BY_ITSELF: "Studies.leave Question.create",
}


def writing(patterns=None):
    """What writes: name of its address, method, name of its action, whether it edits."""
    for one in patterns or get_resolver().url_patterns:
        if hasattr(one, "url_patterns"):
            yield from writing(one.url_patterns)
            continue
        called: Any = one.callback
        view = getattr(called, "cls", None)
        if view is not None and issubclass(view, ApiViewSet):
            for method, action in called.actions.items():
                edits = action in EDITING or called.initkwargs.get("edits", False)
                if method not in {"get", "head"}:
                    yield (
                        one.name,
                        method,
                        f"{view.__name__.removesuffix('ViewSet')}.{action}",
                        edits,
                    )


EDITS = [(name, method) for name, method, _, edits in writing() if edits]


def test_every_edit_compares_or_says_why_not():
    others = {action for _, _, action, edits in writing() if not edits}
    assert others == {name for names in COMPARES_NOTHING.values() for name in names.split()}
    assert {"api-batches-detail", "api-prompts", "api-dispute"} <= {name for name, _ in EDITS}


def test_a_stale_tag_changes_nothing(people, arguments, settings, subtests):  # noqa: F811
    settings.ATTEST_OWN_CONNECTIONS = True
    program = Client(headers={"authorization": f"Bearer {new_token(people['owner'], 'x')}"})
    stale = {"If-Match": '"another"'}
    for name, method in EDITS:
        with subtests.test(f"{method} {name}"), put_back():
            pattern = next(iter(get_resolver().reverse_dict.getlist(name)))[0][0]
            path = reverse(name, kwargs={one: arguments[one] for one in pattern[1]})
            answer = program.generic(method, path, "{}", "application/json", headers=stale)
            error = answer.json()["error"]
            assert (answer.status_code, error["code"]) == (412, "changed_meanwhile")
