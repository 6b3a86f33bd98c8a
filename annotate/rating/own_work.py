"""What a rater has done in a batch, as they see it themselves."""

from dataclasses import dataclass

from annotate.models import Batch, Judge
from annotate.rating.gold import GoldScore, score_in
from annotate.rating.pace import Pace, pace_of, seconds_worked
from annotate.rating.practice import current_round


@dataclass(frozen=True, slots=True)
class OwnWork:
    """One's own part in a batch. Pace is that of the last round of practice, time that of all."""

    batch: Batch
    pace: Pace
    seconds: float
    gold: GoldScore | None
    """How the known answers among the work were answered, where the batch shows it."""

    @property
    def minutes(self) -> float:
        return self.seconds / 60


def own_work(batch: Batch, judge: Judge) -> OwnWork:
    latest = current_round(batch, judge) if batch.is_practice else None
    everyone = [judge.pk, *judge.rounds.filter(batch=batch).values_list("trainee", flat=True)]
    shows_gold = batch.shows_gold_share and not batch.is_practice
    return OwnWork(
        batch=batch,
        pace=pace_of(batch, judge if latest is None else latest.trainee),
        seconds=sum(seconds_worked(batch, everyone).values()),
        gold=score_in(batch, judge) if shows_gold else None,
    )
