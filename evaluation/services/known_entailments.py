"""The cache of entailment probabilities in the database, shared by all studies."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from evaluation.models import Entailment, EntailmentScorer

ASKED_AT_ONCE = 500


class DatabaseCache:
    """Remembers every pair that was ever asked. Two workers may write the same pair: one wins,
    and both had the same number."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> dict[str, float]:
        """Those that are known."""
        known = Entailment.objects.filter(scorer_id=self._scorer(fingerprint))
        found: dict[str, float] = {}
        for first in range(0, len(digests), ASKED_AT_ONCE):
            some = digests[first : first + ASKED_AT_ONCE]
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
            batch_size=ASKED_AT_ONCE,
            ignore_conflicts=True,
        )

    def _scorer(self, fingerprint: str) -> int:
        if fingerprint not in self._ids:
            digest = blake2b(fingerprint.encode(), digest_size=16).hexdigest()
            scorer, _ = EntailmentScorer.objects.get_or_create(
                digest=digest, defaults={"fingerprint": fingerprint}
            )
            self._ids[fingerprint] = scorer.pk
        return self._ids[fingerprint]
