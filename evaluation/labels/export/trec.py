"""Write TREC's judgments: nuggets, their assignment to answers, and support by sources."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from django.db.models import QuerySet

from annotate.content.units import claims_of
from annotate.formats.trec_writing import (
    LEVELS,
    nuggets_of,
    write_assignment,
    write_nuggets,
    write_qrel,
)
from annotate.models import Question, Response, Source, Study, Unit, in_slices
from annotate.protocol.dimensions import UnitKind
from evaluation.labels.export.answers import AnswerSource, system_names
from evaluation.labels.study_labels import CHUNK


def has_nuggets(study: Study) -> bool:
    return study.questions.filter(references__has_key="claims").exists()


def names_sources(responses: QuerySet[Response]) -> bool:
    return Source.objects.filter(response__in=responses).exclude(external_id="", url="").exists()


def nuggets(source: AnswerSource) -> Iterator[str]:
    """Yield one question a line, in the order of loading; those without claims are left out."""
    some = in_slices(source.study, source.slices, "pk")
    found = Question.objects.filter(some, study=source.study, references__has_key="claims")
    for question in found.order_by("pk").iterator(chunk_size=CHUNK):
        if claims := claims_of(question.references):
            told = nuggets_of(question.references, claims)
            yield write_nuggets(question.text, question.external_id, told)


def assignments(source: AnswerSource) -> Iterator[str]:
    """Yield one answer a line, in the order of loading, if people judged some of its claims."""
    names = system_names(source.study)
    for responses in _in_order(source, "pk"):
        answers = source.about(responses)
        claims = _claims(responses)
        for response in responses:
            said = {
                text: label.people
                for key, text in claims.get(response.pk, {}).items()
                if (label := answers.get((response.pk, key), (None, 0))[0]) and label.people
            }
            if said:
                question = response.question
                yield write_assignment(
                    names[response.system_id, response.run],
                    question.text,
                    question.external_id,
                    response.text,
                    nuggets_of(question.references, claims_of(question.references)),
                    said,
                )


def _claims(responses: list[Response]) -> Mapping[int, Mapping[str, str]]:
    """Return the texts of reference claims by response and key."""
    rows = Unit.objects.standing().filter(response__in=responses, kind=UnitKind.REFERENCE_CLAIM)
    found: dict[int, dict[str, str]] = {}
    for response, key, text in rows.values_list("response_id", "key", "text"):
        found.setdefault(response, {})[key] = text
    return found


def qrels(source: AnswerSource) -> Iterator[str]:
    """Yield a line for each question and source: the most support by it for any citing answer.

    Sources without an id and an address have no name here.
    """
    rows = (row for some in _in_order(source, "question_id", "pk") for row in _judged(source, some))
    for topic, of_topic in groupby(rows, key=lambda row: row[0]):
        best: dict[str, int] = {}
        for _, document, level in of_topic:
            best[document] = max(level, best.get(document, 0))
        for document, level in best.items():
            yield write_qrel(topic, document, level)


def _judged(source: AnswerSource, responses: list[Response]) -> Iterator[tuple[str, str, int]]:
    """Yield question, source and level of each labelled citation, in the order of responses.

    The label of a statement counts for its first citation if that has none.
    """
    answers = source.about(responses)
    rows = Unit.objects.filter(response__in=responses, kind=UnitKind.CITATION).order_by("pk")
    told = rows.values_list(
        "response_id", "key", "parent__key", "source__external_id", "source__url"
    )
    by_response: dict[int, list[Any]] = {}
    for row in told:
        by_response.setdefault(row[0], []).append(row[1:])
    for response in responses:
        begun: set[str] = set()
        for key, parent, external_id, url in by_response.get(response.pk, []):
            label = _label(answers, response.pk, key)
            if parent not in begun:
                begun.add(parent)
                label = label or _label(answers, response.pk, parent)
            document = external_id or url
            if document and label in LEVELS:
                yield response.question.external_id, document, LEVELS[label]


def _label(answers: Mapping[tuple[int, str], Any], response: int, unit: str) -> str:
    found = answers.get((response, unit))
    return found[0].people if found else ""


def _in_order(source: AnswerSource, *order: str) -> Iterator[list[Response]]:
    """Yield the responses with their questions and systems, some hundreds at once."""
    keys = list(source.responses().order_by(*order).values_list("pk", flat=True))
    for first in range(0, len(keys), CHUNK):
        some = Response.objects.current().filter(pk__in=keys[first : first + CHUNK])
        yield list(some.select_related("question", "system").order_by(*order))
