"""What language models answered about a study, kept so that no call is paid for twice; what a run
has spent on them; and how many ask their servers."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from annotate.models import Study
from evaluation.judges.entailment.parallel import Enough
from evaluation.language_models.asking.calling import SentError
from evaluation.language_models.asking.speech import Reply
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


class SpentError(Enough):
    """The budget is spent."""


class StudyCalls:
    """What models answered about a study, by everything that they were told.

    A part of a run, or what is made here, claims a call before it makes it, under its own lease
    (`token`): nobody else makes it meanwhile, and where its worker dies, others may. Whoever only
    counts has none. `payer` is who has them made, and spends.
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
        found: dict[str, Reply] = {}
        for first in range(0, len(digests), READ_AT_ONCE):
            names = self._names(fingerprint, digests[first : first + READ_AT_ONCE])
            found.update(_answered(self._rows(names), names))
        return found

    def claim(self, fingerprint: str, digests: Sequence[str]) -> set[str]:
        """Those that are ours to make: nobody had them answered, nobody alive is making them."""
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
        """Keep some for good, with what they cost; of two answers to one call the first stays."""
        names = self._names(fingerprint, list(replies))
        with transaction.atomic():
            before = self._keep({name: replies[digest] for name, digest in names.items()})
            self._spend(list(replies.values()))
        return {**replies, **{names[name]: reply for name, reply in before.items()}}

    def put_batch(self, replies: Mapping[str, Reply]) -> None:
        """The same, by their names, of what a batch brought: what is kept was paid for before, and
        a batch that is read again costs nothing."""
        with transaction.atomic():
            before = self._keep(replies)
            self._spend([r for name, r in replies.items() if name not in before], batched=True)

    def _keep(self, replies: Mapping[str, Reply]) -> dict[str, Reply]:
        """Those that were kept before."""
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
        """Leave to others what was claimed and has no answer."""
        self._rows(self._names(fingerprint, digests)).filter(lease_token=self._token).delete()

    def name(self, fingerprint: str, digest: str) -> str:
        """The digest under which a call to one model is kept."""
        return _name(fingerprint, digest + self._again)

    def _names(self, fingerprint: str, digests: Sequence[str]) -> dict[str, str]:
        """The digests of calls, by those of the calls to one model. What is asked again (`repeat`)
        is a call of its own."""
        return {self.name(fingerprint, digest): digest for digest in digests}

    def refuse_more(self) -> None:
        """Raise `SpentError` where the budget is spent; refuse to spend what nobody can count,
        since the prices were taken away."""
        if self._is_spent:
            raise SpentError
        if self.counts and self._connection is not None:
            refuse_unpriced(self._connection)

    def refuse_to_wait(self, fingerprint: str, digests: Sequence[str]) -> None:
        """Raise `SentError` where any of them are out in a batch: the part of a run waits for it,
        and whoever could not read it looks again. Others, who ask nothing that a run does, do as
        ever."""
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
                    batch.ask_anew()
                    batch.save(update_fields=["state", "error", "due_at", *batch.UNTRIED])
        if batches:
            raise SentError

    def _spend(self, replies: Sequence[Reply], *, batched: bool = False) -> None:
        """Count what was paid for. What other parts spent meanwhile is seen here, too: no further
        call begins before an answer was counted."""
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
    """Those of leases that somebody still holds, and of batches."""
    found: set[str] = set()
    for holder in (Shard, Generation, Making):
        held = holder._default_manager.filter(
            lease_token__in=tokens, lease_until__gte=timezone.now()
        )
        found.update(held.values_list("lease_token", flat=True))
    held_by = ModelBatch.objects.filter(name__in=tokens, state__in=ModelBatch.HELD)
    return found | set(held_by.values_list("name", flat=True))


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
    """Count the parts of runs, generations and makings that ask through a connection now."""
    now = timezone.now()
    parts = Shard.objects.filter(
        state=Shard.State.WORKING, lease_until__gte=now, run__plan__connection=connection.pk
    )
    made = (
        holder._default_manager.filter(connection=connection, lease_until__gte=now)
        for holder in (Generation, Making)
    )
    return parts.count() + sum(rows.count() for rows in made)
