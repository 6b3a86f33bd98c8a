"""A file's way in: drop it, look at what it holds, load it or throw it away."""

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from annotate import access, jobs
from annotate.access import Access
from annotate.formats import FORMATS
from annotate.forms import UploadForm, UploadNamesForm
from annotate.models import Role, Upload, User
from annotate.protocol.signatures import readable
from annotate.reading import preview
from annotate.services import uploads
from annotate.services.errors import Refused
from annotate.services.uploads.claiming import UPLOAD
from annotate.views.people import button, in_study, refusals_told, signed_in


@in_study(Role.RESEARCHER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    """The files of a study; a POST brings a new one."""
    form = UploadForm(request.POST or None, request.FILES or None)
    is_full = False
    if request.method == "POST" and form.is_valid():
        try:
            upload = _receive(request, entered, form)
            page = "upload-columns" if upload.is_unmapped else "upload"
            return redirect(page, slug=entered.slug, upload_id=upload.pk)
        except Refused as refusal:
            form.add_error("file", str(refusal))
            is_full = isinstance(refusal, uploads.NoRoom)
    context = {
        "access": entered,
        "form": form,
        "uploads": entered.study.uploads.select_related("created_by"),
        "max_bytes": settings.ATTEST_MAX_UPLOAD_BYTES,
    }
    status = 507 if is_full else 422 if form.errors else 200
    return render(request, "uploads/list.html", context, status=status)


def _receive(request: HttpRequest, entered: Access, form: UploadForm) -> Upload:
    given = form.cleaned_data
    file: UploadedFile[bytes] = given["file"]
    upload = uploads.receive(
        entered.study,
        file,
        name=str(file.name),
        author=signed_in(request),
        format=given["format"],
        passages=given["passages"],
        system=given["system"],
        run=given["run"],
        mode=given["mode"],
        mapping=given["mapping"],
    )
    uploads.start(upload)
    return upload


def _context(entered: Access, upload: Upload) -> dict[str, object]:
    findings = upload.findings
    format = FORMATS.get(upload.format)  # none of a package that was uninstalled
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
        "dropped": [(readable(name), n) for name, n in upload.result.get("dropped", {}).items()],
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
    """How far the work is; the page asks again and again until it is done."""
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
    return redirect("upload", slug=entered.slug, upload_id=upload_id)


confirm = button(
    access.upload_of,
    "upload",
    lambda upload, by, sent: uploads.confirm(
        upload, replace="replace" in sent, keep_good="keep_good" in sent
    ),
)


def _cancel(upload: Upload, by: User, sent: QueryDict) -> None:
    jobs.ask_once_more(UPLOAD, upload.pk)
    uploads.cancel(upload)


cancel = button(access.upload_of, "upload", _cancel)
discard = button(
    access.upload_of,
    "upload",
    lambda upload, by, sent: uploads.discard(upload),
    said="{row.name} is discarded.",
    listing="uploads",
)
