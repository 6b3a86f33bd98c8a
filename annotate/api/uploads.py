"""Files brought by programs: checked, loaded, cancelled, thrown away."""

from typing import Any

from annotate import access, jobs
from annotate.access import Access
from annotate.api.endpoint import PageSerializer, cut, listed, says
from annotate.api.parsing import FILES, JSON_OR_FORM
from annotate.api.serializers import (
    AgainSerializer,
    ConfirmSerializer,
    NewUploadSerializer,
    UploadSerializer,
)
from annotate.models import Role, Scope
from annotate.services import uploads
from annotate.services.uploads.claiming import UPLOAD

HERE: dict[str, Any] = {"role": Role.RESEARCHER, "needs": Scope.UPLOAD, "gives": UploadSerializer}


@says(
    "The study's uploads.",
    role=Role.RESEARCHER,
    query=PageSerializer,
    gives=listed("uploads", UploadSerializer),
)
def list_uploads(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(entered.study.uploads.all(), asked, newest=True)
    return {"uploads": UploadSerializer(rows, many=True).data, "after": after}


@says(
    "Bring a file, and have it checked.",
    **HERE,
    takes=NewUploadSerializer,
    parsers=FILES,
    status=201,
)
def bring_file(entered: Access, given: dict[str, Any]) -> Any:
    file = given.pop("file")
    upload = uploads.receive(entered.study, file, name=str(file.name), author=entered.user, **given)
    uploads.start(upload)
    return UploadSerializer(upload).data


@says("An upload's state, findings and result.", role=Role.RESEARCHER, gives=UploadSerializer)
def read_upload(entered: Access, upload_id: int) -> Any:
    found = access.upload_of(entered, upload_id)
    uploads.nudge(found)
    return UploadSerializer(found).data


@says("Load a file that was checked.", **HERE, takes=ConfirmSerializer, parsers=JSON_OR_FORM)
def confirm_upload(entered: Access, upload_id: int, given: dict[str, Any]) -> Any:
    found = access.upload_of(entered, upload_id)
    uploads.confirm(found, **given)
    found.refresh_from_db()
    return UploadSerializer(found).data


@says("Check a file again, under other names.", **HERE, takes=AgainSerializer, parsers=JSON_OR_FORM)
def check_upload_again(entered: Access, upload_id: int, given: dict[str, Any]) -> Any:
    found = access.upload_of(entered, upload_id)
    uploads.check_again(found, **given)
    found.refresh_from_db()
    return UploadSerializer(found).data


@says("Stop the work on a file, and take back what it wrote.", **HERE)
def cancel_upload(entered: Access, upload_id: int) -> Any:
    found = access.upload_of(entered, upload_id)
    jobs.ask_once_more(UPLOAD, found.pk)
    uploads.cancel(found)
    found.refresh_from_db()
    return UploadSerializer(found).data


@says("Throw a file away; what was loaded stays, but for questions by themselves.", **HERE)
def discard_upload(entered: Access, upload_id: int) -> Any:
    found = access.upload_of(entered, upload_id)
    uploads.discard(found)
    found.refresh_from_db()
    return UploadSerializer(found).data
