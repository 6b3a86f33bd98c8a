"""Addresses for programs."""

from typing import Any

from django.urls import include, path

from annotate.web.api.viewsets import READ_AND_POST, Router
from evaluation.generating.api import CorpusViewSet, GenerationViewSet, MakingViewSet
from evaluation.labels.api import ExchangeViewSet, LabelViewSet, ScorerViewSet
from evaluation.language_models.api.connections import ConnectionViewSet
from evaluation.language_models.api.prompts import PromptViewSet
from evaluation.report_pages.api.reports import ReportViewSet
from evaluation.report_pages.api.sharing import ReportLinkViewSet
from evaluation.runs.api.learning import ImproveViewSet, JuryViewSet
from evaluation.runs.api.runs import RunViewSet

READ_AND_MAKE: dict[str, Any] = {"get": "retrieve", "post": "create"}

study, files, everywhere = Router(), Router(trailing_slash=False), Router()

study.register("scorers", ScorerViewSet, "api-scorers")
study.register("report/links", ReportLinkViewSet, "api-report-links")
study.register("corpora", CorpusViewSet, "api-corpora")
study.register("makings", MakingViewSet, "api-makings")
study.register("generations", GenerationViewSet, "api-generations")
study.register("runs", RunViewSet, "api-runs")
study.register("", ExchangeViewSet, "api")
files.register("", LabelViewSet, "api")
everywhere.register("connections", ConnectionViewSet, "api-connections")

of_study = [
    path("report/", ReportViewSet.as_view(READ_AND_MAKE), name="api-report"),
    path("improve/", ImproveViewSet.as_view(READ_AND_MAKE), name="api-improve"),
    path("juries/", JuryViewSet.as_view(READ_AND_MAKE), name="api-juries"),
    path("prompts/", PromptViewSet.as_view(READ_AND_POST), name="api-prompts"),
    *study.urls,
    *files.urls,
]

urlpatterns = [*everywhere.urls, path("studies/<slug:slug>/", include(of_study))]
