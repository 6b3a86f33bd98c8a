"""Receive a corpus's files, index them in a worker, and remove them."""

import hashlib
import logging
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from shutil import rmtree
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.db import IntegrityError, transaction
from django.db.models import Q, Sum
from django.utils import timezone

from annotate.exchange.deletion import forgetting, stopping
from annotate.formats.corpora import CorpusReading
from annotate.formats.corpora.reading import WORDS
from annotate.formats.limits import NAME_CHARS, Limits
from annotate.formats.problems import Unreadable
from annotate.formats.records import Problem
from annotate.models import Removal, Study, User
from annotate.studies import quotas
from annotate.text.corpus import CorpusBuilder, CorpusPassage, RepeatedKey
from annotate.uploads.storing import on_disk, refuse_without_room
from annotate.web import audit
from annotate.web.errors import FULL, NoRoom, Refused
from annotate.work import jobs
from annotate.work.jobs import Holding
from evaluation.generating.retrieval.dense import embed
from evaluation.generating.searching import encoder_of, retriever_of
from evaluation.judges.entailment import ScorerError
from evaluation.language_models.connections import refuse_model
from evaluation.models import Corpus, CorpusFile, Run

log = logging.getLogger(__name__)

State, Method = Corpus.State, Corpus.Method

LEAST_WORDS, MOST_WORDS = 10, 10_000
REPORT_INTERVAL = 1.0
"""Seconds between two reports of progress, which also check whether the job is cancelled."""

MAX_REPORTED = 20
"""The maximum number of bad records in an error message."""

SPACE_FACTOR = 3
"""While it is indexed, a corpus needs at most this many times the bytes of its files."""

CORPUS = jobs.Kind(
    model=Corpus,
    task="evaluation.index_corpus",
    steps={State.QUEUED: State.INDEXING},
    queue=lambda corpus: Run.Queue.ENTAILMENT if corpus.needs_encoder else Run.Queue.DEFAULT,
    since=lambda corpus: corpus.finished_at or corpus.created_at,
    asked_for=(State.QUEUED, State.INDEXING),
    afresh={"phase": "", "position": 0, "passages": 0, "error": ""},
    advice="Check the worker's log, then rebuild the index.",
)


class UnreadableRecords(Refused):
    """Records of a corpus's files that cannot be read."""


# Asking -------------------------------------------------------------------------------------------


def receive(
    study: Study,
    name: str,
    files: Sequence[File[bytes]],
    *,
    by: User | None,
    method: str = Method.WORDS,
    words: int = WORDS,
    encoder: str = "",
    by_operator: bool = False,
) -> Corpus:
    """Store the files under a name; `start` indexes them.

    With `by_operator`, the encoder may be in any folder.
    """
    options: dict[str, Any] = {"words": words}
    _refuse_name(study, name)
    _refuse_encoder(method, encoder, by_operator=by_operator)
    if not LEAST_WORDS <= words <= MOST_WORDS:
        raise Refused(f"Expected {LEAST_WORDS} to {MOST_WORDS:,} words a passage, found {words:,}.")
    if encoder:
        options["encoder"] = encoder
    if not files:
        raise Refused("Expected at least one file.")
    size = sum(file.size or 0 for file in files)
    for file in files:
        _refuse_size(file)
    quotas.refuse_work(study, by)
    quotas.refuse_bytes(study, by, SPACE_FACTOR * size)
    refuse_without_room(name, SPACE_FACTOR * size)
    corpus = Corpus(
        study=study, created_by=by, name=name.strip(), method=method, options=options, size=size
    )
    _store(corpus, files)
    return corpus


def connect(
    study: Study, name: str, connection: str, *, by: User | None, by_operator: bool = False
) -> Corpus:
    """Create a corpus of an OpenSearch server. Nothing is read or indexed here."""
    _refuse_name(study, name)
    options = {"connection": connection, "by_operator": by_operator}
    corpus = Corpus(
        study=study, created_by=by, name=name.strip(), method=Method.OPENSEARCH, options=options
    )
    corpus.state = State.READY
    retriever_of(corpus)  # refuses a forbidden connection
    with transaction.atomic():
        corpus.save()
        _audit("corpus-made", corpus, connection=connection)
    return corpus


def _refuse_name(study: Study, name: str) -> None:
    if not (name.strip() and name.isprintable()) or len(name.strip()) > NAME_CHARS:
        raise Refused(f"Expected a name of up to {NAME_CHARS} visible signs.")
    if Corpus.objects.filter(study=study, name=name.strip()).exists():
        raise Refused(f"There is a corpus “{name.strip()}” in this study already.")


def _refuse_encoder(method: str, encoder: str, *, by_operator: bool) -> None:
    if method == Method.WORDS:
        if encoder:
            raise Refused("A search by words asks no encoder.")
    elif not encoder:
        raise Refused("A search by meaning needs a sentence encoder: the folder of one.")
    elif not by_operator:
        refuse_model(encoder)


