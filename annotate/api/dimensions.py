"""What a study asks, for programs: its dimensions in order, and its protocol file."""

from dataclasses import asdict
from typing import Any

from django.http import HttpResponse
from rest_framework import status
from rest_framework.decorators import api_view, parser_classes
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.api.endpoints import RefusedError
from annotate.api.parsing import ShallowJSONParser
from annotate.api.serializers import AskSerializer
from annotate.export.streams import divided
from annotate.models import Role, Study
from annotate.protocol.written import (
    NotAProtocol,
    as_fields,
    derived_from_fields,
    from_fields,
    read,
    write,
)
from annotate.reading.dimensions import file_taken
from annotate.services import wordings
from annotate.services.errors import Refused


class FaultyError(APIException):
    """All that is wrong with a dimension or a file, by line and field."""

    status_code = status.HTTP_400_BAD_REQUEST
    default_code = "invalid"
    default_detail = "Some fields cannot be accepted."

    def __init__(self, error: NotAProtocol) -> None:
        super().__init__()
        self.details = [asdict(fault) for fault in error.faults]


@api_view(["GET", "POST"])
@parser_classes([ShallowJSONParser])
def dimensions(request: Request, slug: str) -> Response:
    """What is asked; a POST asks otherwise, keeps a dimension or a number, or takes a protocol
    file."""
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    study = entered.study
    if request.method == "POST":
        form = AskSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        options = {"by": entered.user, "divided": divided}
        try:
            _change(study, form.validated_data, options)
        except Refused as refusal:
            raise RefusedError(str(refusal)) from None
        except NotAProtocol as error:
            raise FaultyError(error) from None
    return Response(_shown(study))


def _change(study: Study, given: dict[str, Any], options: dict[str, Any]) -> None:
    if "protocol" in given:
        file = read(given["protocol"])
        wordings.take_file(study, file, guidelines=given["guidelines"], **options)
    elif "dimension" in given:
        made = from_fields(given["dimension"])
        wordings.keep_dimension(study, made, replaces=given["replaces"], **options)
    elif "number" in given:
        number = derived_from_fields(given["number"], study.protocol)
        wordings.keep_number(study, number, replaces=given["replaces"], by=options["by"])
    else:
        wordings.ask(study, given["asked"], **options)


def _shown(study: Study) -> dict[str, Any]:
    protocol = study.protocol
    taken = file_taken(study)
    return {
        "asked": study.dimensions,
        "file": None if taken is None else asdict(taken),
        "derived": study.derived,
        "dimensions": [
            {**as_fields(one), "version": one.version, "own": one.key in protocol.own}
            for one in protocol.values()
        ],
    }


@api_view(["GET"])
def protocol(request: Request, slug: str) -> HttpResponse:
    """What is asked, as the file that the page gives out."""
    study = access.enter(request.user, slug, Role.RESEARCHER).study
    text = write(wordings.file_of(study))
    return HttpResponse(text, content_type="application/yaml; charset=utf-8")
