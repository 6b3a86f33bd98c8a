"""Addresses for programs."""

from django.urls import path, re_path

from annotate.api import dimensions
from annotate.api import endpoints as api

urlpatterns = [
    path("studies/", api.studies, name="api-studies"),
    path("studies/<slug:slug>/", api.study, name="api-study"),
    path("studies/<slug:slug>/dimensions/", dimensions.dimensions, name="api-dimensions"),
    path("studies/<slug:slug>/protocol.yaml", dimensions.protocol, name="api-protocol"),
    path("studies/<slug:slug>/systems/", api.systems, name="api-systems"),
    path("studies/<slug:slug>/responses/", api.responses, name="api-responses"),
    path("studies/<slug:slug>/responses/<int:response_id>/", api.response, name="api-response"),
    path("studies/<slug:slug>/outputs.jsonl", api.outputs, name="api-outputs"),
    path("studies/<slug:slug>/judgments.<str:form>", api.judgments, name="api-judgments"),
    path("studies/<slug:slug>/uploads/", api.upload_list, name="api-uploads"),
    path("studies/<slug:slug>/uploads/<int:upload_id>/", api.upload, name="api-upload"),
    re_path(
        r"^studies/(?P<slug>[-\w]+)/uploads/(?P<upload_id>[0-9]{1,18})/"
        r"(?P<action>confirm|again|cancel|discard)/$",
        api.upload_action,
        name="api-upload-action",
    ),
    path("studies/<slug:slug>/batches/", api.batch_list, name="api-batches"),
    path("studies/<slug:slug>/batches/<int:batch_id>/", api.batch, name="api-batch"),
    re_path(
        r"^studies/(?P<slug>[-\w]+)/batches/(?P<batch_id>[0-9]{1,18})/(?P<action>open|close)/$",
        api.batch_action,
        name="api-batch-action",
    ),
]