def _refuse_size(file: File[bytes]) -> None:
    called, size = str(file.name), file.size or 0
    if not size:
        raise Refused(f"{called} is empty.")
    if size > settings.ATTEST_MAX_UPLOAD_BYTES:
        raise Refused(
            f"{called} has {size:,} bytes; at most {settings.ATTEST_MAX_UPLOAD_BYTES:,} are "
            "accepted (setting ATTEST_MAX_UPLOAD_BYTES). Give it in several files."
        )


def _store(corpus: Corpus, files: Sequence[File[bytes]]) -> None:
    """Store the corpus with all of its files, or nothing."""
    rows = []
    try:
        for file in files:
            called = Path(str(file.name)).name[:255]
            row = CorpusFile(corpus=corpus, name=called, size=file.size or 0, digest=_digest(file))
            row.file.save(f"{corpus.study.slug}-corpus-{secrets.token_hex(8)}", file, save=False)
            rows.append(row)
        corpus.fingerprint = _fingerprint(corpus, rows)
        with transaction.atomic():
            corpus.save()
            for row in rows:
                row.corpus = corpus
                row.save()
            _audit("corpus-made", corpus, files=[row.name for row in rows], size=corpus.size)
    except BaseException as fault:
        for row in rows:
            row.file.delete(save=False)
        if isinstance(fault, IntegrityError):
            raise Refused(f"There is a corpus “{corpus.name}” in this study already.") from None
        if isinstance(fault, OSError) and fault.errno in FULL:
            raise NoRoom(corpus.name, corpus.size) from fault
        raise


def _audit(act: str, corpus: Corpus, **details: Any) -> None:
    audit.note(act, corpus, by=corpus.created_by, **details)


def _digest(file: File[bytes]) -> str:
    digest = hashlib.sha256()
    for block in file.chunks():
        digest.update(block)
    file.seek(0)
    return digest.hexdigest()


def _fingerprint(corpus: Corpus, rows: Sequence[CorpusFile]) -> str:
    """Identify the files, whose names are part of the passages' keys, and their division."""
    told = [f"{row.name}:{row.digest}" for row in rows]
    return hashlib.sha256(
        "\n".join([f"words:{corpus.options['words']}", *told]).encode()
    ).hexdigest()


def start(corpus: Corpus) -> None:
    """Index the corpus: small files at once, others in a worker."""
    if corpus.size <= settings.ATTEST_INLINE_UPLOAD_BYTES and not corpus.needs_encoder:
        work(corpus.pk)
        corpus.refresh_from_db()
    else:
        transaction.on_commit(lambda: jobs.send_row(CORPUS, corpus))


def cancel(corpus: Corpus) -> None:
    """Stop indexing. The files stay and can be indexed again."""
    with transaction.atomic():
        locked = Corpus.objects.select_for_update().get(pk=corpus.pk)
        if not locked.is_working:
            raise Refused(f"Nothing to cancel: it is {locked.get_state_display().lower()}.")
        locked.state, locked.finished_at = State.CANCELLED, timezone.now()
        locked.lease_token, locked.lease_until, locked.phase = "", None, ""
        locked.save()
        audit.note("corpus-cancelled", locked)
    corpus.refresh_from_db()


def again(corpus: Corpus) -> None:
    """Index a failed or cancelled corpus again."""
    with transaction.atomic():
        locked = Corpus.objects.select_for_update().get(pk=corpus.pk)
        if locked.state not in {State.CANCELLED, State.FAILED} or not locked.files.exists():
            raise Refused(f"It cannot be indexed: it is {locked.get_state_display().lower()}.")
        quotas.refuse_work(locked.study, locked.created_by)
        locked.reset_attempts()
        locked.state, locked.error, locked.finished_at = State.QUEUED, "", timezone.now()
        locked.save()
    corpus.refresh_from_db()
    start(corpus)


def remove(corpus: Corpus) -> None:
    """Delete the corpus with its files and its index. Systems made with it keep their texts."""
    with transaction.atomic():
        audit.note("corpus-deleted", corpus)
        files = [row.file for row in corpus.files.all()]
        Corpus.objects.filter(pk=corpus.pk).delete()
    for file in files:
        file.delete(save=False)
    _remove_folders(corpus.pk)


@quotas.counting_bytes
def _disk_usage(rows: Q) -> int:
    found = Corpus.objects.filter(rows).aggregate(kept=Sum("kept_bytes"))["kept"] or 0
    waiting = CorpusFile.objects.filter(corpus__in=Corpus.objects.filter(rows))
    return int(found + (waiting.aggregate(size=Sum("size"))["size"] or 0))


@stopping
def cancel_indexing(removal: Removal) -> None:
    """Cancel the indexing of a deleted study's corpora."""
    if removal.is_of_study:
        for corpus in Corpus.objects.filter(study=removal.study_id, state__in=CORPUS.asked_for):
            cancel(corpus)


@forgetting
def remove_corpora(study: Study) -> None:
    """Delete the files and indexes of a deleted study."""
    for corpus in Corpus.objects.filter(study=study):
        remove(corpus)


# Workers ------------------------------------------------------------------------------------------


