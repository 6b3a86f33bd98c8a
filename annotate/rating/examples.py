"""Examples in the guidelines: add, change, remove and show them, without system names."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from annotate.content.judgments import check_marks, people_answer
from annotate.content.units import claims_of, texts_of
from annotate.models import Batch, BatchItem, Example, Source, Study, Unit, User
from annotate.protocol.dimensions import Dimension, UnitKind, is_written
from annotate.protocol.steps import order_steps
from annotate.rating.answer_fields import in_words
from annotate.web import audit
from annotate.web.errors import Refused


def add_example(
    unit: Unit, dimension: str, *, value: str, explanation: str, by: User | None
) -> Example:
    """Add a unit to the guidelines, with the right answer and its explanation."""
    value = _checked(unit, dimension, value, explanation)
    try:
        with transaction.atomic():
            example = Example.objects.create(
                study=unit.response.study,
                unit=unit,
                dimension=dimension,
                value=value,
                explanation=explanation.strip(),
                created_by=by,
            )
            audit.note("example-changed", example, by=by, what="made", unit=unit.pk)
            return example
    except IntegrityError:
        raise Refused("This is an example already. Change that one.") from None


def change_example(example: Example, *, value: str, explanation: str) -> Example:
    example.value = _checked(example.unit, example.dimension, value, explanation)
    example.explanation = explanation.strip()
    with transaction.atomic():
        example.save(update_fields=["value", "explanation"])
        audit.note("example-changed", example, what="changed", unit=example.unit_id)
    return example


def remove_example(example: Example) -> None:
    with transaction.atomic():
        audit.note("example-changed", example, what="taken away", unit=example.unit_id)
        example.delete()


def _checked(unit: Unit, dimension: str, value: str, explanation: str) -> str:
    """Return the normalized value, if the example is complete and allowed."""
    asked = unit.response.study.protocol.get(dimension)
    if asked is None or asked.unit_kind != unit.kind:
        raise Refused(f"“{dimension}” is not asked of a {unit.kind}.")
    if unit.kind == UnitKind.PAIR:
        raise Refused("An example shows one answer: write one of a pair into the guidelines.")
    if is_written(unit.key):
        raise Refused("Each rater writes their own claim, so this one cannot be an example.")
    value = check_marks(unit, asked, people_answer(asked, value))
    if not explanation.strip():
        raise Refused("Say why this is the right answer.")
    return value


_PARTS = {UnitKind.CITATION, UnitKind.CLAIM_CITATION}


@dataclass(frozen=True, slots=True)
class ShownExample:
    """An example as shown: dimension, text, passages (title, text), answer and explanation.

    `batches` are the batches in which raters get the same response.
    """

    example: Example
    dimension: Dimension
    question: str
    statement: str
    passages: tuple[tuple[str, str], ...]
    label: str
    explanation: str
    batches: tuple[Batch, ...] = ()


def examples_of(study: Study) -> list[ShownExample]:
    """Return a study's examples in protocol order, in a constant number of queries."""
    if not study.examples.exists():
        return []
    return _shown(study, [*_stored(study)])


def _stored(study: Study) -> QuerySet[Example]:
    rows = study.examples.filter(unit__response__system__deleted_at__isnull=True)
    return rows.select_related("unit__parent", "unit__response__question")


def examples_with_batches(study: Study) -> list[ShownExample]:
    """Return the examples with the batches in which ratings are no longer independent."""
    examples = [*_stored(study)]
    items = BatchItem.objects.filter(
        response__in={e.unit.response_id for e in examples}, batch__study=study
    ).select_related("batch")
    found: dict[int, dict[int, Batch]] = defaultdict(dict)
    for item in items.order_by("batch_id"):
        found[item.response_id][item.batch_id] = item.batch
    return [
        replace(shown, batches=tuple(found[shown.example.unit.response_id].values()))
        for shown in _shown(study, examples)
    ]


def example_of_unit(study: Study, unit: Unit, dimension: Dimension) -> ShownExample:
    """Show a unit as an example without answer and explanation."""
    example = Example(study=study, unit=unit, dimension=dimension.key)
    return _shown(study, [example])[0]


