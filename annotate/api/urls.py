"""Addresses for programs."""

from django.urls import include, path

from annotate.api import (
    audit_log,
    batches,
    desk,
    dimensions,
    disputes,
    files,
    guidelines,
    inquiries,
    members,
    notes,
    raters,
    removals,
    responses,
    studies,
    systems,
    uploads,
    webhooks,
)
from annotate.api.description import page, schema
from annotate.api.endpoint import address

study = [
    path(
        "",
        address(GET=studies.read_study, PATCH=studies.change_study, DELETE=studies.delete_study),
        name="api-study",
    ),
    path("copy/", address(POST=studies.copy_study), name="api-copy"),
    *(
        path(f"{word}/", address(POST=act, of=studies.read_study), name=f"api-{word}")
        for word, act in (
            ("archive", studies.archive_study),
            ("unarchive", studies.unarchive_study),
        )
    ),
    path("leave/", address(POST=studies.leave_study), name="api-leave"),
    path("progress/", address(GET=studies.read_progress), name="api-progress"),
    path("members/", address(GET=members.list_members), name="api-members"),
    path(
        "members/<int:membership_id>/",
        address(GET=members.read_member, PATCH=members.change_role, DELETE=members.remove_member),
        name="api-member",
    ),
    path(
        "invitations/",
        address(GET=members.list_invitations, POST=members.invite),
        name="api-invitations",
    ),
    path(
        "invitations/<int:invitation_id>/",
        address(GET=members.read_invitation, DELETE=members.revoke_invitation),
        name="api-invitation",
    ),
    path(
        "webhooks/",
        address(GET=webhooks.list_webhooks, POST=webhooks.make_webhook),
        name="api-webhooks",
    ),
    path(
        "webhooks/<int:webhook_id>/",
        address(
            GET=webhooks.read_webhook,
            PATCH=webhooks.change_webhook,
            DELETE=webhooks.remove_webhook,
        ),
        name="api-webhook",
    ),
    path(
        "webhooks/<int:webhook_id>/test/",
        address(POST=webhooks.test_webhook),
        name="api-webhook-test",
    ),
    path(
        "webhooks/<int:webhook_id>/deliveries/",
        address(GET=webhooks.list_deliveries),
        name="api-deliveries",
    ),
    path(
        "webhooks/<int:webhook_id>/deliveries/<int:delivery_id>/again/",
        address(POST=webhooks.redeliver),
        name="api-delivery-again",
    ),
    path(
        "guidelines/",
        address(GET=guidelines.read_guidelines, PUT=guidelines.change_guidelines),
        name="api-guidelines",
    ),
    path(
        "guidelines/versions/",
        address(GET=guidelines.list_versions),
        name="api-guidelines-versions",
    ),
    path(
        "examples/",
        address(GET=guidelines.list_examples, POST=guidelines.add_example),
        name="api-examples",
    ),
    path(
        "examples/<int:example_id>/",
        address(
            GET=guidelines.read_example,
            PATCH=guidelines.change_example,
            DELETE=guidelines.remove_example,
        ),
        name="api-example",
    ),
    path(
        "questions/",
        address(GET=raters.list_questions, POST=raters.describe_questions),
        name="api-questions",
    ),
    path(
        "questions/<int:question_id>/",
        address(GET=raters.read_question, PATCH=raters.change_question),
        name="api-question",
    ),
    path("judges/", address(GET=raters.list_judges), name="api-judges"),
    path("raters/", address(GET=raters.list_raters), name="api-raters"),
    path(
        "raters/<int:judge_id>/standing/",
        address(GET=raters.read_standing, POST=raters.change_standing),
        name="api-rater-standing",
    ),
    path("audit-log/", address(GET=audit_log.list_audit_log), name="api-audit-log"),
    path("disputes/", address(GET=disputes.list_disputes), name="api-disputes"),
    path(
        "disputes/<int:unit_id>/<str:dimension>/",
        address(GET=disputes.read_dispute, POST=disputes.decide_dispute),
        name="api-dispute",
    ),
    path("inquiries/", address(GET=inquiries.list_inquiries), name="api-inquiries"),
    path(
        "inquiries/<int:inquiry_id>/",
        address(GET=inquiries.read_inquiry, POST=inquiries.answer_inquiry),
        name="api-inquiry",
    ),
    path("desk/", address(GET=desk.list_desk), name="api-desk"),
    path("desk/batches/<int:batch_id>/next/", address(POST=desk.begin_task), name="api-next-task"),
    path("desk/tasks/<int:assignment_id>/", address(GET=desk.read_task), name="api-task"),
    *(
        path(f"desk/tasks/<int:assignment_id>/{word}/", address(POST=act), name=f"api-task-{word}")
        for word, act in (
            ("answer", desk.answer_task),
            ("flag", desk.flag_task),
            ("ask", desk.ask_about_task),
            ("finish", desk.finish_task),
            ("return", desk.return_task),
        )
    ),
    path(
        "desk/tasks/<int:assignment_id>/feedback/",
        address(GET=desk.read_feedback),
        name="api-task-feedback",
    ),
    path("desk/inquiries/", address(GET=inquiries.list_own_inquiries), name="api-own-inquiries"),
    path(
        "desk/inquiries/<int:inquiry_id>/",
        address(POST=inquiries.write_again),
        name="api-own-inquiry",
    ),
    path(
        "dimensions/",
        address(GET=dimensions.read_dimensions, POST=dimensions.change_dimensions),
        name="api-dimensions",
    ),
    path("protocol.yaml", address(GET=dimensions.read_protocol), name="api-protocol"),
    path("systems/", address(GET=systems.list_systems), name="api-systems"),
    path(
        "systems/<int:system_id>/",
        address(GET=systems.read_system, PATCH=systems.change_system, DELETE=systems.delete_system),
        name="api-system",
    ),
    path("responses/", address(GET=responses.list_responses), name="api-responses"),
    path(
        "responses/<int:response_id>/notes/",
        address(GET=notes.list_notes, POST=notes.write_note),
        name="api-notes",
    ),
    path(
        "notes/<int:note_id>/",
        address(GET=notes.read_note, PATCH=notes.change_note, DELETE=notes.delete_note),
        name="api-note",
    ),
    path(
        "responses/<int:response_id>/",
        address(GET=responses.read_response),
        name="api-response",
    ),
    path("outputs.jsonl", address(GET=files.read_outputs), name="api-outputs"),
    path("questions.jsonl", address(GET=files.read_listed_questions), name="api-listed-questions"),
    path("judgments.<str:form>", address(GET=files.read_judgments), name="api-judgments"),
    path("tables.zip", address(GET=files.read_tables), name="api-tables"),
    path("label-studio.zip", address(GET=files.read_label_studio), name="api-label-studio"),
    path("dataset.zip", address(GET=files.read_dataset), name="api-dataset"),
    path("beside/<str:what>.csv", address(GET=files.read_beside), name="api-beside"),
    path(
        "uploads/",
        address(GET=uploads.list_uploads, POST=uploads.bring_file),
        name="api-uploads",
    ),
    path("uploads/<int:upload_id>/", address(GET=uploads.read_upload), name="api-upload"),
    *(
        path(f"uploads/<int:upload_id>/{word}/", address(POST=act), name=f"api-upload-{word}")
        for word, act in (
            ("confirm", uploads.confirm_upload),
            ("again", uploads.check_upload_again),
            ("cancel", uploads.cancel_upload),
            ("discard", uploads.discard_upload),
        )
    ),
    path(
        "batches/",
        address(GET=batches.list_batches, POST=batches.make_batch),
        name="api-batches",
    ),
    path(
        "batches/<int:batch_id>/",
        address(GET=batches.read_batch, PATCH=batches.change_batch, DELETE=batches.delete_batch),
        name="api-batch",
    ),
    path(
        "batches/<int:batch_id>/assignments/",
        address(GET=batches.list_assignments),
        name="api-assignments",
    ),
    path("batches/<int:batch_id>/gold/", address(GET=batches.list_gold), name="api-gold"),
    path(
        "batches/<int:batch_id>/gold/<int:item_id>/",
        address(POST=batches.write_gold),
        name="api-gold-write",
    ),
    *(
        path(
            f"batches/<int:batch_id>/{word}/",
            address(POST=act, of=batches.read_batch),
            name=f"api-{name}",
        )
        for word, name, act in (
            ("open", "batch-open", batches.open_batch),
            ("close", "batch-close", batches.close_batch),
            ("draw", "batch-draw", batches.draw_tasks),
            ("gold/judge", "gold-judge", batches.make_gold_judge),
        )
    ),
]

urlpatterns = [
    path("", page, name="api"),
    path("schema/", schema, name="api-schema"),
    path(
        "studies/", address(GET=studies.list_studies, POST=studies.make_study), name="api-studies"
    ),
    path("studies/<slug:slug>/", include(study)),
    path("deleted/", address(GET=removals.list_deleted), name="api-deleted"),
    path("deleted/<int:removal_id>/back/", address(POST=removals.put_back), name="api-put-back"),
    path("deleted/<int:removal_id>/now/", address(POST=removals.remove_now), name="api-remove-now"),
]
