"""Which files Attest reads, with an example of each."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from annotate.formats import formats_listed, response_schema


def overview(request: HttpRequest) -> HttpResponse:
    return render(request, "formats.html", {"formats": formats_listed()})


def schema(request: HttpRequest) -> HttpResponse:
    """The JSON Schema of one line of Attest's own format."""
    return JsonResponse(response_schema(), json_dumps_params={"indent": 2})
