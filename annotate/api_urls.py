"""URLs of the API."""

from django.urls import include, path

from annotate.content.api.responses import NoteViewSet, ResponseNoteViewSet, ResponseViewSet
from annotate.content.api.systems import SystemViewSet
from annotate.people.api.members import InvitationViewSet, MemberViewSet
from annotate.people.api.raters import JudgeViewSet, QuestionViewSet, RaterViewSet, StandingViewSet
from annotate.rating.api.batches import AssignmentViewSet, BatchViewSet
from annotate.rating.api.desk import NextTaskViewSet, RatedBatchViewSet, TaskViewSet
from annotate.rating.api.disputes import DisputeViewSet, OpenedDisputeViewSet
from annotate.rating.api.inquiries import InquiryViewSet, OwnInquiryViewSet
from annotate.studies.api.audit_log import AuditLogViewSet
from annotate.studies.api.dimensions import DimensionViewSet, ProtocolFileViewSet
from annotate.studies.api.guidelines import ExampleViewSet, GuidelinesViewSet, VersionViewSet
from annotate.studies.api.removals import RemovalViewSet
from annotate.studies.api.studies import StudiesViewSet
from annotate.studies.api.webhooks import DeliveryViewSet, WebhookViewSet
from annotate.uploads.api import UploadViewSet
from annotate.web.api.description import page, schema
from annotate.web.api.files import StudyFileViewSet
from annotate.web.api.viewsets import READ_AND_POST, Router

study, files, everywhere = Router(), Router(trailing_slash=False), Router()

for prefix, viewset, name in (
    ("members", MemberViewSet, "members"),
    ("invitations", InvitationViewSet, "invitations"),
    ("webhooks", WebhookViewSet, "webhooks"),
    ("webhooks/<int:webhook_id>/deliveries", DeliveryViewSet, "deliveries"),
    ("guidelines/versions", VersionViewSet, "versions"),
    ("examples", ExampleViewSet, "examples"),
    ("questions", QuestionViewSet, "questions"),
    ("judges", JudgeViewSet, "judges"),
    ("raters", RaterViewSet, "raters"),
    ("audit-log", AuditLogViewSet, "audit-log"),
    ("disputes", DisputeViewSet, "disputes"),
    ("desk/batches", NextTaskViewSet, "desk-batches"),
    ("desk/tasks", TaskViewSet, "tasks"),
    ("systems", SystemViewSet, "systems"),
    ("responses", ResponseViewSet, "responses"),
    ("responses/<int:response_id>/notes", ResponseNoteViewSet, "notes-of-response"),
    ("notes", NoteViewSet, "notes"),
    ("uploads", UploadViewSet, "uploads"),
    ("batches", BatchViewSet, "batches"),
    ("batches/<int:batch_id>/assignments", AssignmentViewSet, "assignments"),
):
    study.register(prefix, viewset, f"api-{name}")
files.register("", StudyFileViewSet, "api")
everywhere.register("studies", StudiesViewSet, "api-studies")
everywhere.register("deleted", RemovalViewSet, "api-deleted")

of_study = [
    path(
        "raters/<int:judge_id>/standing/",
        StandingViewSet.as_view(READ_AND_POST),
        name="api-rater-standing",
    ),
    path(
        "disputes/<int:unit_id>/<str:dimension>/",
        OpenedDisputeViewSet.as_view(READ_AND_POST),
        name="api-dispute",
    ),
    path("inquiries/", InquiryViewSet.as_view({"get": "list"}), name="api-inquiries-list"),
    path(
        "inquiries/<int:inquiry_id>/",
        InquiryViewSet.as_view(READ_AND_POST),
        name="api-inquiries-detail",
    ),
    path("desk/", RatedBatchViewSet.as_view({"get": "retrieve"}), name="api-desk"),
    path(
        "desk/inquiries/", OwnInquiryViewSet.as_view({"get": "list"}), name="api-own-inquiries-list"
    ),
    path(
        "desk/inquiries/<int:inquiry_id>/",
        OwnInquiryViewSet.as_view({"post": "create"}),
        name="api-own-inquiries-detail",
    ),
    path(
        "guidelines/",
        GuidelinesViewSet.as_view({"get": "retrieve", "put": "update"}),
        name="api-guidelines",
    ),
    path("dimensions/", DimensionViewSet.as_view(READ_AND_POST), name="api-dimensions"),
    path("protocol.yaml", ProtocolFileViewSet.as_view({"get": "retrieve"}), name="api-protocol"),
    *study.urls,
    *files.urls,
]

urlpatterns = [
    path("", page, name="api"),
    path("schema/", schema, name="api-schema"),
    *everywhere.urls,
    path("studies/<slug:slug>/", include(of_study)),
]
