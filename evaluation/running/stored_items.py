"""Items made of what the database has divided already, several times faster than of its records.

A judge that only counts what it will ask needs no more of a response than its statements and
passages. Those stand in the study as rows; outputs are divided anew only where another version or
setting divided them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotate.export.streams import CHUNK, records_by_key
from annotate.models import Question, Response, Source, Study, Unit
from annotate.protocol.dimensions import UnitKind
from annotate.segment import Segmentation, segment_given, signature_of, strip_marks
from evaluation.judges import Item, spec_of
from evaluation.judges.items import Cited, ItemPassage, ItemStatement
from evaluation.running.judging import item_of_response

_LANGUAGE = re.compile(r"\|language:[^|]*")
"""Of a question that names its own, what its answers are signed with."""

_OF_OUTPUTS = [UnitKind.RESPONSE, UnitKind.STATEMENT, UnitKind.CITATION]


@dataclass(slots=True)
class _Parts:
    """What of a response stands in other tables."""

    unit: tuple[str, int, int] = ("", 0, 0)
    """Its cleaned text, and which part of the output that is."""

    statements: list[tuple[int, str, str, int, int]] = field(default_factory=list)
    citations: dict[int, list[Cited]] = field(default_factory=lambda: defaultdict(list))
    """By the statement's key in the database, as they are written."""

    passages: list[ItemPassage] = field(default_factory=list)


def items_to_count(study: Study, judge_name: str, keys: Sequence[int]) -> list[Item]:
    """Some responses as a judge has to see them that is to count its questions."""
    spec = spec_of(judge_name)
    reads_words = study.division.lines == "all" and not spec.of_parts
    if spec.reads_places or reads_words:
        return _divided_anew(study, keys)
    return stored_items(study, keys)


def stored_items(study: Study, keys: Sequence[int]) -> list[Item]:
    """Those of some responses that still count. All that is missing is `segmentation.statements`,
    with the places of marks."""
    found: list[Item] = []
    for first in range(0, len(keys), CHUNK):
        found += _some(study, keys[first : first + CHUNK])
    return found


def _some(study: Study, keys: Sequence[int]) -> list[Item]:
    current = Response.objects.current().filter(study=study, pk__in=keys).order_by("pk")
    rows = list(
        current.values_list(
            "pk", "text", "is_list", "segmentation", "was_cut", "run", "question_id", "system__name"
        )
    )
    ways = _ways(study)
    others = [row[0] for row in rows if _of_any_language(row[3]) not in ways[row[2]]]
    made = {int(item.key): item for item in _divided_anew(study, others)}
    stored = [row for row in rows if row[0] not in made]
    parts = _parts([row[0] for row in stored])
    questions: Mapping[int, tuple[str, str, Mapping[str, object]]] = {
        pk: (text, name, references)
        for pk, text, name, references in Question.objects.filter(
            pk__in={row[6] for row in stored}
        ).values_list("pk", "text", "external_id", "references")
    }
    for pk, output, is_list, signature, was_cut, run, question_id, system in stored:
        question, question_name, references = questions[question_id]
        own = parts[pk]
        text, start, end = own.unit
        made[pk] = Item(
            key=str(pk),
            question=question,
            answer=output.strip(),
            segmentation=Segmentation(
                text, start, end, was_cut, (), signature, plain=strip_marks(text).text.strip()
            ),
            references=references,
            passages=tuple(own.passages),
            statements=tuple(
                ItemStatement(
                    key, statement, text[begins:ends].strip(), tuple(own.citations.get(unit, ()))
                )
                for unit, key, statement, begins, ends in own.statements
            ),
            is_list=is_list,
            given="|mode:given|" in signature,
            question_id=question_name,
            system=system,
            run=run,
        )
    return [made[pk] for pk, *_ in rows if pk in made]


def _divided_anew(study: Study, keys: Sequence[int]) -> list[Item]:
    return [item_of_response(study, *each) for each in records_by_key(study, keys)]


def _ways(study: Study) -> dict[bool, set[str]]:
    """How an output would be divided today, lists and others, as a response says it was."""
    given = segment_given("", [], passages=0, cap=None).signature
    found = {}
    for is_list in (False, True):
        found[is_list] = {given, _of_any_language(signature_of(study.division, is_list=is_list))}
    return found


def _of_any_language(signature: str) -> str:
    return _LANGUAGE.sub("", signature)


def _parts(keys: Iterable[int]) -> dict[int, _Parts]:
    """Two queries for all of them."""
    found = {key: _Parts() for key in keys}
    by_source: dict[int, ItemPassage] = {}
    sources = Source.objects.filter(response__in=found).order_by("response_id", "n")
    for key, response, n, title, text in sources.values_list(
        "pk", "response_id", "n", "passage__title", "passage__text"
    ):
        passage = by_source[key] = ItemPassage(n, title, text)
        found[response].passages.append(passage)
    units = Unit.objects.filter(response__in=found, kind__in=_OF_OUTPUTS).order_by(
        "response_id", "ordinal"
    )
    columns = ("key", "parent_id", "text", "start", "end", "number", "source", "quote")
    for key, response, kind, *rest in units.values_list("pk", "response_id", "kind", *columns):
        name, parent, text, start, end, number, source, quote = rest
        own = found[response]
        if kind == UnitKind.STATEMENT:
            own.statements.append((key, name, text, start, end))
        elif number is not None:
            own.citations[parent].append(Cited(name, number, by_source.get(source), quote))
        else:
            own.unit = (text, start, end)
    return found
