"""The API of uploads: check, load, cancel, discard."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access, uploads
from annotate.formats import FORMATS
from annotate.formats.tables.mapping import MappingError, mapping_in, mapping_of
from annotate.models import Role, Scope, Upload
from annotate.uploads.job import UPLOAD
from annotate.web.api.pagination import pages
from annotate.web.api.parsing import FILES
from annotate.web.api.viewsets import StudyViewSet, post
from annotate.work import jobs


class UploadSerializer(serializers.ModelSerializer[Upload]):
    class Meta:
        model = Upload
        fields = [
            "id",
            "name",
            "size",
            "format",
            "state",
            "position",
            "system",
            "run",
            "division",
            "columns",
            "mapping",
            "findings",
            "result",
            "error",
            "created_at",
            "published_at",
        ]


@extend_schema_field({"type": ["object", "string"]})
class MappingField(serializers.JSONField):
    """A table's column mapping, as an object or as a JSON text."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            given = super().to_internal_value(data)
            return mapping_in(given) if isinstance(given, str) else mapping_of(given)
        except MappingError as error:
            raise serializers.ValidationError(str(error)) from None


class AgainSerializer(serializers.Serializer[Any]):
    system = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    run = serializers.CharField(max_length=100, required=False, allow_blank=True, default="")
    mode = serializers.ChoiceField(choices=["auto", "sentences", "list"], default="auto")
    mapping = MappingField(required=False)


class NewUploadSerializer(AgainSerializer):
    file = serializers.FileField()
    passages = serializers.FileField(required=False)
    format = serializers.ChoiceField(choices=[], required=False, default="")

    def get_fields(self) -> dict[str, Any]:
        """Return the fields with the formats that are installed now."""
        fields: dict[str, Any] = super().get_fields()
        fields["format"].choices = sorted(FORMATS)
        return fields


class ConfirmSerializer(serializers.Serializer[Any]):
    replace = serializers.BooleanField(default=False)
    keep_good = serializers.BooleanField(default=False)


class UploadViewSet(ListModelMixin, StudyViewSet):
    """The study's uploads."""

    role = Role.RESEARCHER
    needs = Scope.UPLOAD
    find = access.upload_of
    lookup_url_kwarg = "upload_id"
    serializer_class = UploadSerializer
    bodies = {"create": NewUploadSerializer}
    parser_classes = FILES
    pagination_class = pages("uploads", newest_first=True)

    def get_queryset(self) -> Any:
        return self.study.uploads.all()

    def create(self, request: Request, **names: Any) -> Response:
        """Upload a file and check it."""
        given = self.given()
        file = given.pop("file")
        upload = uploads.receive(self.study, file, name=str(file.name), author=self.user, **given)
        uploads.start(upload)
        return self.reply(upload)

    def retrieve(self, request: Request, **names: Any) -> Response:
        """An upload's state, findings and result."""
        upload = self.get_object()
        uploads.nudge(upload)
        return self.reply(upload)

    @post(body=ConfirmSerializer)
    def confirm(self, request: Request, **names: Any) -> Response:
        """Load a file that was checked."""
        upload = self.get_object()
        uploads.confirm(upload, **self.given())
        return self.reply(self.get_object())

    @post(body=AgainSerializer)
    def again(self, request: Request, **names: Any) -> Response:
        """Check a file again, under other names."""
        upload = self.get_object()
        uploads.check_again(upload, **self.given())
        return self.reply(self.get_object())

    @post()
    def cancel(self, request: Request, **names: Any) -> Response:
        """Stop the work on a file, and take back what it wrote."""
        upload = self.get_object()
        jobs.retry_stuck(UPLOAD, upload.pk)
        uploads.cancel(upload)
        return self.reply(self.get_object())

    @post()
    def discard(self, request: Request, **names: Any) -> Response:
        """Discard a file. Its loaded responses stay; questions loaded by themselves go."""
        uploads.discard(self.get_object())
        return self.reply(self.get_object())
