"""Addresses of the pages."""

from django.urls import include, path

from annotate.views import (
    accounts,
    downloads,
    formats,
    guidelines,
    members,
    responses,
    studies,
    systems,
    uploads,
)

study = [
    path("", studies.home, name="study"),
    path("progress/", studies.progress, name="study-progress"),
    path("settings/", studies.settings, name="study-settings"),
    path("delete/", studies.delete, name="study-delete"),
    path("guidelines/", guidelines.read, name="guidelines"),
    path("guidelines/edit/", guidelines.edit, name="guidelines-edit"),
    path("systems/", systems.listing, name="systems"),
    path("systems/<int:system_id>/", systems.edit, name="system"),
    path("responses/", responses.listing, name="responses"),
    path("responses/<int:response_id>/", responses.read, name="response"),
    path("uploads/", uploads.listing, name="uploads"),
    path("uploads/<int:upload_id>/", uploads.read, name="upload"),
    path("uploads/<int:upload_id>/status/", uploads.status, name="upload-status"),
    path("uploads/<int:upload_id>/again/", uploads.check_again, name="upload-again"),
    path("uploads/<int:upload_id>/confirm/", uploads.confirm, name="upload-confirm"),
    path("uploads/<int:upload_id>/cancel/", uploads.cancel, name="upload-cancel"),
    path("uploads/<int:upload_id>/discard/", uploads.discard, name="upload-discard"),
    path("members/", members.listing, name="members"),
    path("members/invite/", members.invite, name="invite"),
    path("members/links/<int:invitation_id>/revoke/", members.revoke, name="invitation-revoke"),
    path("members/<int:membership_id>/role/", members.change_role, name="member-role"),
    path("members/<int:membership_id>/remove/", members.remove, name="member-remove"),
    path("leave/", members.leave, name="leave"),
    path("data/", downloads.page, name="data"),
    path("data/outputs.jsonl", downloads.outputs, name="download-outputs"),
    path("data/judgments.<str:form>", downloads.judgments, name="download-judgments"),
]

urlpatterns = [
    path("", studies.start, name="start"),
    path("sign-in/", accounts.sign_in, name="sign-in"),
    path("sign-out/", accounts.sign_out, name="sign-out"),
    path("sign-up/", accounts.sign_up, name="sign-up"),
    path("account/", accounts.account, name="account"),
    path("account/password/", accounts.change_password, name="password"),
    path("account/tokens/", accounts.make_token, name="token-new"),
    path("account/tokens/<int:token_id>/delete/", accounts.delete_token, name="token-delete"),
    path("join/<str:code>/", accounts.join, name="join"),
    path("studies/", studies.listing, name="studies"),
    path("studies/new/", studies.create, name="study-new"),
    path("studies/<slug:slug>/", include(study)),
    path("formats/", formats.overview, name="formats"),
    path("formats/response.schema.json", formats.schema, name="response-schema"),
]
