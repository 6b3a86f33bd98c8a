"""A file's way through the services, and what the tables hold before and after."""

from typing import Any

from django.apps import apps
from django.core.files.base import ContentFile

from annotate import uploads
from annotate.exchange import streams
from annotate.models import Study, Upload

State = Upload.State


def receive(study: Study, content: bytes, name: str = "things.json", **options: Any) -> Upload:
    passages = options.pop("passages", None)
    if passages is not None:
        options["passages"] = ContentFile(passages, name="passages.jsonl")
    return uploads.receive(
        study, ContentFile(content, name=name), name=name, author=None, **options
    )


def work(upload: Upload) -> Upload:
    uploads.work(upload.pk)
    upload.refresh_from_db()
    return upload


def check(study: Study, content: bytes, name: str = "things.json", **options: Any) -> Upload:
    return work(receive(study, content, name, **options))


def load(
    study: Study,
    content: bytes,
    name: str = "things.json",
    *,
    replace: bool = False,
    keep_good: bool = False,
    **options: Any,
) -> Upload:
    """Check, accept and load; the state is for the caller to look at."""
    upload = check(study, content, name, **options)
    assert upload.state in {State.READY, State.INVALID}, upload.error
    uploads.accept(upload, replace=replace, keep_good=keep_good)
    return work(upload)


def loaded(study: Study, content: bytes, name: str = "things.json", **options: Any) -> Upload:
    """As `load`, for files that must load."""
    upload = load(study, content, name, **options)
    assert upload.state == State.DONE, (upload.error, upload.findings.get("problems"))
    return upload


def problems(upload: Upload) -> list[str]:
    return [problem["text"] for problem in upload.findings["problems"]]


def warnings(upload: Upload) -> dict[str, int]:
    return {warning["kind"]: warning["count"] for warning in upload.findings["warnings"]}


def everything(*but: str) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, except of uploads, of the audit log, of what is noted to be counted
    again, and of the models named."""
    return {
        model.__name__: list(model._default_manager.order_by("pk").values())
        for model in apps.get_app_config("annotate").get_models()
        if model.__name__ not in {"Upload", "AuditEntry", "AuditChain", "Changed", *but}
    }


def outputs(study: Study) -> str:
    return "".join(streams.output_lines(study))


def judgments(study: Study) -> str:
    return "".join(streams.judgments_csv(study))
