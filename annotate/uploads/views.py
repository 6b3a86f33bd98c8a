"""Pages of uploads: send a file, map a table's columns, load or discard it."""

from dataclasses import replace
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render

from annotate import access, uploads
from annotate.access import Access
from annotate.formats import FORMATS
from annotate.formats.tables.guessing import guess
from annotate.formats.tables.mapping import TARGETS, ColumnMapping, Rows, mapping_of
from annotate.models import Role, Upload, User
from annotate.protocol.signatures import judge_title
from annotate.uploads import preview
from annotate.uploads.forms import MappingForm, UploadForm, UploadNamesForm
from annotate.uploads.job import UPLOAD
from annotate.uploads.preview import preview_mapping
from annotate.web.errors import NoRoom, Refused
from annotate.web.messages import button, in_study, refusals_told
from annotate.work import jobs


@in_study(Role.RESEARCHER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show the files of a study; a POST adds one."""
    form = UploadForm(request.POST or None, request.FILES or None)
    is_full = False
    if request.method == "POST" and form.is_valid():
        try:
            upload = _receive(entered, form.cleaned_data)
            page = "upload-columns" if upload.is_unmapped else "upload"
            return redirect(page, slug=entered.study.slug, upload_id=upload.pk)
        except Refused as refusal:
            form.add_error("file", str(refusal))
            is_full = isinstance(refusal, NoRoom)
    context = {
        "access": entered,
        "form": form,
        "uploads": entered.study.uploads.select_related("created_by"),
        "max_bytes": settings.ATTEST_MAX_UPLOAD_BYTES,
    }
    status = 507 if is_full else 422 if form.errors else 200
    return render(request, "uploads/list.html", context, status=status)


def _receive(entered: Access, given: dict[str, Any]) -> Upload:
    file = given.pop("file")
    upload = uploads.receive(entered.study, file, name=str(file.name), author=entered.user, **given)
    uploads.start(upload)
    return upload


def _context(entered: Access, upload: Upload) -> dict[str, object]:
    findings = upload.findings
    format = FORMATS.get(upload.format)  # no format if its package was uninstalled
    return {
        "access": entered,
        "upload": upload,
        "format": format,
        "findings": findings,
        "systems": list(findings.get("systems", {}).items()),
        "judges": list(findings.get("judges", {}).items()),
        "is_outdated": uploads.is_outdated(upload, entered.study),
        "is_references": format is not None and format.kind == "references",
        "is_captures": format is not None and format.kind == "captures",
        "is_questions": format is not None and format.kind == "questions",
        "is_outputs": format is not None and format.kind == "outputs",
        "may_be_table": uploads.may_be_table(upload),
        "previews": preview.answers(upload) if upload.state in {"ready", "invalid"} else [],
        "dropped": [(judge_title(name), n) for name, n in upload.result.get("dropped", {}).items()],
        "outcome": uploads.outcome(upload) if upload.state == Upload.State.DONE else "",
        "names_form": UploadNamesForm(
            initial={"system": upload.system, "run": upload.run, "mode": upload.mode}
        ),
        "waits": uploads.waits_for_a_worker(upload),
    }


@in_study(Role.RESEARCHER)
def read(request: HttpRequest, entered: Access, upload_id: int) -> HttpResponse:
    upload = access.upload_of(entered, upload_id)
    return render(request, "uploads/read.html", _context(entered, upload))


@in_study(Role.RESEARCHER)
def status(request: HttpRequest, entered: Access, upload_id: int) -> HttpResponse:
    """Show the progress. The page polls until the work is done."""
    upload = access.upload_of(entered, upload_id)
    uploads.nudge(upload)
    return render(request, "uploads/status.html", _context(entered, upload))


@in_study(Role.RESEARCHER, post=True)
def check_again(request: HttpRequest, entered: Access, upload_id: int) -> HttpResponse:
    upload = access.upload_of(entered, upload_id)
    form = UploadNamesForm(request.POST)
    if form.is_valid():
        with refusals_told(request):
            uploads.check_again(upload, **form.cleaned_data)
    return redirect("upload", slug=entered.study.slug, upload_id=upload_id)


confirm = button(
    access.upload_of,
    "upload",
    lambda upload, by, sent: uploads.confirm(
        upload, replace="replace" in sent, keep_good="keep_good" in sent
    ),
)


def _cancel(upload: Upload, by: User, sent: QueryDict) -> None:
    jobs.retry_stuck(UPLOAD, upload.pk)
    uploads.cancel(upload)


cancel = button(access.upload_of, "upload", _cancel)
discard = button(
    access.upload_of,
    "upload",
    lambda upload, by, sent: uploads.discard(upload),
    said="{row.name} is discarded.",
    listing="uploads",
)


NAMES = ("system", "run", "mode")


@in_study(Role.RESEARCHER)
def columns(request: HttpRequest, entered: Access, upload_id: int) -> HttpResponse:
    """Show the columns with samples and choices. A POST previews the mapping on the first
    rows, or checks the file with it."""
    upload = _table_of(entered, upload_id)
    if not upload.can_be_checked:
        return redirect("upload", slug=entered.study.slug, upload_id=upload_id)
    before = _before(upload, request.GET.get("rows", ""), whole="whole" in request.GET)
    form = MappingForm(upload, before, request.POST or None, request.FILES or None)
    tries = "try" in request.POST or "HX-Request" in request.headers
    if request.method == "POST" and not tries and form.is_valid():
        names = {name: form.cleaned_data.get(name, getattr(upload, name)) for name in NAMES}
        with refusals_told(request):
            if passages := form.cleaned_data.get("passages"):
                uploads.give_passages(upload, passages)
            uploads.check_again(upload, **names, mapping=form.mapping)
        return redirect("upload", slug=entered.study.slug, upload_id=upload_id)
    return _page(request, entered, upload, form)


def _page(request: HttpRequest, entered: Access, upload: Upload, form: MappingForm) -> HttpResponse:
    missing = form.mapping.missing()
    named = {name: str(form.data.get(name, getattr(upload, name))) for name in ("system", "run")}
    context = {
        "access": entered,
        "upload": upload,
        "form": form,
        "kinds": list(TARGETS),
        "missing": missing,
        "is_kept": upload.mapping is not None,
        "trial": None if missing else preview_mapping(upload, form.mapping, **named),
    }
    if request.headers.get("HX-Request"):
        return render(request, "uploads/tried.html", context)
    wrong = request.method == "POST" and form.errors and "try" not in request.POST
    return render(request, "uploads/columns.html", context, status=422 if wrong else 200)


@in_study(Role.RESEARCHER, post=True)
def as_table(request: HttpRequest, entered: Access, upload_id: int) -> HttpResponse:
    """Treat a file of another recognised format as a table."""
    upload = access.upload_of(entered, upload_id)
    with refusals_told(request):
        uploads.read_as_table(upload)
        return redirect("upload-columns", slug=entered.study.slug, upload_id=upload_id)
    return redirect("upload", slug=entered.study.slug, upload_id=upload_id)


@in_study(Role.RESEARCHER)
def mapping_file(request: HttpRequest, entered: Access, upload_id: int) -> HttpResponse:
    """Download the mapping as a file, for commands and programs."""
    upload = _table_of(entered, upload_id)
    if upload.mapping is None:
        raise Http404("Nobody has said yet what its columns are.")
    response = JsonResponse(upload.mapping, json_dumps_params={"ensure_ascii": False, "indent": 2})
    response["Content-Disposition"] = f'attachment; filename="{entered.study.slug}-mapping.json"'
    return response


def _table_of(entered: Access, upload_id: int) -> Upload:
    upload = access.upload_of(entered, upload_id)
    if upload.columns is None:
        raise Http404("This upload is no table.")
    return upload


def _before(upload: Upload, wanted: str, *, whole: bool = False) -> ColumnMapping:
    """Return the form's initial mapping: the last one, or else the guess.

    With `whole`, it includes the columns that the last one omits. For another kind of rows, it is
    guessed from names only.
    """
    table = upload.columns or {}
    known = upload.column_mapping or mapping_of(table["guess"], whole=False)
    kind: Rows | None = next((key for key in TARGETS if key == wanted), None)
    if kind is None or kind == known.rows:
        return replace(known, columns={**known.columns, **upload.passed_over}) if whole else known
    names = [column["name"] for column in table.get("columns", [])]
    return guess((), names, kind, upload.study.protocol)
