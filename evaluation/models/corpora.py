"""Passages that are searched: a study's corpora."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models import Study
from annotate.work.jobs.leased import Leased


class Corpus(Leased):
    """Passages under a name, and how far their index is. Texts and index lie in a folder of the
    disk (`ATTEST_CORPORA_DIR`); another engine's corpus has neither, and is asked there.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting to be indexed"
        INDEXING = "indexing", "Being indexed"
        READY = "ready", "Ready"
        CANCELLED = "cancelled", "Cancelled"
        FAILED = "failed", "Failed"

    class Method(models.TextChoices):
        WORDS = "words", "By words (BM25)"
        DENSE = "dense", "By meaning (a sentence encoder)"
        HYBRID = "hybrid", "By both, ranks put together"
        OPENSEARCH = "opensearch", "Asked of an OpenSearch server"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="corpora")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    name = models.CharField(max_length=200)
    method = models.CharField(max_length=10, choices=Method, default=Method.WORDS)
    options = models.JSONField(default=dict)
    """How it is divided and searched: `words` of a passage of a document, the `encoder`'s folder;
    of another engine's the `connection` and `index`."""

    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    phase = models.CharField(max_length=100, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    """Bytes of the files that it is made of."""

    position = models.PositiveBigIntegerField(default=0)
    passages = models.PositiveBigIntegerField(default=0)
    folder = models.CharField(max_length=100, blank=True)
    kept_bytes = models.PositiveBigIntegerField(default=0)
    """What the folder takes."""

    fingerprint = models.CharField(max_length=64, blank=True)
    """Of the files' contents and of how they are divided."""

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "corpora"
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="corpus_unique"),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "indexing", "ready", "cancelled", "failed"]),
                name="corpus_state_known",
            ),
            models.CheckConstraint(
                condition=Q(method__in=["words", "dense", "hybrid", "opensearch"]),
                name="corpus_method_known",
            ),
            models.CheckConstraint(
                condition=Q(state="indexing", lease_until__isnull=False)
                | ~Q(state="indexing") & Q(lease_until__isnull=True),
                name="corpus_lease_while_indexing",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_working(self) -> bool:
        """Whether it will be there without anybody doing anything."""
        return self.state in {self.State.QUEUED, self.State.INDEXING}

    @property
    def is_ready(self) -> bool:
        return self.state == self.State.READY

    @property
    def needs_encoder(self) -> bool:
        """Whether a model has to be asked, which web processes do not do."""
        return self.method in {self.Method.DENSE, self.Method.HYBRID}

    @property
    def percent(self) -> int:
        """How much of the files was read."""
        return min(100, round(100 * self.position / self.size)) if self.size else 0


class CorpusFile(models.Model):
    """A file that a corpus is to be made of. It is thrown away when that is done."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=255)
    file = models.FileField(upload_to="%Y/%m", max_length=500)
    size = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name
