"""Search a corpus."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from annotate.models import Study
from annotate.text.corpus import CorpusIndex, Unsearchable
from annotate.text.search_result import Found, Retriever
from annotate.web.errors import Refused
from evaluation.generating.retrieval.dense import Dense, Encoding, Hybrid
from evaluation.generating.retrieval.opensearch import OpenSearch
from evaluation.judges.entailment import ScorerError
from evaluation.language_models.connections import WHO_MAKES_THEM, door_to, named
from evaluation.models import Connection, Corpus


def corpus_named(study: Study, name: str) -> Corpus:
    """Return a corpus of the study that can be searched, or refuse the name."""
    found = Corpus.objects.filter(study=study, name=name).first()
    if found is None:
        raise Refused(f"There is no corpus “{name}” in this study.")
    _refuse_unready(found)
    return found


def retriever_of(corpus: Corpus) -> Retriever:
    """Return the retriever of a corpus, by its method."""
    if corpus.method == Corpus.Method.OPENSEARCH:
        return _of_server(corpus)
    words = word_index(corpus)
    if corpus.method == Corpus.Method.WORDS:
        return words
    try:
        encoder = encoder_of(corpus)
        dense = Dense(settings.ATTEST_CORPORA_DIR / corpus.folder, words, encoder)
    except (Unsearchable, ScorerError) as problem:
        raise Refused(f"“{corpus.name}” cannot be searched by meaning. {problem}") from None
    return dense if corpus.method == Corpus.Method.DENSE else Hybrid(words, dense)


def _of_server(corpus: Corpus) -> OpenSearch:
    """Return the server's retriever, if the author of the corpus may use the connection."""
    try:
        return OpenSearch(door_to(opensearch_connection(corpus)))
    except ScorerError as problem:
        raise Refused(str(problem)) from None


def opensearch_connection(corpus: Corpus) -> Connection:
    """Return the connection of a corpus that an OpenSearch server has."""
    name, by_operator = corpus.options["connection"], corpus.options["by_operator"]
    found = named(name, corpus.study, corpus.created_by, by_operator=by_operator)
    if found is None or found.mode != Connection.Mode.OPENSEARCH:
        raise Refused(
            f"There is no connection “{name}” of the mode opensearch that may be used in this "
            f"study. {WHO_MAKES_THEM}"
        )
    return found


def encoder_of(corpus: Corpus) -> Encoding:
    """Return the encoder of a corpus; only workers and commands load it."""
    return _encoder(corpus.options["encoder"])


@lru_cache(maxsize=2)
def _encoder(folder: str) -> Encoding:
    from evaluation.generating.postediting.encoder import Encoder

    return Encoder(folder)


def word_index(corpus: Corpus) -> CorpusIndex:
    """Return the index by words, which every machine can search."""
    _refuse_unready(corpus)
    path = settings.ATTEST_CORPORA_DIR / corpus.folder
    try:
        return _opened(path, signature_of(corpus))
    except (Unsearchable, FileNotFoundError):
        raise Refused(
            f"The index of “{corpus.name}” is not on this machine's disk. Create it again, "
            "or ask your administrator to check the setting ATTEST_CORPORA_DIR."
        ) from None


def page_lookup(study: Study, name: str) -> Callable[[str, str], list[Found]] | None:
    """Return the lookup of a page's passages in a corpus, or None if it has no pages."""
    corpus = corpus_named(study, name) if name else None
    if corpus is None or corpus.method == Corpus.Method.OPENSEARCH:
        return None
    index = word_index(corpus)
    return index.of_page if index.has_pages else None


def _refuse_unready(corpus: Corpus) -> None:
    if not corpus.is_ready:
        raise Refused(f"The corpus “{corpus.name}” is {corpus.get_state_display().lower()}.")


def signature_of(corpus: Corpus) -> str:
    """Identify the passages of a corpus."""
    return f"corpus:{corpus.fingerprint[:16]}"


@lru_cache(maxsize=8)
def _opened(path: Path, signature: str) -> CorpusIndex:
    """Map the index on the disk; its folder never changes."""
    return CorpusIndex(path, signature)


def search_here(corpus: Corpus, query: str, k: int) -> list[Found]:
    """Search on a page, where no model is asked."""
    return page_retriever(corpus, "Search it by the command search_corpus.").search([query], k)[0]


def page_retriever(corpus: Corpus, instead: str) -> Retriever:
    """Return what pages may search: the words, if no model or server is needed.

    `instead` says what to do otherwise.
    """
    if corpus.method in {Corpus.Method.DENSE, Corpus.Method.OPENSEARCH}:
        raise Refused(
            f"This corpus is searched by a model or a server, and pages ask none. {instead}"
        )
    return word_index(corpus)
