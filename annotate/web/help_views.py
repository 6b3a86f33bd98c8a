"""Public pages with the project's documents and the formats of files."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from annotate.formats import formats_listed, response_schema
from annotate.web.help import documents
from annotate.web.help.search import search

MOST_ASKED = 200
"""The limit of a search's characters."""


def home(request: HttpRequest) -> HttpResponse:
    """Show all documents, or the results of a search."""
    asked = request.GET.get("q", "").strip()[:MOST_ASKED]
    context: dict[str, Any] = {"document": documents.document(""), "q": asked}
    if asked:
        context["hits"], context["count"] = search(asked)
    return render(request, "help/page.html", context)


def read(request: HttpRequest, page: str) -> HttpResponse:
    if page in documents.files():
        path = documents.files()[page]
        said = {"Content-Disposition": f'attachment; filename="{path.name}"'}
        return HttpResponse(path.read_bytes(), content_type="application/json", headers=said)
    if page not in documents.sources():
        raise Http404("There is no such page of the help.")
    return render(request, "help/page.html", {"document": documents.document(page)})


def formats(request: HttpRequest) -> HttpResponse:
    return render(request, "formats.html", {"formats": formats_listed()})


def response_schema_file(request: HttpRequest) -> HttpResponse:
    """The JSON Schema of one line of Attest's own format."""
    return JsonResponse(response_schema(), json_dumps_params={"indent": 2})
