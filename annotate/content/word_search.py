"""Search responses for words in the answer or its question, ignoring case.

A word also matches within a longer word. If few responses match, an index finds them. If many
match, reading from the beginning fills a page quickly.
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
"""The limits of a search: its words, and the characters of each."""


@counted("search", version=1, rows=SearchedText)
def of_texts(data: ResponseData, add: Add) -> list[SearchedText]:
    """Return the searchable text of each response that counts."""
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


def words_of(text: str) -> list[str]:
    """Return the words of a search, within its limits."""
    return [word[:CHARACTERS] for word in text.split()[:WORDS]]


@dataclass(frozen=True, slots=True)
class Matches:
    """Responses that have all the words of a search."""

    condition: Q
    keys: Sequence[int] | None = None
    """Their sorted ids; None if they are above the limit or unknown."""

    least: int = 0
    """A lower bound of their number."""


def with_words(study: Study, words: Sequence[str], limit: int, *, now: bool = True) -> Matches:
    """Return the responses of a study that have all these words, with ids up to a limit.

    While a file is still being counted, the texts themselves are searched (`now`), or responses
    that are not counted yet are left out.
    """
    if now and counts.kept(study).waiting:
        return Matches(_read(study, words))
    folded = [word.casefold() for word in words]
    texts = SearchedText.objects.filter(*(Q(text__contains=word) for word in folded))
    keys = None
    if connection.vendor == "sqlite" and any(len(word) >= LEAST for word in folded):
        keys = found_by_index(study.pk, folded, limit + 1)
    if keys is None:
        own = texts.filter(study_id=study.pk).order_by()
        keys = [*own.values_list("pk", flat=True)[: limit + 1]]
    if len(keys) > limit:
        return Matches(Q(Exists(texts.filter(pk=OuterRef("pk")))), least=len(keys))
    return Matches(Q(pk__in=among(keys)), sorted(keys))


def _read(study: Study, words: Sequence[str]) -> Q:
    condition = Q()
    for word in words:
        questions = Question.objects.filter(study=study, text__icontains=word)
        condition &= Q(text__icontains=word) | Q(question__in=questions)
    return condition
