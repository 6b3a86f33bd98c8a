"""Everything out again."""

import tempfile
from pathlib import Path

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from annotate import access, exports, overview
from annotate.models import Role


@login_required
def page(request: HttpRequest, slug: str) -> HttpResponse:
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    context = {"access": entered, "loaded": overview.what_is_loaded(entered.study)}
    return render(request, "studies/data.html", context)


@login_required
def outputs(request: HttpRequest, slug: str) -> HttpResponseBase:
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    return StreamingHttpResponse(
        exports.output_lines(entered.study),
        content_type="application/jsonl; charset=utf-8",
        headers=_named(f"{slug}-outputs.jsonl"),
    )


@login_required
def judgments(request: HttpRequest, slug: str, form: str) -> HttpResponseBase:
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    headers = _named(f"{slug}-judgments.{form}")
    if form == "csv":
        lines = exports.judgments_csv(entered.study)
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)
    if form == "jsonl":
        lines = exports.judgments_jsonl(entered.study)
        kind = "application/jsonl; charset=utf-8"
        return StreamingHttpResponse(lines, content_type=kind, headers=headers)
    if form == "parquet":
        handle = tempfile.NamedTemporaryFile(suffix=".parquet")  # noqa: SIM115 (sent, then closed)
        exports.write_parquet(entered.study, Path(handle.name))
        return FileResponse(handle, as_attachment=True, filename=f"{slug}-judgments.parquet")
    raise Http404("Judgments come as csv, jsonl or parquet.")


def _named(filename: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{filename}"'}
