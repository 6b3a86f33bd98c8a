"""Addresses of the numbers, most of them under a study's own."""

from django.urls import include, path

from evaluation.generating.views import corpora, generating, making
from evaluation.labels import views as labels
from evaluation.language_models.views import connections, prompts
from evaluation.report_pages.views import comparing, reports, sharing
from evaluation.runs.views import (
    biases,
    claims,
    improving,
    juries,
    runs,
    thresholds,
)

study = [
    path("batches/<int:batch_id>/monitor/", labels.batch_progress, name="batch-monitor"),
    path("batches/<int:batch_id>/agreement/", labels.agreement_in_batch, name="batch-agreement"),
    path("responses/<int:response_id>/claims/", claims.read, name="response-claims"),
    path("raters/", labels.rater_list, name="raters"),
    path("raters/<int:judge_id>/", labels.rater_page, name="rater"),
    path("data/labels/", labels.labels_page, name="labels"),
    path("data/scorers/", improving.learned, name="scorers"),
    path("tools/", making.listing, name="makings"),
    path("tools/new/<slug:maker>/", making.new, name="making-new"),
    path("tools/<int:making_id>/", making.read, name="making"),
    path("tools/<int:making_id>/cancel/", making.cancel, name="making-cancel"),
    path("tools/<int:making_id>/retry/", making.retry, name="making-retry"),
    path("tools/<int:making_id>/remove/", making.remove, name="making-remove"),
    path("data/labels.csv", labels.labels_download, name="download-labels"),
    path("data/exchange/", labels.exchange_page, name="exchange"),
    path("data/exchange/<slug:form>/", labels.exchange_download, name="download-exchange"),
    path("data/generated/", generating.listing, name="generations"),
    path("data/generated/new/", generating.new, name="generation-new"),
    path("data/generated/<int:generation_id>/", generating.read, name="generation"),
    *(
        path(f"data/generated/<int:generation_id>/{word}/", act, name=f"generation-{word}")
        for word, act in (
            ("pause", generating.pause),
            ("resume", generating.resume),
            ("cancel", generating.cancel),
            ("remove", generating.remove),
        )
    ),
    path("report/", reports.page, name="report"),
    path("report/now/", reports.now, name="report-now"),
    path("report/links/", sharing.links, name="report-links"),
    path("report/links/<int:link_id>/end/", sharing.end, name="report-link-end"),
    path("report/compare/", comparing.choose, name="report-compare"),
    path("report/compare/<int:comparison_id>/", comparing.read, name="report-comparison"),
    path(
        "report/compare/<int:comparison_id>/tables/<str:key>.csv",
        comparing.table,
        {"form": "csv"},
        name="report-comparison-table",
    ),
    path(
        "report/compare/<int:comparison_id>/tables/<str:key>.tex",
        comparing.table,
        {"form": "tex"},
        name="report-comparison-table-latex",
    ),
    path(
        "report/compare/<int:comparison_id>/<slug:form>/",
        comparing.download,
        name="report-comparison-download",
    ),
    path("report/again/", reports.again, name="report-again"),
    path(
        "report/<int:report_id>/tables/<str:key>.csv",
        reports.table,
        {"form": "csv"},
        name="report-table",
    ),
    path(
        "report/<int:report_id>/tables/<str:key>.tex",
        reports.table,
        {"form": "tex"},
        name="report-table-latex",
    ),
    path("report/<int:report_id>/tables/<str:key>/", reports.rows, name="report-rows"),
    path("report/<int:report_id>/texts/<str:key>/", reports.texts, name="report-texts"),
    path("report/<int:report_id>/charts/<str:key>.<slug:form>", reports.chart, name="report-chart"),
    path(
        "report/<int:report_id>/threshold/<slug:key>/", thresholds.choose, name="report-threshold"
    ),
    path("report/<int:report_id>/abstained/<slug:key>/", thresholds.send, name="report-abstained"),
    path("report/<int:report_id>/<slug:form>/", reports.download, name="report-download"),
    path("corpora/", corpora.listing, name="corpora"),
    path("corpora/<int:corpus_id>/", corpora.read, name="corpus"),
    path("corpora/<int:corpus_id>/cancel/", corpora.cancel, name="corpus-cancel"),
    path("corpora/<int:corpus_id>/again/", corpora.again, name="corpus-again"),
    path("corpora/<int:corpus_id>/delete/", corpora.delete, name="corpus-delete"),
    path("runs/", runs.listing, name="runs"),
    path("runs/now/", runs.now, name="runs-now"),
    path("runs/new/", runs.new, name="run-new"),
    path("runs/recommended/", runs.run_recommended, name="run-recommended"),
    path("judges/juries/", juries.page, name="juries"),
    path("judges/<int:automatic_id>/renew/", juries.bring_up_to_date, name="jury-renew"),
    path("judges/<int:automatic_id>/improve/", improving.page, name="improve-judge"),
    path(
        "judges/<int:automatic_id>/improve/examples/",
        improving.with_examples,
        name="improve-examples",
    ),
    path("runs/prompts/", prompts.listing, name="prompts"),
    path("runs/prompts/<slug:name>/", prompts.edit, name="prompt"),
    path("runs/prompts/<slug:name>/<int:version>.md", prompts.download, name="prompt-download"),
    path("runs/<int:run_id>/", runs.read, name="run"),
    path("runs/<int:run_id>/start/", runs.start, name="run-start"),
    path("runs/<int:run_id>/pause/", runs.pause, name="run-pause"),
    path("runs/<int:run_id>/resume/", runs.resume, name="run-resume"),
    path("runs/<int:run_id>/retry/", runs.retry, name="run-retry"),
    path("runs/<int:run_id>/cancel/", runs.cancel, name="run-cancel"),
    path("runs/<int:run_id>/biases/", biases.page, name="run-biases"),
    path("runs/<int:run_id>/remove/", runs.remove, name="run-remove"),
]

urlpatterns = [
    path("studies/<slug:slug>/", include(study)),
    path("shared/<str:secret>/", sharing.page, name="shared-report"),
    path(
        "shared/<str:secret>/tables/<str:key>.csv",
        sharing.table,
        {"form": "csv"},
        name="shared-table",
    ),
    path(
        "shared/<str:secret>/tables/<str:key>.tex",
        sharing.table,
        {"form": "tex"},
        name="shared-table-latex",
    ),
    path("shared/<str:secret>/tables/<str:key>/", sharing.rows, name="shared-rows"),
    path("shared/<str:secret>/charts/<str:key>.<slug:form>", sharing.chart, name="shared-chart"),
    path("shared/<str:secret>/<slug:form>/", sharing.download, name="shared-download"),
    path("account/connections/", connections.listing, name="connections"),
    path("account/connections/<int:connection_id>/", connections.edit, name="connection"),
    path(
        "account/connections/<int:connection_id>/delete/",
        connections.delete,
        name="connection-delete",
    ),
]
