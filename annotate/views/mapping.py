"""Which column of a table is what: said on a page, tried on the first rows, kept with the study."""

from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from annotate import access
from annotate.access import Access
from annotate.formats.tables.guessing import guess
from annotate.formats.tables.mapping import TARGETS, ColumnMapping, Rows, mapping_of
from annotate.forms import MappingForm
from annotate.models import Role, Upload
from annotate.reading.trial import tried
from annotate.services import uploads
from annotate.views.people import in_study, refusals_told

NAMES = ("system", "run", "mode")


@in_study(Role.RESEARCHER)
def columns(request: HttpRequest, entered: Access, upload_id: int) -> HttpResponse:
    """The columns with what they hold and what they may be. A POST tries that on the first rows,
    or has the file checked by it."""
    upload = _table_of(entered, upload_id)
    if not upload.can_be_checked:
        return redirect("upload", slug=entered.slug, upload_id=upload_id)
    before = _before(upload, request.GET.get("rows", ""), whole="whole" in request.GET)
    form = MappingForm(upload, before, request.POST or None, request.FILES or None)
    tries = "try" in request.POST or "HX-Request" in request.headers
    if request.method == "POST" and not tries and form.is_valid():
        names = {name: form.cleaned_data.get(name, getattr(upload, name)) for name in NAMES}
        with refusals_told(request):
            if passages := form.cleaned_data.get("passages"):
                uploads.give_passages(upload, passages)
            uploads.check_again(upload, **names, mapping=form.mapping)
        return redirect("upload", slug=entered.slug, upload_id=upload_id)
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
        "trial": None if missing else tried(upload, form.mapping, **named),
    }
    if request.headers.get("HX-Request"):
        return render(request, "uploads/tried.html", context)
    wrong = request.method == "POST" and form.errors and "try" not in request.POST
    return render(request, "uploads/columns.html", context, status=422 if wrong else 200)


@in_study(Role.RESEARCHER, post=True)
def as_table(request: HttpRequest, entered: Access, upload_id: int) -> HttpResponse:
    """A file that was taken for another format is a table after all."""
    upload = access.upload_of(entered, upload_id)
    with refusals_told(request):
        uploads.read_as_table(upload)
        return redirect("upload-columns", slug=entered.slug, upload_id=upload_id)
    return redirect("upload", slug=entered.slug, upload_id=upload_id)


@in_study(Role.RESEARCHER)
def mapping_file(request: HttpRequest, entered: Access, upload_id: int) -> HttpResponse:
    """The mapping as a file, for commands and programs."""
    upload = _table_of(entered, upload_id)
    if upload.mapping is None:
        raise Http404("Nobody has said yet what its columns are.")
    response = JsonResponse(upload.mapping, json_dumps_params={"ensure_ascii": False, "indent": 2})
    response["Content-Disposition"] = f'attachment; filename="{entered.slug}-mapping.json"'
    return response


def _table_of(entered: Access, upload_id: int) -> Upload:
    upload = access.upload_of(entered, upload_id)
    if upload.columns is None:
        raise Http404("This upload is no table.")
    return upload


def _before(upload: Upload, wanted: str, *, whole: bool = False) -> ColumnMapping:
    """What the form begins with: what was said before, `whole` with what that passes over, else the
    guess; for another kind of rows than these, a guess by names alone."""
    table = upload.columns or {}
    known = upload.column_mapping or mapping_of(table["guess"], whole=False)
    kind: Rows | None = next((key for key in TARGETS if key == wanted), None)
    if kind is None or kind == known.rows:
        return replace(known, columns={**known.columns, **upload.passed_over}) if whole else known
    names = [column["name"] for column in table.get("columns", [])]
    return guess((), names, kind, upload.study.protocol)
