"""A batch of responses with unrated answers about which a judge is too unsure."""

from annotate.models import PEOPLE, Batch, Judge, Judgment, Response, Study, User
from annotate.protocol.dimensions import Dimension
from annotate.rating import batches
from annotate.rating.batches.selection import Selection
from annotate.web.errors import Refused
from evaluation.runs.thresholds import threshold_of


def abstained_batch(
    study: Study, judge_called: str, dimension: str, confidence: float, *, by: User | None = None
) -> Batch:
    """A draft that asks people for what the judge answers with less than this confidence."""
    judge = Judge.objects.filter(study=study, kind=Judge.Kind.AUTOMATIC, name=judge_called).first()
    asked = study.protocol.get(dimension)
    if judge is None or asked is None:
        raise Refused("This judge is not in the study any more. Open the report again.")
    answers = _unsure(study, judge, dimension, confidence)
    if not answers:
        raise Refused("People have rated all answers about which the judge is unsure.")
    systems = study.systems.filter(name__in={system for _, system in answers})
    selection = Selection(
        systems=tuple(systems.values_list("pk", flat=True)),
        any_answer=True,
        answers=answers,
        positional=False,
    )
    return batches.create_batch(
        study,
        author=by,
        selection=selection,
        dimensions=_with_conditions(study, asked),
        name=_free_name(study, f"Abstained: {asked.title} below {confidence:.3f}"),
    )


def _unsure(
    study: Study, judge: Judge, dimension: str, confidence: float
) -> tuple[tuple[str, str], ...]:
    """The question and system of each answer, in order."""
    current = Response.objects.current().filter(study=study)
    about = Judgment.objects.filter(dimension=dimension, unit__response__in=current)
    rated = about.filter(judge__kind__in=PEOPLE).exclude(value="").values("unit")
    rows = about.filter(judge=judge).exclude(score=None).exclude(unit__in=rated)
    names = "unit__response__question__external_id", "unit__response__system__name"
    threshold = threshold_of(judge)
    unsure = rows.exclude(value="").values_list(*names, "score")
    return tuple(
        sorted({(q, name) for q, name, score in unsure if abs(score - threshold) < confidence})
    )


def _with_conditions(study: Study, asked: Dimension) -> list[str]:
    """The dimension, and those that it is only asked after."""
    wanted, found = [asked.key], dict[str, None]()
    while wanted:
        found[key := wanted.pop()] = None
        conditions = study.protocol[key].shown_when
        wanted += [one.dimension for one in conditions if one.dimension not in found]
    return list(found)


def _free_name(study: Study, name: str) -> str:
    taken = set(study.batches.values_list("name", flat=True))
    numbered = (f"{name} ({number})" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbered if one not in taken)
