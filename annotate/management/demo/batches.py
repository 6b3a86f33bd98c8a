"""The demo's batches: one to try the form, practice, and a finished round of simulated raters."""

from django.db import transaction

from annotate.models import Batch, Judge, Study
from annotate.rating.batches import Selection, adopt_ratings, create_batch, open_batch

SEED = 7
MOST_SIMULATED = 5
"""No response of the demo was judged by more simulated raters."""


def make_batches(study: Study) -> None:
    """Make them all at once, in a demo study that has no batch; one deleted later stays away."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if study.batches.exists():
            return
        if study.slug == "demo-short-answers":
            _short_answers(study)
        else:
            _cited_answers(study)


def _reference(study: Study) -> Judge:
    return study.judges.get(kind=Judge.Kind.REFERENCE)


def _cited_answers(study: Study) -> None:
    simulated = create_batch(
        study,
        name="Demo: simulated round",
        raters_per_item=MOST_SIMULATED,
        seed=SEED,
    )
    adopt_ratings(simulated, list(study.judges.filter(kind=Judge.Kind.SIMULATED)))
    practice = create_batch(
        study,
        name="Demo: practice",
        purpose=Batch.Purpose.PRACTICE,
        selection=Selection(questions="sample", sample_size=1),
        gold=_reference(study),
        seed=SEED,
    )
    open_batch(practice)
    rating = create_batch(
        study,
        name="Demo: try the rating form",
        selection=Selection(questions="sample", sample_size=2, apart_from=(practice.pk,)),
        raters_per_item=3,
        seed=SEED,
    )
    open_batch(rating)


def _short_answers(study: Study) -> None:
    rating = create_batch(
        study,
        name="Demo: rate short answers",
        selection=Selection(questions="sample", sample_size=8, gold_count=2),
        gold=_reference(study),
        gold_percent=10,
        seed=SEED,
    )
    open_batch(rating)
