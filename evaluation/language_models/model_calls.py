"""Replies of language models, stored so that no call is paid for twice, and their cost."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from annotate.models import Study
from evaluation.judges.entailment.parallel import StopAsking
from evaluation.language_models.asking.calling import BatchPendingError
from evaluation.language_models.asking.server_apis import Reply
from evaluation.language_models.connections import refuse_unpriced
from evaluation.models import (
    Connection,
    Generation,
    Making,
    ModelBatch,
    ModelCall,
    Run,
    Shard,
)

READ_AT_ONCE = 500
KEPT = ("text", "asked", "cached", "written", "why", "likely", "run", "lease_token", "created_at")


class BudgetSpentError(StopAsking):
    """The budget is spent."""


class StudyCalls:
    """The replies of models in a study, by the full content of each call.

    A part of a run claims a call under its lease `token` before making it. No one else makes it
    meanwhile; if its worker dies, others may. Without a token, calls are only read. `payer` is the
    row whose budget pays.
    """

    def __init__(
        self,
        study: Study,
        payer: Run | Generation | Making | None = None,
        connection: Connection | None = None,
        token: str = "",
        *,
        repeat: int = 0,
    ) -> None:
        self._study = study
        self._payer = payer
        self._run = payer if isinstance(payer, Run) else None
        self._connection = connection
        self._token = token
        self._again = f"\0repeat:{repeat}" if repeat else ""
        self._is_spent = payer is not None and payer.is_spent
        self.counts = payer is not None and payer.budget is not None

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> dict[str, Reply]:
        replies: dict[str, Reply] = {}
        for first in range(0, len(digests), READ_AT_ONCE):
            names = self._names(fingerprint, digests[first : first + READ_AT_ONCE])
            replies.update(_answered(self._rows(names), names))
        return replies

    def claim(self, fingerprint: str, digests: Sequence[str]) -> set[str]:
        """Claim and return the calls that are neither answered nor under way elsewhere."""
        names = self._names(fingerprint, digests)
        ours = {"lease_token": self._token, "run": self._run}
        made = [ModelCall(study=self._study, digest=name, **ours) for name in sorted(names)]
        with transaction.atomic():
            ModelCall.objects.bulk_create(made, ignore_conflicts=True)
            others = self._rows(names).exclude(lease_token__in=["", self._token])
            tokens = set(others.values_list("lease_token", flat=True))
            if tokens:
                others.filter(lease_token__in=tokens - _alive(tokens)).update(**ours)
            mine = self._rows(names).filter(lease_token=self._token)
            return {names[name] for name in mine.values_list("digest", flat=True)}

    def put(self, fingerprint: str, replies: Mapping[str, Reply]) -> dict[str, Reply]:
        """Store replies and their cost; the first reply to a call stays."""
        names = self._names(fingerprint, list(replies))
        with transaction.atomic():
            before = self._keep({name: replies[digest] for name, digest in names.items()})
            self._spend(list(replies.values()))
        return {**replies, **{names[name]: reply for name, reply in before.items()}}

    def put_batch(self, replies: Mapping[str, Reply]) -> None:
        """Store a batch's replies by name. Known replies cost nothing, so a batch can be read
        again."""
        with transaction.atomic():
            before = self._keep(replies)
            self._spend([r for name, r in replies.items() if name not in before], batched=True)

    def _keep(self, replies: Mapping[str, Reply]) -> dict[str, Reply]:
        """Store new replies; return the known ones."""
        rows = self._rows(replies).select_for_update(no_key=True).order_by("digest")
        before = _answered(rows, {name: name for name in replies})
        now = timezone.now()
        ModelCall.objects.bulk_create(
            [
                ModelCall(
                    study=self._study,
                    digest=name,
                    run=self._run,
                    text=reply.text.replace("\0", ""),
                    asked=reply.asked,
                    cached=reply.cached,
                    written=reply.written,
                    why=reply.why,
                    likely=reply.likely,
                    created_at=now,
                )
                for name, reply in replies.items()
                if name not in before
            ],
            update_conflicts=True,
            unique_fields=["study", "digest"],
            update_fields=KEPT,
        )
        return before

    def let_go(self, fingerprint: str, digests: Sequence[str]) -> None:
        """Release claimed calls without a reply."""
        self._rows(self._names(fingerprint, digests)).filter(lease_token=self._token).delete()

    def name(self, fingerprint: str, digest: str) -> str:
        """Return the digest under which a call to one model is stored."""
        return _name(fingerprint, digest + self._again)

    def _names(self, fingerprint: str, digests: Sequence[str]) -> dict[str, str]:
        """Map stored digests to digests of calls. A repeated question (`repeat`) is a call of its
        own."""
        return {self.name(fingerprint, digest): digest for digest in digests}

    def refuse_more(self) -> None:
        """Raise `BudgetSpentError` if the budget is spent; refuse to spend without prices."""
        if self._is_spent:
            raise BudgetSpentError
        if self.counts and self._connection is not None:
            refuse_unpriced(self._connection)

    def refuse_to_wait(self, fingerprint: str, digests: Sequence[str]) -> None:
        """Raise `BatchPendingError` if any call is in an open batch, for which a part then waits.

        A failed batch is polled again. Other callers are not affected, because they share no
        questions with runs.
        """
        if self._run is None or not self._token:
            return
        shard = Shard.objects.filter(lease_token=self._token).first()
        if shard is None:
            return
        tokens = set(
            self._rows(self._names(fingerprint, digests)).values_list("lease_token", flat=True)
        )
        with transaction.atomic():
            found = ModelBatch.objects.filter(name__in=tokens, state__in=ModelBatch.HELD)
            locked = found.defer("calls", "unanswered").select_for_update(no_key=True)
            batches = list(locked.order_by("pk"))
            for batch in batches:
                batch.shards.add(shard)
                if batch.state == ModelBatch.State.FAILED:
                    batch.state, batch.error, batch.due_at = batch.State.WAITING, "", timezone.now()
                    batch.reset_attempts()
                    batch.save(update_fields=["state", "error", "due_at", *batch.UNTRIED])
        if batches:
            raise BatchPendingError

    def _spend(self, replies: Sequence[Reply], *, batched: bool = False) -> None:
        """Add the cost of replies, and read what other parts spent meanwhile."""
        if self._payer is None:
            return
        asked, cached, written = (
            sum(getattr(one, name) for one in replies) for name in ("asked", "cached", "written")
        )
        cost = 0
        if self._connection is not None:
            cost = self._connection.cost(asked, cached, written, batched=batched)
        mine = type(self._payer)._default_manager.filter(pk=self._payer.pk)
        mine.update(
            calls=F("calls") + len(replies),
            tokens_asked=F("tokens_asked") + asked,
            tokens_cached=F("tokens_cached") + cached,
            tokens_written=F("tokens_written") + written,
            spent=F("spent") + cost,
        )
        if self.counts:
            self._is_spent = any(one.is_spent for one in mine.only("spent", "budget"))

    def _rows(self, names: Iterable[str]) -> QuerySet[ModelCall]:
        return ModelCall.objects.filter(study=self._study, digest__in=list(names))


def _alive(tokens: set[str]) -> set[str]:
    """Return the tokens of held leases and of open batches."""
    alive: set[str] = set()
    for holder in (Shard, Generation, Making):
        held = holder._default_manager.filter(
            lease_token__in=tokens, lease_until__gte=timezone.now()
        )
        alive.update(held.values_list("lease_token", flat=True))
    held_by = ModelBatch.objects.filter(name__in=tokens, state__in=ModelBatch.HELD)
    return alive | set(held_by.values_list("name", flat=True))


def _answered(rows: QuerySet[ModelCall], names: Mapping[str, str]) -> dict[str, Reply]:
    columns = rows.filter(lease_token="").values_list(
        "digest", "text", "asked", "written", "why", "cached", "likely"
    )
    return {
        names[name]: Reply(text, asked, written, why, cached, likely)
        for name, text, asked, written, why, cached, likely in columns
    }


def _name(fingerprint: str, digest: str) -> str:
    return blake2b(f"{fingerprint}\0{digest}".encode(), digest_size=16).hexdigest()


def parts_asking(connection: Connection) -> int:
    """Count the parts of runs, generations and tool jobs that ask through a connection now."""
    now = timezone.now()
    parts = Shard.objects.filter(
        state=Shard.State.WORKING, lease_until__gte=now, run__plan__connection=connection.pk
    )
    made = (
        holder._default_manager.filter(connection=connection, lease_until__gte=now)
        for holder in (Generation, Making)
    )
    return parts.count() + sum(rows.count() for rows in made)
