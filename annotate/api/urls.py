"""Addresses for programs."""

from django.urls import include, path

from annotate.api.audit_log import AuditLog
from annotate.api.batches import Assignments, Batches
from annotate.api.description import page, schema
from annotate.api.desk import Desk, DeskBatches, Tasks
from annotate.api.dimensions import Dimensions, ProtocolFile
from annotate.api.disputes import DisputeOfUnit, Disputes
from annotate.api.files import Files
from annotate.api.guidelines import Examples, Guidelines, Versions
from annotate.api.inquiries import Inquiries, OwnInquiries
from annotate.api.members import Invitations, Members
from annotate.api.notes import Notes, NotesOfResponse
from annotate.api.raters import Judges, Questions, Raters, StandingOfRater
from annotate.api.removals import Removals
from annotate.api.responses import Responses
from annotate.api.studies import Studies
from annotate.api.systems import Systems
from annotate.api.uploads import Uploads
from annotate.api.viewsets import READ_AND_POST, Router
from annotate.api.webhooks import Deliveries, Webhooks

study, files, everywhere = Router(), Router(trailing_slash=False), Router()

for prefix, viewset, name in (
    ("members", Members, "members"),
    ("invitations", Invitations, "invitations"),
    ("webhooks", Webhooks, "webhooks"),
    ("webhooks/<int:webhook_id>/deliveries", Deliveries, "deliveries"),
    ("guidelines/versions", Versions, "versions"),
    ("examples", Examples, "examples"),
    ("questions", Questions, "questions"),
    ("judges", Judges, "judges"),
    ("raters", Raters, "raters"),
    ("audit-log", AuditLog, "audit-log"),
    ("disputes", Disputes, "disputes"),
    ("desk/batches", DeskBatches, "desk-batches"),
    ("desk/tasks", Tasks, "tasks"),
    ("systems", Systems, "systems"),
    ("responses", Responses, "responses"),
    ("responses/<int:response_id>/notes", NotesOfResponse, "notes-of-response"),
    ("notes", Notes, "notes"),
    ("uploads", Uploads, "uploads"),
    ("batches", Batches, "batches"),
    ("batches/<int:batch_id>/assignments", Assignments, "assignments"),
):
    study.register(prefix, viewset, f"api-{name}")
files.register("", Files, "api")
everywhere.register("studies", Studies, "api-studies")
everywhere.register("deleted", Removals, "api-deleted")

of_study = [
    path(
        "raters/<int:judge_id>/standing/",
        StandingOfRater.as_view(READ_AND_POST),
        name="api-rater-standing",
    ),
    path(
        "disputes/<int:unit_id>/<str:dimension>/",
        DisputeOfUnit.as_view(READ_AND_POST),
        name="api-dispute",
    ),
    path("inquiries/", Inquiries.as_view({"get": "list"}), name="api-inquiries-list"),
    path(
        "inquiries/<int:inquiry_id>/",
        Inquiries.as_view(READ_AND_POST),
        name="api-inquiries-detail",
    ),
    path("desk/", Desk.as_view({"get": "retrieve"}), name="api-desk"),
    path("desk/inquiries/", OwnInquiries.as_view({"get": "list"}), name="api-own-inquiries-list"),
    path(
        "desk/inquiries/<int:inquiry_id>/",
        OwnInquiries.as_view({"post": "create"}),
        name="api-own-inquiries-detail",
    ),
    path(
        "guidelines/",
        Guidelines.as_view({"get": "retrieve", "put": "update"}),
        name="api-guidelines",
    ),
    path("dimensions/", Dimensions.as_view(READ_AND_POST), name="api-dimensions"),
    path("protocol.yaml", ProtocolFile.as_view({"get": "retrieve"}), name="api-protocol"),
    *study.urls,
    *files.urls,
]

urlpatterns = [
    path("", page, name="api"),
    path("schema/", schema, name="api-schema"),
    *everywhere.urls,
    path("studies/<slug:slug>/", include(of_study)),
]