def work(corpus_id: int, *, worker: str = "") -> bool:
    """Index a waiting corpus; return whether it was ours to index."""
    return jobs.work(CORPUS, corpus_id, _index, fail=_fail, worker=worker)


def _index(holding: Holding[Corpus]) -> None:
    corpus = holding.row
    _remove_folders(corpus.pk)  # of a killed worker
    folder = f"{corpus.pk}-{secrets.token_hex(8)}"
    path = settings.ATTEST_CORPORA_DIR / folder
    try:
        if corpus.needs_encoder:
            encoder_of(corpus)  # fail before hours of reading
        count = _Reading(holding).build(path)
        if corpus.needs_encoder:
            _embed(holding, path, count)
        size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        files = [row.file for row in corpus.files.all()]
        with transaction.atomic():
            holding.finish(
                State.READY, phase="", folder=folder, kept_bytes=size, passages=count,
                position=corpus.size,
            )  # fmt: skip
            corpus.files.all().delete()
    except BaseException:
        rmtree(path, ignore_errors=True)
        raise
    for file in files:
        file.delete(save=False)


def _fail(holding: Holding[Corpus], problem: Exception) -> None:
    error = f"{type(problem).__name__}: {problem}"
    if isinstance(problem, (Refused, Unreadable, ScorerError)):
        error = str(problem)
    elif isinstance(problem, FileNotFoundError):
        error = "A file of it is no longer on disk. Make the corpus again."
    elif isinstance(problem, OSError) and problem.errno in FULL:
        error = str(NoRoom(holding.row.name, SPACE_FACTOR * holding.row.size))
    else:
        log.exception("corpus %s could not be indexed", holding.row.pk)
    holding.finish(State.FAILED, error=error, phase="")


def _embed(holding: Holding[Corpus], path: Path, count: int) -> None:
    """Add the vectors of the passages."""
    told = time.monotonic()

    def tell(done: int) -> None:
        nonlocal told
        if time.monotonic() - told >= REPORT_INTERVAL:
            holding.progress["phase"] = f"Encoding, {done:,} of {count:,} passages"
            holding.renew()
            told = time.monotonic()

    holding.progress.update(phase="Encoding", position=holding.row.size, passages=count)
    holding.renew()
    embed(path, encoder_of(holding.row), went_on=tell)


class _Reading:
    """Read the files of a corpus into its index and report the progress."""

    def __init__(self, holding: Holding[Corpus]) -> None:
        self._holding = holding
        self._before = 0
        self._file: CorpusReading | None = None
        self._reported_at = time.monotonic()

    def build(self, path: Path) -> int:
        try:
            count = CorpusBuilder(path).build(
                self._passages(), report_progress=self._report_progress
            )
        except RepeatedKey as repeated:
            raise UnreadableRecords(
                f"Expected each id once, found “{str(repeated)[:200]}” twice."
            ) from None
        if not count:
            raise UnreadableRecords("The files have no passages.")
        return count

    def _passages(self) -> Iterator[CorpusPassage]:
        corpus = self._holding.row
        bad: list[str] = []
        with ExitStack() as stack:
            for row in corpus.files.all():
                path = stack.enter_context(on_disk(row.file))
                self._file = CorpusReading(path, row.name, _limits(), words=corpus.options["words"])
                for found in self._file.passages():
                    if not isinstance(found, Problem):
                        yield found
                    elif len(bad) < MAX_REPORTED:
                        bad.append(str(found))
                    else:
                        _refuse_bad(bad)
                self._before, self._file = self._before + row.size, None
        _refuse_bad(bad)

    def _report_progress(self, count: int) -> None:
        if time.monotonic() - self._reported_at < REPORT_INTERVAL:
            return
        here = self._file.position if self._file else 0
        self._holding.progress.update(position=self._before + here, passages=count)
        self._holding.renew()
        self._reported_at = time.monotonic()


def _refuse_bad(bad: Sequence[str]) -> None:
    if bad:
        told = "\n".join(bad)
        raise UnreadableRecords(f"Nothing was indexed, since these records cannot be read:\n{told}")


def _limits() -> Limits:
    return Limits(
        max_bytes=settings.ATTEST_MAX_UPLOAD_BYTES, max_field_chars=settings.ATTEST_MAX_FIELD_CHARS
    )


def _remove_folders(pk: int) -> None:
    for path in settings.ATTEST_CORPORA_DIR.glob(f"{pk}-*"):
        rmtree(path, ignore_errors=True)


@jobs.swept
def sweep_folders(now: datetime) -> None:
    """Remove folders without a corpus, which a process killed before the commit leaves."""
    root = settings.ATTEST_CORPORA_DIR
    found = [path for path in root.iterdir() if path.is_dir()] if root.is_dir() else []
    if found:
        known = set(Corpus.objects.exclude(folder="").values_list("folder", flat=True))
        old = (now - timedelta(days=1)).timestamp()
        for path in found:
            if path.name not in known and path.stat().st_mtime < old:
                rmtree(path, ignore_errors=True)
