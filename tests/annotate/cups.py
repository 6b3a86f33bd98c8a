"""An ALiiCE study of one response, in which raters write the claims."""

from typing import Any

from annotate.content.judgments import judge_of
from annotate.models import Assignment, Batch, Study, Unit, User
from annotate.rating.answering import save_answer
from annotate.rating.assignments import next_task
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from tests.annotate.loading import load, response
from tests.annotate.rating import rater_in

CUPS = "Cups can be made of glass [1] or plastic [2][1]. It is so [2]."
GLASS = "0-25"
PLASTIC = "0-19 29-37"
PARSED = (
    ("s1.a1", "Cups can be made of glass", [1]),
    ("s1.a2", "Cups can be made of plastic", [2, 1]),
)


def cups_of(owner: User) -> Study:
    made = create_study(name="Cups", slug="cups", preset="aliice", owner=owner)
    load(made, [response(CUPS)])
    return made


def task_of(batch: Batch, name: str = "rita") -> Assignment:
    found = next_task(batch, judge_of(batch.study, rater_in(batch.study, name)))
    assert isinstance(found, Assignment)
    return found


def says(task: Assignment, key: str, value: str = "yes", **more: Any) -> None:
    step = next(step for step in steps_of(task.batch, task.item) if step.key == key)
    save_answer(task, step, value=value, **more)


def parsers_claims(study: Study, *claims: tuple[str, str, list[int]]) -> None:
    """As `make_claims` writes them: key, text, and the numbers cited."""
    for key, text, numbers in claims:
        statement = Unit.objects.get(response__study=study, key=key.split(".")[0])
        place = {"response": statement.response, "start": statement.start, "end": statement.end}
        unit = Unit.objects.create(
            kind="claim", key=key, parent=statement, ordinal=int(key[-1]), text=text, **place
        )
        for at, number in enumerate(numbers, 1):
            Unit.objects.create(
                kind="claim_citation",
                key=f"{key}.c{at}",
                parent=unit,
                ordinal=at,
                number=number,
                source=statement.response.sources.get(n=number),
                **place,
            )
