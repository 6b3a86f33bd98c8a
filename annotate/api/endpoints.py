"""The programming interface: the same doors and services as the pages, as JSON.

Documented in docs/api.md. Lists are cut into pages by `after`, the last id of the page before.
"""

from typing import Any

from django.http.response import HttpResponseBase
from rest_framework import status
from rest_framework.decorators import api_view, parser_classes
from rest_framework.exceptions import APIException
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access, jobs
from annotate.access import Access
from annotate.api.parsing import ShallowJSONParser
from annotate.api.serializers import (
    BatchSerializer,
    ClaimSerializer,
    ConfirmSerializer,
    NamesSerializer,
    NewBatchSerializer,
    NewUploadSerializer,
    ResponseSerializer,
    SourceSerializer,
    StudySerializer,
    SystemSerializer,
    UnitSerializer,
    UploadSerializer,
)
from annotate.authentication import needs
from annotate.export import downloads
from annotate.export.desk import written_claims
from annotate.forms import ResponseFilterForm
from annotate.models import Batch, Role, Scope, Study, System
from annotate.reading import batch_overview, browsing
from annotate.services import batches, uploads
from annotate.services.errors import Refused
from annotate.services.uploads.claiming import UPLOAD


class RefusedError(APIException):
    """A service's refusal, told to a program."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "refused"


class NoRoomError(APIException):
    status_code = status.HTTP_507_INSUFFICIENT_STORAGE
    default_code = "no_room"


def _researcher(request: Request, slug: str) -> Access:
    return access.enter(request.user, slug, Role.RESEARCHER)


def _viewer(request: Request, slug: str) -> Access:
    return access.enter(request.user, slug, Role.VIEWER)


@api_view(["GET"])
def studies(request: Request) -> Response:
    rows = access.memberships_of(request.user)
    return Response(
        {"studies": [{**StudySerializer(row.study).data, "role": row.role} for row in rows]}
    )


@api_view(["GET"])
def study(request: Request, slug: str) -> Response:
    entered = access.enter(request.user, slug)
    return Response({**StudySerializer(entered.study).data, "role": entered.role})


@api_view(["GET"])
def systems(request: Request, slug: str) -> Response:
    entered = _viewer(request, slug)
    rows = SystemSerializer(System.objects.loaded().filter(study=entered.study), many=True)
    return Response({"systems": rows.data})


@api_view(["GET"])
def responses(request: Request, slug: str) -> Response:
    """A page of responses; the filters are those of the page in the browser."""
    entered = _viewer(request, slug)
    form = ResponseFilterForm(entered.study, request.query_params, named=entered.researches)
    rows = browsing.filtered(entered.study, form.cleaned_data if form.is_valid() else {})
    found = browsing.page(
        rows, after=browsing.as_id(request.query_params.get("after")), before=None
    )
    return Response(
        {
            "total": found.total,
            "more": found.more,
            "after": found.after,
            "responses": ResponseSerializer(found.responses, many=True).data,
        }
    )


@api_view(["GET"])
def response(request: Request, slug: str, response_id: int) -> Response:
    entered = _viewer(request, slug)
    row = access.response_of(entered, response_id)
    units = row.units.select_related("source").order_by("pk")
    claims = written_claims(entered.study).filter(unit__response=row)
    told = claims if entered.researches else claims.none()  # they name who wrote them
    written = {"claims": ClaimSerializer(told, many=True).data} if told else {}
    return Response(
        {
            **ResponseSerializer(row).data,
            "references": row.question.references,
            "metadata": row.metadata,
            "passages": SourceSerializer(row.sources.select_related("passage"), many=True).data,
            "units": UnitSerializer(units, many=True).data,
            **written,
        }
    )


@api_view(["GET"])
def outputs(request: Request, slug: str) -> HttpResponseBase:
    study = _researcher(request, slug).study
    return downloads.outputs(study, downloads.slices_in(request.GET))


@api_view(["GET"])
def judgments(request: Request, slug: str, form: str) -> HttpResponseBase:
    study = _researcher(request, slug).study
    slices = downloads.slices_in(request.GET)
    return downloads.judgments(study, form, reader=request.GET.get("for", ""), slices=slices)


@needs(Scope.UPLOAD)
@api_view(["GET", "POST"])
@parser_classes([MultiPartParser])
def upload_list(request: Request, slug: str) -> Response:
    """The study's uploads; a POST brings a file and has it checked."""
    entered = _researcher(request, slug)
    if request.method == "GET":
        rows = UploadSerializer(entered.study.uploads.all(), many=True)
        return Response({"uploads": rows.data})
    form = NewUploadSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    given = {**form.validated_data}
    file = given.pop("file")
    try:
        upload = uploads.receive(
            entered.study, file, name=str(file.name), author=entered.user, **given
        )
        uploads.start(upload)
    except uploads.NoRoom as refusal:
        raise NoRoomError(str(refusal)) from None
    except Refused as refusal:
        raise RefusedError(str(refusal)) from None
    return Response(UploadSerializer(upload).data, status=status.HTTP_201_CREATED)