def examples_from_answers(
    study: Study, answers: Sequence[tuple[int, str, str, str]]
) -> list[ShownExample]:
    """Show answers (unit, dimension, value, explanation) as examples. Missing units are skipped."""
    units = Unit.objects.filter(
        pk__in={unit for unit, *_ in answers}, response__system__deleted_at__isnull=True
    ).select_related("parent", "response__question")
    known = {unit.pk: unit for unit in units}
    made = [
        Example(study=study, unit=known[unit], dimension=key, value=value, explanation=why)
        for unit, key, value, why in answers
        if unit in known
    ]
    return _shown(study, made)


@dataclass(frozen=True, slots=True)
class ExampleCandidate:
    """A unit and dimension that can become an example."""

    unit: Unit
    dimension: Dimension


def candidates(
    study: Study, units: Sequence[Unit], sources: Sequence[Source]
) -> list[ExampleCandidate]:
    """Return what raters are asked about a response, without written claims and pairs.

    Raters write their own claims, and an example of a pair would have to show both answers.
    """
    asked = study.dimension_list
    steps = order_steps(units, sources, asked, cap=study.citation_cap, protocol=study.protocol)
    return [
        ExampleCandidate(step.unit, step.dimension)
        for step in steps
        if step.written is None and step.unit.kind != UnitKind.PAIR
    ]


def _shown(study: Study, examples: Sequence[Example]) -> list[ShownExample]:
    if not examples:
        return []
    cited = _cited(examples, study.citation_cap)
    whole = _whole(study, examples)
    order = study.protocol.order
    shown = []
    for example in sorted(examples, key=lambda e: (order[e.dimension], e.pk or 0)):
        unit, dimension = example.unit, study.protocol[example.dimension]
        if dimension.sight in {"nothing", "reference"}:
            sources = []
        else:
            sources = whole[unit.response_id] if _sees_all(dimension, example) else cited[unit.pk]
        is_part = unit.kind in _PARTS and unit.parent is not None
        statement = unit.parent.text if is_part and unit.parent else unit.text
        if dimension.sees_reference and unit.kind == UnitKind.RESPONSE:
            statement = "\n".join(claims_of(unit.response.question.references))
        texts = {0: statement, **{source.n: source.passage.text for source in sources}}
        shown.append(
            ShownExample(
                example=example,
                dimension=dimension,
                question=unit.response.question.text,
                statement=statement,
                passages=(
                    *(("Reference answer", text) for text in _reference(example, dimension)),
                    *((s.passage.title, s.passage.text) for s in sources),
                ),
                label=in_words(dimension, example.value, texts) if example.value else "",
                explanation=example.explanation,
            )
        )
    return shown


def _reference(example: Example, dimension: Dimension) -> list[str]:
    question = example.unit.response.question
    return texts_of(question.references) if dimension.sees_reference else []


def _cited(examples: Sequence[Example], cap: int) -> dict[int, list[Source]]:
    """Return the passages that each statement, claim or citation cites, by unit."""
    found: dict[int, list[Source]] = defaultdict(list)
    about = [e.unit for e in examples if e.unit.kind != UnitKind.RESPONSE]
    rows = Unit.objects.filter(kind__in=_PARTS, source__isnull=False).select_related(
        "source__passage"
    )
    parts = {unit.pk for unit in about if unit.kind in _PARTS}
    for unit in rows.filter(pk__in=parts):
        if unit.source is not None:
            found[unit.pk].append(unit.source)
    wholes = {unit.pk for unit in about} - parts
    for unit in rows.filter(parent__in=wholes, ordinal__lte=cap).order_by("ordinal"):
        into = found[unit.parent_id or 0]
        if unit.source is not None and unit.source not in into:
            into.append(unit.source)
    return found


def _sees_all(dimension: Dimension, example: Example) -> bool:
    """Whether all passages of the response are shown."""
    sight = dimension.sight
    return sight == "all" or (sight == "cited" and example.unit.kind == UnitKind.RESPONSE)


def _whole(study: Study, examples: Sequence[Example]) -> dict[int, list[Source]]:
    """Return all passages of responses with an example that shows them all."""
    ids = {
        example.unit.response_id
        for example in examples
        if _sees_all(study.protocol[example.dimension], example)
    }
    found: dict[int, list[Source]] = defaultdict(list)
    for source in Source.objects.filter(response__in=ids).select_related("passage").order_by("n"):
        found[source.response_id].append(source)
    return found
