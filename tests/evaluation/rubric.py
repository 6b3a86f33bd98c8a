"""A study that asks what `tests/fixtures/rubric.yaml` says, and what raters say in it."""

from collections.abc import Mapping
from pathlib import Path

from annotate.models import Assignment, Batch, Judge, Membership, Role, Study, User
from annotate.protocol.written import read
from annotate.rating import answering, assignments
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from annotate.studies.wordings import import_file
from tests.annotate.loading import load, response

FIXTURES = Path(__file__).parents[1] / "fixtures"
FILE = FIXTURES / "rubric.yaml"
EVERY = FIXTURES / "every_answer.yaml"
"""A file with a question of every type of answer."""

KEYS = ["clarity", "sort", "backing", "passage_helps", "origin@2", "verdict"]

KIND = {
    "clarity": "3",
    "sort": "fact",
    "backing": "well",
    "passage_helps": "much",
    "origin@2": "first_hand",
    "verdict": "publish",
}
STRICT = {**KIND, "backing": "badly", "passage_helps": "against", "verdict": "mend"}

OUTPUT = "The Zugspitze is 2,962 m high [1]. No peak is higher [1][2]."


def rubric_study(
    owner: User, slug: str = "rubric", *, questions: int = 4, file: Path = FILE
) -> Study:
    study = create_study(name=slug.title(), slug=slug, preset="alce", owner=owner)
    import_file(study, read(file.read_text(encoding="utf-8")))
    rows = [
        response(OUTPUT, system=system, question=f"Number {n}?", question_id=f"q{n}")
        for n in range(1, questions + 1)
        for system in ("Vermilion", "Cobalt")
    ]
    load(study, rows)
    return study


def joined(study: Study, researcher: User, rater: User) -> Study:
    """With a researcher and a rater in it."""
    Membership.objects.create(study=study, user=researcher, role=Role.RESEARCHER)
    Membership.objects.create(study=study, user=rater, role=Role.RATER)
    return study


def answer_all(task: Assignment, values: Mapping[str, str]) -> list[str]:
    """Answer what is asked, one question after the other; says which were."""
    given = []
    for step in steps_of(task.batch, task.item):
        if step.is_asked(answering.answers_of(task)):
            said = values.get(step.key, values[step.dimension.key])
            answering.save_answer(task, step, value=said)
            given.append(step.key)
    return given


def rate(batch: Batch, judge: Judge, values: Mapping[str, str]) -> None:
    """Do every task of a batch."""
    while isinstance(task := assignments.next_task(batch, judge), Assignment):
        answer_all(task, values)
        answering.finish(task)
