"""The project's documents, to everybody: they are the same for all and tell of no study."""

from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from annotate.reading.help import documents
from annotate.reading.help.search import search

MOST_ASKED = 200
"""Characters of what is searched for."""


def home(request: HttpRequest) -> HttpResponse:
    """All documents, or what a search found in them."""
    asked = request.GET.get("q", "").strip()[:MOST_ASKED]
    context: dict[str, Any] = {"document": documents.document(""), "q": asked}
    if asked:
        context["hits"], context["count"] = search(asked)
    return render(request, "help/page.html", context)


def read(request: HttpRequest, page: str) -> HttpResponseBase:
    if page in documents.files():
        path = documents.files()[page]
        return FileResponse(path.open("rb"), as_attachment=True, content_type="application/json")
    if page not in documents.sources():
        raise Http404("There is no such page of the help.")
    return render(request, "help/page.html", {"document": documents.document(page)})