@api_view(["GET"])
def upload(request: Request, slug: str, upload_id: int) -> Response:
    found = access.upload_of(_researcher(request, slug), upload_id)
    uploads.nudge(found)
    return Response(UploadSerializer(found).data)


@needs(Scope.UPLOAD)
@api_view(["POST"])
def upload_action(request: Request, slug: str, upload_id: int, action: str) -> Response:
    """Confirm an upload, have it checked again, cancel or discard it."""
    found = access.upload_of(_researcher(request, slug), upload_id)
    form = (NamesSerializer if action == "again" else ConfirmSerializer)(data=request.data)
    form.is_valid(raise_exception=True)
    try:
        if action == "confirm":
            uploads.confirm(found, **form.validated_data)
        elif action == "again":
            uploads.check_again(found, **form.validated_data)
        elif action == "cancel":
            jobs.ask_once_more(UPLOAD, found.pk)
            uploads.cancel(found)
        else:
            uploads.discard(found)
    except Refused as refusal:
        raise RefusedError(str(refusal)) from None
    found.refresh_from_db()
    return Response(UploadSerializer(found).data)


def _batch(batch: Batch) -> dict[str, Any]:
    """A batch and how far it has come."""
    row = batch_overview.batch_row(batch)
    return {
        **BatchSerializer(batch).data,
        "tasks": row.tasks,
        "gold_tasks": row.gold,
        "ratings": row.done,
        "ratings_wanted": row.wanted,
        "raters": row.raters,
    }


@needs(Scope.RATE)
@api_view(["GET", "POST"])
@parser_classes([ShallowJSONParser])
def batch_list(request: Request, slug: str) -> Response:
    """The study's batches; a POST makes one, as a draft."""
    entered = _researcher(request, slug)
    if request.method == "GET":
        found = entered.study.batches.select_related("gold")
        return Response({"batches": [_batch(batch) for batch in found]})
    form = NewBatchSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    try:
        options = _batch_options(entered.study, {**form.validated_data})
        made = batches.create_batch(entered.study, author=entered.user, **options)
    except Refused as refusal:
        raise RefusedError(str(refusal)) from None
    return Response(_batch(made), status=status.HTTP_201_CREATED)


def _batch_options(study: Study, given: dict[str, Any]) -> dict[str, Any]:
    """What a program sent, as the service takes it."""
    given["selection"] = batches.Selection(
        systems=batches.systems_named(study, given.pop("systems")),
        questions=given.pop("questions"),
        sample_size=given.pop("sample_size"),
        gold_count=given.pop("gold_count"),
        listed=tuple(given.pop("listed")),
        left_out=tuple(given.pop("left_out")),
        gold_listed=tuple(given.pop("gold_listed")),
        positional=given.pop("positional"),
        slices=tuple(given.pop("slices")),
        any_answer=given.pop("any_answer"),
        pairs=given.pop("pairs"),
    )
    if "gold" in given:
        given["gold"] = batches.knowing_judge_named(study, given["gold"])
    if "qualification" in given:
        given["qualification"] = batches.practice_of(study, given["qualification"])
    return given


@api_view(["GET"])
def batch(request: Request, slug: str, batch_id: int) -> Response:
    return Response(_batch(access.batch_of(_researcher(request, slug), batch_id)))


@needs(Scope.RATE)
@api_view(["POST"])
def batch_action(request: Request, slug: str, batch_id: int, action: str) -> Response:
    """Open or close a batch."""
    found = access.batch_of(_researcher(request, slug), batch_id)
    try:
        found = batches.open_batch(found) if action == "open" else batches.close_batch(found)
    except Refused as refusal:
        raise RefusedError(str(refusal)) from None
    return Response(_batch(found))
