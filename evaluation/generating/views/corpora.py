"""Pages of corpora."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate.access import Access
from annotate.models import Role
from annotate.web.errors import Refused
from annotate.web.messages import button, form_page, in_study, is_htmx, made
from annotate.work import jobs
from evaluation.access import corpus_of
from evaluation.generating import corpora, searching
from evaluation.generating.forms.corpora import CorpusForm, SearchForm
from evaluation.models import Corpus


@in_study(Role.RESEARCHER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    """The corpora of a study; a POST creates one."""
    form = CorpusForm(request.POST or None, request.FILES or None)
    if corpus := made(request, form, lambda: _received(entered, form)):
        return redirect("corpus", slug=entered.study.slug, corpus_id=corpus.pk)
    return form_page(
        request,
        "corpora/list.html",
        form,
        access=entered,
        corpora=Corpus.objects.filter(study=entered.study).select_related("created_by"),
        max_bytes=settings.ATTEST_MAX_UPLOAD_BYTES,
    )


def _received(entered: Access, form: CorpusForm) -> Corpus:
    corpus = corpora.receive(entered.study, **form.chosen(), by=entered.user)
    corpora.start(corpus)
    return corpus


@in_study(Role.RESEARCHER)
def read(request: HttpRequest, entered: Access, corpus_id: int) -> HttpResponse:
    """One corpus and a search in it. While it is indexed, a part of the page is polled."""
    corpus = corpus_of(entered, corpus_id)
    context: dict[str, Any] = {"access": entered, "corpus": corpus}
    if corpus.is_working and is_htmx(request):
        context["workers"] = jobs.serving(corpora.CORPUS.queue(corpus))
        return render(request, "corpora/status.html", context)
    form = SearchForm(request.GET or None)
    context |= {"form": form, "workers": jobs.serving(corpora.CORPUS.queue(corpus))}
    if corpus.is_ready and form.is_valid() and form.cleaned_data["q"]:
        try:
            context["found"] = searching.search_here(
                corpus, form.cleaned_data["q"], form.cleaned_data["k"] or 5
            )
        except Refused as refusal:
            form.add_error("q", str(refusal))
    if is_htmx(request) and request.GET:
        return render(request, "corpora/found.html", context)
    if is_htmx(request):
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "corpora/read.html", context)


cancel = button(corpus_of, "corpus", lambda corpus, by, sent: corpora.cancel(corpus))
again = button(corpus_of, "corpus", lambda corpus, by, sent: corpora.again(corpus))
delete = button(
    corpus_of,
    "corpus",
    lambda corpus, by, sent: corpora.remove(corpus),
    said="The corpus “{row.name}” is deleted.",
    listing="corpora",
)
