"""Corpora: passages to search."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotate.models import Study
from annotate.work.jobs.leased import Leased, lease_only_while, one_of


class Corpus(Leased):
    """Passages under a name, and the state of their index.

    Texts and index are in a folder of the disk (`ATTEST_CORPORA_DIR`); a corpus of an OpenSearch
    server has neither.
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
    """How it is divided and searched.

    `words` of a passage of a document, the `encoder`'s folder; for a server the `connection`.
    """

    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    phase = models.CharField(max_length=100, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    """Bytes of its files."""

    position = models.PositiveBigIntegerField(default=0)
    passages = models.PositiveBigIntegerField(default=0)
    folder = models.CharField(max_length=100, blank=True)
    kept_bytes = models.PositiveBigIntegerField(default=0)
    """Bytes of the folder."""

    fingerprint = models.CharField(max_length=64, blank=True)
    """Of the files' contents and of how they are divided."""

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "corpora"
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="corpus_unique"),
            one_of(
                "state",
                ["queued", "indexing", "ready", "cancelled", "failed"],
                "corpus_state_known",
            ),
            one_of("method", ["words", "dense", "hybrid", "opensearch"], "corpus_method_known"),
            lease_only_while("indexing", "corpus_lease_while_indexing"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_working(self) -> bool:
        """Whether a worker will complete it."""
        return self.state in {self.State.QUEUED, self.State.INDEXING}

    @property
    def is_ready(self) -> bool:
        return self.state == self.State.READY

    @property
    def needs_encoder(self) -> bool:
        """Whether it needs a model, which web processes do not load."""
        return self.method in {self.Method.DENSE, self.Method.HYBRID}

    @property
    def percent(self) -> int:
        """The share of the files that was read."""
        return min(100, round(100 * self.position / self.size)) if self.size else 0


class CorpusFile(models.Model):
    """A file of a corpus, deleted once the corpus is indexed."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=255)
    file = models.FileField(upload_to="%Y/%m", max_length=500)
    size = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name
