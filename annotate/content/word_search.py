"""Searching responses: those that have each word, in the answer or in its question, in any case.

A word is found wherever it stands in another. Where few responses have them all, an index tells
which; where many have, reading from the beginning fills a page soon.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from annotate.content import counts
from annotate.content.counts import Add, ResponseData, counted
from annotate.content.responses_by_label import among
from annotate.models import Question, Response, SearchedText, Study
from annotate.models.searching import LEAST, found_by_index

WORDS, CHARACTERS = 8, 100
"""So many words of a search are looked for, and so much of each."""


@counted("search", version=1, rows=SearchedText)
def of_texts(data: ResponseData, add: Add) -> list[SearchedText]:
    """The words of each response that counts."""
    keys = [one.key for one in data.responses.values() if one.counts]
    rows = Response.objects.filter(pk__in=keys).order_by()
    return [
        SearchedText(
            response_id=key,
            study_id=data.study.pk,
            text=f"{question}\n{text}".casefold(),
        )
        for key, question, text in rows.values_list("pk", "question__text", "text")
    ]


def words_of(asked: str) -> list[str]:
    """The words that a search asks for."""
    return [word[:CHARACTERS] for word in asked.split()[:WORDS]]


@dataclass(frozen=True, slots=True)
class Matches:
    """Responses that have all the words of a search."""

    condition: Q
    keys: Sequence[int] | None = None
    """All of them, in rising order; None where these are very many, or not known."""

    least: int = 0
    """There are at least so many."""


def with_words(study: Study, words: Sequence[str], most: int, *, now: bool = True) -> Matches:
    """The responses of a study that have all these words; their keys up to so many.

    While a file is still being counted, texts are read as they stand; or, where it need not be as
    it is `now`, what is not counted is left out.
    """
    if now and counts.kept(study).waiting:
        return Matches(_read(study, words))
    folded = [word.casefold() for word in words]
    texts = SearchedText.objects.filter(*(Q(text__contains=word) for word in folded))
    keys = None
    if connection.vendor == "sqlite" and any(len(word) >= LEAST for word in folded):
        keys = found_by_index(study.pk, folded, most + 1)
    if keys is None:
        own = texts.filter(study_id=study.pk).order_by()
        keys = [*own.values_list("pk", flat=True)[: most + 1]]
    if len(keys) > most:
        return Matches(Q(Exists(texts.filter(pk=OuterRef("pk")))), least=len(keys))
    return Matches(Q(pk__in=among(keys)), sorted(keys))


def _read(study: Study, words: Sequence[str]) -> Q:
    found = Q()
    for word in words:
        questions = Question.objects.filter(study=study, text__icontains=word)
        found &= Q(text__icontains=word) | Q(question__in=questions)
    return found
