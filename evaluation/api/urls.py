"""Addresses for programs."""

from django.urls import include, path

from annotate.api.endpoint import address
from evaluation.api import (
    connections,
    corpora,
    files,
    generations,
    improving,
    juries,
    making,
    prompts,
    reports,
    runs,
    sharing,
)

study = [
    path("labels.csv", address(GET=files.read_labels), name="api-labels"),
    path("exchange/<slug:form>/", address(GET=files.read_exchange), name="api-exchange"),
    path("scorers/", address(GET=files.list_scorers), name="api-scorers"),
    path("report/", address(GET=reports.read_report, POST=reports.build_report), name="api-report"),
    path(
        "report/links/",
        address(GET=sharing.list_report_links, POST=sharing.share_report),
        name="api-report-links",
    ),
    path(
        "report/links/<int:link_id>/",
        address(GET=sharing.read_report_link, DELETE=sharing.end_report_link),
        name="api-report-link",
    ),
    path(
        "improve/",
        address(GET=improving.read_improvements, POST=improving.improve_judge),
        name="api-improve",
    ),
    path(
        "corpora/",
        address(GET=corpora.list_corpora, POST=corpora.make_corpus),
        name="api-corpora",
    ),
    path(
        "corpora/<int:corpus_id>/",
        address(GET=corpora.read_corpus, DELETE=corpora.delete_corpus),
        name="api-corpus",
    ),
    path(
        "corpora/<int:corpus_id>/search/",
        address(GET=corpora.search_corpus),
        name="api-corpus-search",
    ),
    *(
        path(f"corpora/<int:corpus_id>/{word}/", address(POST=act), name=f"api-corpus-{word}")
        for word, act in (("cancel", corpora.cancel_corpus), ("again", corpora.index_corpus_again))
    ),
    path("juries/", address(GET=juries.list_juries, POST=juries.form_jury), name="api-juries"),
    path(
        "prompts/",
        address(GET=prompts.list_prompts, POST=prompts.keep_own_prompt),
        name="api-prompts",
    ),
    path(
        "makings/",
        address(GET=making.list_makings, POST=making.order_making),
        name="api-makings",
    ),
    path(
        "makings/<int:making_id>/",
        address(GET=making.read_making, DELETE=making.remove_making),
        name="api-making",
    ),
    *(
        path(f"makings/<int:making_id>/{word}/", address(POST=act), name=f"api-making-{word}")
        for word, act in (("cancel", making.cancel_making), ("retry", making.retry_making))
    ),
    path(
        "generations/",
        address(GET=generations.list_generations, POST=generations.make_generation),
        name="api-generations",
    ),
    path(
        "generations/preview/",
        address(POST=generations.preview_generation),
        name="api-generation-preview",
    ),
    path(
        "generations/<int:generation_id>/",
        address(GET=generations.read_generation, DELETE=generations.remove_generation),
        name="api-generation",
    ),
    *(
        path(
            f"generations/<int:generation_id>/{word}/",
            address(POST=act),
            name=f"api-generation-{word}",
        )
        for word, act in (
            ("pause", generations.pause_generation),
            ("resume", generations.resume_generation),
            ("cancel", generations.cancel_generation),
        )
    ),
    path("runs/", address(GET=runs.list_runs, POST=runs.make_run), name="api-runs"),
    path("runs/<int:run_id>/", address(GET=runs.read_run, DELETE=runs.remove_run), name="api-run"),
    *(
        path(f"runs/<int:run_id>/{word}/", address(POST=act), name=f"api-run-{word}")
        for word, act in (
            ("start", runs.start_run),
            ("pause", runs.pause_run),
            ("resume", runs.resume_run),
            ("retry", runs.retry_run),
            ("cancel", runs.cancel_run),
        )
    ),
]

urlpatterns = [
    path("studies/<slug:slug>/", include(study)),
    path(
        "connections/",
        address(GET=connections.list_connections, POST=connections.make_connection),
        name="api-connections",
    ),
    path(
        "connections/<int:connection_id>/",
        address(
            GET=connections.read_connection,
            PATCH=connections.change_connection,
            DELETE=connections.delete_connection,
        ),
        name="api-connection",
    ),
]
