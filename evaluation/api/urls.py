"""Addresses for programs."""

from django.urls import path, re_path

from evaluation.api import improving, juries, prompts, reports
from evaluation.api import runs as api

urlpatterns = [
    path("studies/<slug:slug>/report/", reports.report, name="api-report"),
    path("studies/<slug:slug>/improve/", improving.improvement, name="api-improve"),
    path("studies/<slug:slug>/juries/", juries.jury_list, name="api-juries"),
    path("studies/<slug:slug>/prompts/", prompts.prompt_list, name="api-prompts"),
    path("studies/<slug:slug>/runs/", api.run_list, name="api-runs"),
    path("studies/<slug:slug>/runs/<int:run_id>/", api.run, name="api-run"),
    re_path(
        r"^studies/(?P<slug>[-\w]+)/runs/(?P<run_id>[0-9]{1,18})/"
        r"(?P<action>start|pause|resume|retry|cancel)/$",
        api.run_action,
        name="api-run-action",
    ),
]
