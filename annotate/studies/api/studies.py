"""The API of studies: create, read, change, copy, delete, leave."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.forms import model_to_dict
from django_filters import BooleanFilter, CharFilter
from django_filters.rest_framework import FilterSet
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.access import Access
from annotate.content import overview
from annotate.exchange import copying, deletion, study_archive
from annotate.exchange.streams import output_lines, question_lines
from annotate.models import Membership, Participant, Role, Study
from annotate.people import members
from annotate.protocol.presets import PRESETS
from annotate.protocol.shipped import SHIPPED
from annotate.protocol.written import read
from annotate.studies import lifecycle as studies
from annotate.studies import wordings
from annotate.studies.api.removals import RemovalSerializer
from annotate.studies.forms.studies import StudySettingsForm
from annotate.uploads.redividing import change_settings
from annotate.web.api.errors import faults_reported
from annotate.web.api.pagination import pages
from annotate.web.api.parsing import JSON_ALONE
from annotate.web.api.queries import refuse_invalid
from annotate.web.api.viewsets import ReadMixin, StudyViewSet, get, post
from annotate.web.errors import Refused


class StudySerializer(serializers.ModelSerializer[Study]):
    """A study, and one's own role in it."""

    dimensions = serializers.ListField(child=serializers.CharField())
    role = serializers.ChoiceField(Role.choices)
    upload = serializers.IntegerField(
        required=False,
        help_text="Where answers are to be divided again: the upload that says what that changes, "
        "and does it once it is confirmed.",
    )

    class Meta:
        model = Study
        fields = [
            "slug",
            "name",
            "description",
            "preset",
            "dimensions",
            "raters_per_unit",
            "lines",
            "reading",
            "language",
            "splitter",
            "citation_cap",
            "primary_judge",
            "tags",
            "is_template",
            "archived_at",
            "is_demo",
            "role",
            "upload",
        ]

    def to_representation(self, entered: Any) -> dict[str, Any]:
        """Return a study as a member sees it. Raters get no tags."""
        study = entered.study
        study.role = entered.role
        fields: dict[str, Any] = super().to_representation(study)
        return fields if entered.role != Role.RATER else {**fields, "tags": ""}


class NewStudySerializer(serializers.Serializer[Any]):
    """One of a shipped protocol and a protocol file; `dimensions` are of the custom one."""

    name = serializers.CharField(max_length=200)
    slug = serializers.RegexField(
        r"^[a-zA-Z0-9_-]{1,60}$", required=False, help_text="The address, if you want to choose it."
    )
    description = serializers.CharField(default="", allow_blank=True, max_length=20_000)
    preset = serializers.ChoiceField(sorted(PRESETS), required=False)
    dimensions = serializers.ListField(child=serializers.CharField(max_length=30), required=False)
    protocol = serializers.CharField(
        max_length=400_000, trim_whitespace=False, required=False, help_text="The text of a file."
    )
    template = serializers.SlugField(
        required=False, max_length=60, help_text="A study that is marked as a template."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len({"preset", "protocol", "template"} & attrs.keys()) != 1:
            raise serializers.ValidationError("Expected one of preset, protocol and template.")
        return attrs


class SettingsSerializer(serializers.ModelSerializer[Study]):
    """What is left out stays; `division` again only after a look at the upload that is named."""

    class Meta:
        model = Study
        fields = StudySettingsForm.Meta.fields


class CopySerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200)
    with_responses = serializers.BooleanField(default=False)
    with_batches = serializers.BooleanField(
        default=False, help_text="With each batch as a draft, whose tasks are drawn later."
    )


class ProgressSerializer(serializers.Serializer[Any]):
    dimension = serializers.CharField(source="dimension.key")
    units = serializers.IntegerField()
    judged = serializers.IntegerField()
    by_people = serializers.IntegerField()
    by_others = serializers.IntegerField()
    not_judged = serializers.IntegerField()
    left_out = serializers.IntegerField(help_text="Of excluded raters; in no other number.")


class ProgressOfAllSerializer(serializers.Serializer[Any]):
    progress = ProgressSerializer(many=True)


class StudyFilter(FilterSet):  # type: ignore[misc]
    archived = BooleanFilter(
        method="all_shown", help_text="Archived studies, instead of the others."
    )
    tag = CharFilter(method="all_shown")
    q = CharFilter(
        method="all_shown",
        help_text="Words of their names, descriptions, systems and responses, as on the page.",
    )

    class Meta:
        model = Membership
        fields: list[str] = []

    def all_shown(self, queryset: Any, name: str, value: Any) -> Any:
        return queryset

    def filter_queryset(self, queryset: QuerySet[Membership]) -> QuerySet[Membership]:
        given = self.form.cleaned_data
        archived = bool(given["archived"])
        shown = overview.filter_memberships(queryset, archived=archived, tag=given["tag"])
        return overview.search(shown, given["q"])[0]


class StudiesViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """Your studies, with your role in each."""

    roles = {
        "partial_update": Role.RESEARCHER,
        "destroy": Role.OWNER,
    }
    lookup_url_kwarg = "slug"
    lookup_value_converter = "slug"
    queryset = Membership.objects.none()
    filterset_class = StudyFilter
    serializer_class = StudySerializer
    bodies = {"create": NewStudySerializer, "partial_update": SettingsSerializer}
    answers = {"destroy": RemovalSerializer}
    statuses = {"destroy": 200}
    counts = ("upload",)  # only in the answer to a change
    pagination_class = pages("studies")

    def enter(self, request: Request, **kwargs: Any) -> None:
        if "slug" in kwargs:
            super().enter(request, **kwargs)

    def get_object(self) -> Access:
        return self.entered

    def get_queryset(self) -> Any:
        return access.memberships_of(self.user)

    def _study(self, study: Study, upload: Any = None, *, role: Role | None = None) -> Response:
        """Return a study, and the upload that a change may have created."""
        if upload is not None:
            study.upload = upload.pk  # type: ignore[attr-defined]
        return self.reply(Access(study, self.user, role or self.entered.role))

    def create(self, request: Request, **names: Any) -> Response:
        """Make a study, which you own. Of a shipped protocol (`preset`), or of a protocol file."""
        self._refuse_to_create()
        given = self.given()
        text, dimensions = given.pop("protocol", None), given.pop("dimensions", None)
        if template := given.pop("template", None):
            original = access.templates_of(self.user).filter(slug=template).first()
            if original is None:
                raise Refused(f"There is no template “{template}” of a study that you research in.")
            study, _ = copying.copy_study(original, **given, owner=self.user)
        elif text is None:
            chosen = None if dimensions is None else SHIPPED.with_conditions(dimensions)
            study = studies.create_study(**given, dimensions=chosen, owner=self.user)
        else:
            with faults_reported():
                study = wordings.create_study_from(read(text), **given, owner=self.user)
        return self._study(study, role=Role.OWNER)

    def retrieve(self, request: Request, **names: Any) -> Response:
        """One study's settings, and your role in it."""
        return Response(self.read())

    def partial_update(self, request: Request, **names: Any) -> Response:
        """Change the study's settings. What is left out stays."""
        given = self.given()
        present = model_to_dict(self.study, fields=StudySettingsForm.Meta.fields)
        form = StudySettingsForm(present | given, instance=self.study)
        refuse_invalid(form)
        study = Study.objects.get(pk=self.study.pk)  # the form has changed `self.study`
        upload = change_settings(study, form.settings(), output_lines, self.user)
        study.refresh_from_db()
        return self._study(study, upload)

    def destroy(self, request: Request, **names: Any) -> Response:
        """Delete the study with everything in it. For some days it can be put back."""
        return self.reply(deletion.delete_study(self.study, by=self.user))

    @post(role=Role.OWNER, edits=True)
    def archive(self, request: Request, **names: Any) -> Response:
        """Archive the study: it is left out of lists, and nothing is rated in it. Nothing is
        lost."""
        return self._study(study_archive.archive(self.study, by=self.user))

    @post(role=Role.OWNER, edits=True)
    def unarchive(self, request: Request, **names: Any) -> Response:
        """Take the study out of the archive."""
        return self._study(study_archive.unarchive(self.study, by=self.user))

    @post(role=Role.RESEARCHER, body=CopySerializer, status=201, parser_classes=JSON_ALONE)
    def copy(self, request: Request, **names: Any) -> Response:
        """Make another study that asks the same, which you own. With the responses, `upload` names
        the upload that loads them once it is confirmed."""
        self._refuse_to_create()
        given = self.given()
        made, upload = copying.copy_study(
            self.study,
            name=given["name"],
            owner=self.user,
            outputs=output_lines(self.study) if given["with_responses"] else None,
            questions=question_lines(self.study),
            with_batches=given["with_batches"],
        )
        return self._study(made, upload, role=Role.OWNER)

    @post(status=204)
    def leave(self, request: Request, **names: Any) -> Response:
        """Leave the study. Your judgments stay."""
        if Participant.objects.filter(user=self.user).exists():
            raise PermissionDenied("Stop taking part on the page of your batch.")
        members.remove_member(self.study.memberships.get(user=self.user))
        return self.reply()

    @get(detail=True, role=Role.VIEWER, serializer_class=ProgressOfAllSerializer)
    def progress(self, request: Request, **names: Any) -> Response:
        """How far the judging of each dimension has come."""
        return self.reply({"progress": overview.progress(self.study)})

    def _refuse_to_create(self) -> None:
        if not self.user.is_researcher:
            raise PermissionDenied("Your account may take part in studies, but not create them.")
        if self.user.came_by is not None and self.user.came_by.study_id is not None:
            raise PermissionDenied(
                "This token is for one study; another one cannot be made with it."
            )
