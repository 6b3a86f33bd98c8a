"""Studies for programs: made, read, changed, deleted, left."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.forms import model_to_dict
from rest_framework import serializers

from annotate import access
from annotate.access import Access
from annotate.api.endpoint import (
    PageSerializer,
    cut,
    listed,
    refuse_invalid,
    says,
    shape,
)
from annotate.api.faults import faults_told
from annotate.api.removals import RemovalSerializer, told_removal
from annotate.api.serializers import StudySerializer
from annotate.export.streams import output_lines, question_lines
from annotate.forms import StudySettingsForm
from annotate.models import Participant, Role, Study, User
from annotate.protocol.presets import PRESETS
from annotate.protocol.shipped import SHIPPED
from annotate.protocol.written import read
from annotate.reading import finding, overview
from annotate.services import archiving, copying, deletion, studies, wordings
from annotate.services.errors import Refused
from annotate.services.people import members
from annotate.services.uploads.redividing import change_settings


class EnteredSerializer(StudySerializer):
    """A study, and one's own role in it."""

    role = serializers.ChoiceField(Role.choices)

    class Meta(StudySerializer.Meta):
        fields = [*StudySerializer.Meta.fields, "role"]


class ChangedSerializer(EnteredSerializer):
    upload = serializers.IntegerField(
        required=False,
        help_text="Where answers are to be divided again: the upload that says what that changes, "
        "and does it once it is confirmed.",
    )

    class Meta(EnteredSerializer.Meta):
        fields = [*EnteredSerializer.Meta.fields, "upload"]


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


class StudiesQuerySerializer(PageSerializer):
    archived = serializers.BooleanField(
        default=False, help_text="Those that are archived, instead of the others."
    )
    tag = serializers.CharField(default="", max_length=300)
    q = serializers.CharField(
        default="",
        max_length=200,
        help_text="Words of their names, descriptions, systems and responses, as on the page.",
    )


class SettingsSerializer(serializers.ModelSerializer[Study]):
    """What is left out stays; `division` again only after a look at the upload that is named."""

    class Meta:
        model = Study
        fields = StudySettingsForm.Meta.fields


def told(entered: Access) -> dict[str, Any]:
    """Tags are not for raters."""
    hidden = {} if entered.reads else {"tags": ""}
    return {**StudySerializer(entered.study).data, **hidden, "role": entered.role}


@says(
    "Your studies, with your role in each.",
    query=StudiesQuerySerializer,
    gives=listed("studies", EnteredSerializer),
)
def list_studies(user: User, asked: dict[str, Any]) -> dict[str, Any]:
    own = access.memberships_of(user)
    shown = overview.memberships_shown(own, archived=asked["archived"], tag=asked["tag"])
    found, _ = finding.search(shown, asked["q"])
    rows, after = cut(found, asked)
    return {
        "studies": [told(Access(row.study, user, Role(row.role))) for row in rows],
        "after": after,
    }


@says(
    "Make a study, which you own. Of a shipped protocol (`preset`), or of a protocol file.",
    takes=NewStudySerializer,
    gives=EnteredSerializer,
    status=201,
)
def make_study(user: User, given: dict[str, Any]) -> dict[str, Any]:
    _refuse_to_create(user)
    text, dimensions = given.pop("protocol", None), given.pop("dimensions", None)
    if template := given.pop("template", None):
        found = access.templates_of(user).filter(slug=template).first()
        if found is None:
            raise Refused(f"There is no template “{template}” of a study that you research in.")
        made, _ = copying.copy_study(found, **given, owner=user)
        return told(Access(study=made, user=user, role=Role.OWNER))
    if text is None:
        chosen = None if dimensions is None else SHIPPED.with_conditions(dimensions)
        made = studies.create_study(**given, dimensions=chosen, owner=user)
    else:
        with faults_told():
            made = wordings.create_study_of(read(text), **given, owner=user)
    return told(Access(study=made, user=user, role=Role.OWNER))


@says(
    "One study's settings, and your role in it.",
    gives=EnteredSerializer,
    counts=("upload",),  # which a change tells once
)
def read_study(entered: Access) -> dict[str, Any]:
    return told(entered)


