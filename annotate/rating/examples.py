"""Making, changing and taking away the examples in the guidelines."""

from django.db import IntegrityError, transaction

from annotate.content.judgments import check_marks, people_answer
from annotate.models import Example, Unit, User
from annotate.protocol.dimensions import UnitKind, is_written
from annotate.web import audit
from annotate.web.errors import Refused


def add_example(
    unit: Unit, dimension: str, *, value: str, explanation: str, by: User | None
) -> Example:
    """Put a unit of the study into its guidelines, with the right answer and why it is right."""
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
    """The value as it is written, where all of it makes an example."""
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
