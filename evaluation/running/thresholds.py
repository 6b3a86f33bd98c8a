"""Judges with a threshold of the study's own: made of another judge's stored scores.

No model is run. The new judge answers the one question that its threshold was chosen for, and its
name says on which labels: a digest of them, how many, of how many questions. They are kept as what
a trained scorer learned from is, and left out of its numbers by the same rule
(`reading/trained_on.py`).
"""

from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256
from itertools import islice

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotate.models import Batch, Judge, Judgment, Response, Study, Unit, User
from annotate.protocol.dimensions import Dimension
from annotate.services import audit, quotas
from annotate.services.errors import Refused
from annotate.services.judgments import replace_all, sort_against_present, write_new
from evaluation.models import TrainedOn, TrainedScorer
from evaluation.numbers.chosen_threshold import Choice, NothingToLearnError, Part, choose
from evaluation.reading.labels import Method, judge_name, labels
from evaluation.reading.trained_on import CHOSEN, units_left_out
from evaluation.running.judging import automatic_judge, name_of

USUAL = 0.5
"""The threshold of a judge whose name says none."""

CHUNK = 2_000


def use_threshold(
    study: Study,
    judge_called: str,
    dimension: str,
    *,
    part: Part,
    batch: int | None = None,
    method: Method = Method.MAJORITY,
    by: User | None = None,
) -> TrainedScorer:
    """The judge of this name with the threshold that fits people's labels best, as another judge.

    The same labels give the same judge: what its scores were asked about since, is added then.
    """
    base = Judge.objects.filter(study=study, kind=Judge.Kind.AUTOMATIC, name=judge_called).first()
    asked = study.protocol.get(dimension)
    if base is None or asked is None:
        raise Refused("This judge is not in the study any more. Open the report again.")
    if f"|{CHOSEN}:" in base.name:
        raise Refused(
            "The threshold of this judge was chosen already. Choose one for the judge that it was "
            "made of."
        )
    given_in = None if batch is None else Batch.objects.filter(study=study, pk=batch).first()
    if batch is not None and given_in is None:
        raise Refused("The batch is not in the study any more. Open the report again.")
    found = _chosen(study, base, asked, part, given_in, method)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        quotas.refuse_rows(study, by, _answers(base, dimension).count())
        digest = _digest(base, dimension, part, judge_name(method, given_in), found.learned)
        name = _signature(base.name, dimension, part, found, digest)
        judge = automatic_judge(study, name)
        kept = _keep(study, base, judge, dimension, found, digest)
        for some in _written(base, judge, asked, found.threshold):
            offered = sort_against_present(some)
            write_new(offered.new)
            replace_all(offered.changed)
        audit.note(
            "threshold-chosen", judge, by=by, judge=base.name, threshold=str(found.threshold)
        )
    return kept


def _answers(base: Judge, dimension: str) -> QuerySet[Judgment]:
    current = Response.objects.current().filter(study=base.study_id)
    return Judgment.objects.filter(judge=base, dimension=dimension, unit__response__in=current)


def _chosen(
    study: Study, base: Judge, asked: Dimension, part: Part, batch: Batch | None, method: Method
) -> Choice:
    learned_before = units_left_out(base)
    said = {
        label.unit: label.value in asked.positive
        for label in labels(study, method, batch)
        if label.dimension == asked.key and label.unit not in learned_before
    }
    scores, questions = dict[int, float](), dict[int, str]()
    rows = _answers(base, asked.key).exclude(value="").exclude(score=None)
    columns = rows.values_list("unit_id", "score", "unit__response__question__external_id")
    for unit, score, question in columns.iterator(chunk_size=CHUNK):
        scores[unit], questions[unit] = score or 0.0, question
    if not scores:
        raise Refused(f"This judge has no scores on “{asked.title}”.")
    try:
        return choose(said, scores, questions, part=part, fixed=threshold_of(base), seed=study.seed)
    except NothingToLearnError as problem:
        raise Refused(str(problem)) from problem


def threshold_of(judge: Judge) -> float:
    """As its name says."""
    parts = dict(part.partition(":")[::2] for part in judge.name.split("|"))
    try:
        return float(parts.get("thr", USUAL))
    except ValueError:
        return USUAL


def _digest(
    base: Judge, dimension: str, part: Part, labelled_by: str, learned: Sequence[int]
) -> str:
    """Names what was learned from: the labels of these units, by what they are called."""
    lines = [base.name, dimension, part, labelled_by]
    for first in range(0, len(learned), CHUNK):
        rows = Unit.objects.filter(pk__in=learned[first : first + CHUNK]).order_by("pk")
        lines += map(
            repr,
            rows.values_list(
                "response__system__name", "response__question__external_id", "response__run", "key"
            ),
        )
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def _signature(name: str, dimension: str, part: Part, found: Choice, digest: str) -> str:
    """The judge's own, with another threshold, and where that comes from."""
    judge, *settings = name.split("|")
    kept = [one for one in settings if not one.startswith("thr:")]
    learned = [
        f"{CHOSEN}:{digest}",
        f"of:{dimension}",
        f"labels:{len(found.learned)}",
        f"questions:{found.questions}",
        f"part:{part}",
        f"thr:{found.threshold!r}",
    ]
    return name_of("|".join([judge, *learned, *kept]))


def _keep(
    study: Study, base: Judge, judge: Judge, dimension: str, found: Choice, digest: str
) -> TrainedScorer:
    """What was chosen and on what, as of a trained scorer."""
    about = {
        "before": found.before.described(),
        "after": found.after.described(),
        "threshold": found.threshold,
        "dimension": dimension,
        "from": base.title,
        "judge": judge.title,
    }
    kept, _ = TrainedScorer.objects.update_or_create(
        study=study,
        fingerprint=digest,
        defaults={"folder": "", "seed": study.seed, "agreement": about},
    )
    known: Collection[int] = set(kept.units.values_list("unit_id", flat=True))
    TrainedOn.objects.bulk_create(
        [TrainedOn(scorer=kept, unit_id=unit) for unit in found.learned if unit not in known],
        batch_size=1_000,
    )
    return kept


def _written(
    base: Judge, judge: Judge, asked: Dimension, threshold: float
) -> Iterator[list[Judgment]]:
    """The answers of the new judge, some at a time. Where the other one answered without a score,
    as where nothing is cited, or could not answer, so does this one."""
    [positive] = asked.positive
    [negative] = set(asked.values) - asked.positive
    now = timezone.now()
    rows = iter(
        _answers(base, asked.key)
        .order_by("pk")
        .values_list("unit_id", "value", "score", "skipped_reason")
        .iterator(chunk_size=CHUNK)
    )
    while some := list(islice(rows, CHUNK)):
        yield [
            Judgment(
                unit_id=unit,
                judge=judge,
                dimension=asked.key,
                value=value
                if not value or score is None
                else (positive if score >= threshold else negative),
                score=score,
                skipped_reason=reason,
                created_at=now,
                wording=judge.study.wording_of(asked.key),
            )
            for unit, value, score, reason in some
        ]
