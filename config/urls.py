"""All addresses. Pages of a study are under its slug, the API is under /api/."""

from django.urls import include, path

from annotate.urls import task
from config.health import healthz, readyz
from config.observing.numbers import metrics

urlpatterns = [
    # The desk's addresses are the most frequent, so they are first.
    path("studies/<slug:slug>/desk/tasks/<int:assignment_id>/", include(task)),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("api/", include("annotate.api_urls")),
    path("api/", include("evaluation.api_urls")),
    path("", include("annotate.urls")),
    path("", include("evaluation.urls")),
]

handler400 = "annotate.web.error_pages.bad_request"
handler403 = "annotate.web.error_pages.permission_denied"
handler404 = "annotate.web.error_pages.not_found"
handler500 = "annotate.web.error_pages.server_error"