@says(
    "Change the study's settings. What is left out stays.",
    role=Role.RESEARCHER,
    takes=SettingsSerializer,
    gives=ChangedSerializer,
)
def change_study(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    present = model_to_dict(entered.study, fields=StudySettingsForm.Meta.fields)
    form = StudySettingsForm(present | given, instance=entered.study)
    refuse_invalid(form)
    study = Study.objects.get(pk=entered.study.pk)  # the form changed the one that was entered
    upload = change_settings(study, form.settings(), output_lines, entered.user)
    study.refresh_from_db()
    changed = told(Access(study=study, user=entered.user, role=entered.role))
    return changed if upload is None else {**changed, "upload": upload.pk}


@says(
    "Delete the study with everything in it. For some days it can be put back.",
    role=Role.OWNER,
    gives=RemovalSerializer,
)
def delete_study(entered: Access) -> dict[str, Any]:
    return told_removal(deletion.delete_study(entered.study, by=entered.user))


@says(
    "Archive the study: it is left out of lists, and nothing is rated in it. Nothing is lost.",
    role=Role.OWNER,
    gives=EnteredSerializer,
    edits=True,
)
def archive_study(entered: Access) -> dict[str, Any]:
    study = archiving.archive(entered.study, by=entered.user)
    return told(Access(study, entered.user, entered.role))


@says("Take the study out of the archive.", role=Role.OWNER, gives=EnteredSerializer, edits=True)
def unarchive_study(entered: Access) -> dict[str, Any]:
    study = archiving.unarchive(entered.study, by=entered.user)
    return told(Access(study, entered.user, entered.role))


def _refuse_to_create(user: User) -> None:
    if not user.is_researcher:
        raise PermissionDenied("Your account may take part in studies, but not create them.")
    if user.came_by is not None and user.came_by.study_id is not None:
        raise PermissionDenied("This token is for one study; another one cannot be made with it.")


class CopySerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200)
    with_responses = serializers.BooleanField(default=False)
    with_batches = serializers.BooleanField(
        default=False, help_text="With each batch as a draft, whose tasks are drawn later."
    )


@says(
    "Make another study that asks the same, which you own. With the responses, `upload` names the "
    "upload that loads them once it is confirmed.",
    role=Role.RESEARCHER,
    takes=CopySerializer,
    gives=ChangedSerializer,
    status=201,
)
def copy_study(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    _refuse_to_create(entered.user)
    outputs = output_lines(entered.study) if given["with_responses"] else None
    made, upload = copying.copy_study(
        entered.study,
        name=given["name"],
        owner=entered.user,
        outputs=outputs,
        questions=question_lines(entered.study),
        with_batches=given["with_batches"],
    )
    copy = told(Access(study=made, user=entered.user, role=Role.OWNER))
    return copy if upload is None else {**copy, "upload": upload.pk}


@says("Leave the study. Your judgments stay.", status=204)
def leave_study(entered: Access) -> None:
    if Participant.objects.filter(user=entered.user).exists():
        raise PermissionDenied("Stop taking part on the page of your batch.")
    members.remove_member(entered.study.memberships.get(user=entered.user))


ProgressSerializer = shape(
    "Progress",
    dimension=serializers.CharField(),
    units=serializers.IntegerField(),
    judged=serializers.IntegerField(),
    by_people=serializers.IntegerField(),
    by_others=serializers.IntegerField(),
    not_judged=serializers.IntegerField(),
    left_out=serializers.IntegerField(help_text="Of excluded raters; in no other number."),
)


@says(
    "How far the judging of each dimension has come.",
    role=Role.VIEWER,
    gives=shape("ProgressOfAll", progress=ProgressSerializer(many=True)),
)
def read_progress(entered: Access) -> dict[str, Any]:
    rows = overview.progress(entered.study)
    names = ("units", "judged", "by_people", "by_others", "not_judged", "left_out")
    return {
        "progress": [
            {"dimension": row.dimension.key, **{name: getattr(row, name) for name in names}}
            for row in rows
        ]
    }
