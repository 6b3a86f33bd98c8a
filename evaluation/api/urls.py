"""Addresses for programs."""

from typing import Any

from django.urls import include, path

from annotate.api.viewsets import READ_AND_POST, Router
from evaluation.api.connections import Connections
from evaluation.api.corpora import Corpora
from evaluation.api.files import Exchange, Labels, Scorers
from evaluation.api.generations import Generations
from evaluation.api.improving import Improving
from evaluation.api.juries import Juries
from evaluation.api.making import Makings
from evaluation.api.prompts import Prompts
from evaluation.api.reports import Reports
from evaluation.api.runs import Runs
from evaluation.api.sharing import ReportLinks

READ_AND_MAKE: dict[str, Any] = {"get": "retrieve", "post": "create"}

study, files, everywhere = Router(), Router(trailing_slash=False), Router()

study.register("scorers", Scorers, "api-scorers")
study.register("report/links", ReportLinks, "api-report-links")
study.register("corpora", Corpora, "api-corpora")
study.register("makings", Makings, "api-makings")
study.register("generations", Generations, "api-generations")
study.register("runs", Runs, "api-runs")
study.register("", Exchange, "api")
files.register("", Labels, "api")
everywhere.register("connections", Connections, "api-connections")

of_study = [
    path("report/", Reports.as_view(READ_AND_MAKE), name="api-report"),
    path("improve/", Improving.as_view(READ_AND_MAKE), name="api-improve"),
    path("juries/", Juries.as_view(READ_AND_MAKE), name="api-juries"),
    path("prompts/", Prompts.as_view(READ_AND_POST), name="api-prompts"),
    *study.urls,
    *files.urls,
]

urlpatterns = [*everywhere.urls, path("studies/<slug:slug>/", include(of_study))]
