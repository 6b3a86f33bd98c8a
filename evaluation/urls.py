"""Addresses of the numbers, under a study's own."""

from django.urls import path

from evaluation.views import claims, labels, monitor, raters, scorers

urlpatterns = [
    path("batches/<int:batch_id>/monitor/", monitor.progress, name="batch-monitor"),
    path("batches/<int:batch_id>/agreement/", monitor.agreement, name="batch-agreement"),
    path("responses/<int:response_id>/claims/", claims.read, name="response-claims"),
    path("raters/", raters.listing, name="raters"),
    path("raters/<int:judge_id>/", raters.read, name="rater"),
    path("data/labels/", labels.page, name="labels"),
    path("data/scorers/", scorers.page, name="scorers"),
    path("data/labels.csv", labels.download, name="download-labels"),
]
