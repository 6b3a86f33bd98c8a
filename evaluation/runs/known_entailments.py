"""The cache of entailment probabilities in the database, shared by all studies."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from django.db.models import F

from annotate.content.responses_by_label import among
from evaluation.models import Entailment, EntailmentScorer

ASKED_AT_ONCE = 5_000
WRITTEN_AT_ONCE = 500


class DatabaseCache:
    """Remembers every pair that was ever asked. Two workers may write the same pair: one wins,
    and both had the same number."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> dict[str, float]:
        known = Entailment.objects.filter(scorer_id=self._scorer(fingerprint))
        found: dict[str, float] = {}
        for first in range(0, len(digests), ASKED_AT_ONCE):
            some = among(digests[first : first + ASKED_AT_ONCE])
            found.update(known.filter(pair__in=some).values_list("pair", "probability"))
        return found

    def put_many(self, fingerprint: str, probabilities: Mapping[str, float]) -> None:
        """Keep these."""
        scorer = self._scorer(fingerprint)
        Entailment.objects.bulk_create(
            [
                Entailment(scorer_id=scorer, pair=pair, probability=probability)
                for pair, probability in probabilities.items()
            ],
            batch_size=WRITTEN_AT_ONCE,
            ignore_conflicts=True,
        )

    def _scorer(self, fingerprint: str) -> int:
        if fingerprint not in self._ids:
            digest = _digest(fingerprint)
            scorer, _ = EntailmentScorer.objects.get_or_create(
                digest=digest, defaults={"fingerprint": fingerprint}
            )
            self._ids[fingerprint] = scorer.pk
        return self._ids[fingerprint]


class HeldBack:
    """Knows what the database knows, and what was computed since; that is written when asked for.

    So a shard's probabilities are written together with its verdicts.
    """

    def __init__(self, beneath: DatabaseCache) -> None:
        self._beneath = beneath
        self._new: dict[str, dict[str, float]] = {}

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> dict[str, float]:
        new = self._new.get(fingerprint, {})
        found = {name: new[name] for name in digests if name in new}
        rest = [name for name in digests if name not in found]
        return found | (self._beneath.get_many(fingerprint, rest) if rest else {})

    def put_many(self, fingerprint: str, probabilities: Mapping[str, float]) -> None:
        """Keep these, in memory."""
        self._new.setdefault(fingerprint, {}).update(probabilities)

    def write(self) -> int:
        """Keep what is new in the database, in the order that all workers write in; how much."""
        count = sum(map(len, self._new.values()))
        for fingerprint, new in self._new.items():
            self._beneath.put_many(fingerprint, dict(sorted(new.items())))
        self._new.clear()
        return count


def note_speed(fingerprint: str, computed: int, seconds: float) -> None:
    """Remember how fast a scorer is."""
    if computed and seconds:
        EntailmentScorer.objects.filter(digest=_digest(fingerprint)).update(
            computed=F("computed") + computed, seconds=F("seconds") + seconds
        )


def known_speed(fingerprint: str) -> float | None:
    """Pairs that one worker computes in a second, where that was measured."""
    scorer = EntailmentScorer.objects.filter(digest=_digest(fingerprint)).first()
    return scorer.pairs_per_second if scorer else None


def _digest(fingerprint: str) -> str:
    return blake2b(fingerprint.encode(), digest_size=16).hexdigest()
