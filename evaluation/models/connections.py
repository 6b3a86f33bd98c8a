"""Connections to models and servers that runs may name."""

from decimal import Decimal

from django.db import models
from django.db.models import Q

from annotate.models import Study, User
from annotate.work.jobs.leased import one_of

HALF = Decimal("0.5")


class Connection(models.Model):
    """An address with its key: the operator's, or a researcher's own. Runs only know its name."""

    class Mode(models.TextChoices):
        PAIRS = "pairs", "pairs: Attest's own form"
        CHAT = "chat", "chat: as OpenAI's servers speak, and vLLM, Ollama, llama.cpp"
        RESPONSES = "responses", "responses: OpenAI's newer form"
        ANTHROPIC = "anthropic", "anthropic: Anthropic's messages"
        GEMINI = "gemini", "gemini: Google's contents"
        LOCAL = "local", "local: a folder of this machine"
        OPENSEARCH = "opensearch", "opensearch: passages of a search engine, and no model"

    name = models.CharField(max_length=60)
    owner = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.CASCADE, related_name="connections"
    )
    """The researcher who owns it; none: the operator."""

    url = models.TextField()
    mode = models.CharField(max_length=10, choices=Mode, default=Mode.PAIRS)
    model = models.CharField(max_length=200, blank=True)
    family = models.CharField(max_length=60, blank=True, default="", db_default="")
    """The declared family of models: see `SystemFamily`."""

    edition = models.CharField(max_length=16)
    """A random text for each change that may lead to another model.

    It is part of the names of judges, which would otherwise be one judge before and after.
    """

    sealed_key = models.TextField(blank=True)
    """The key, encrypted for this address; nobody is ever shown it."""

    environment_key = models.BooleanField(default=False)
    """Whether the worker's `ATTEST_SCORER_KEY` is sent instead."""

    inner = models.BooleanField(default=False)
    """Whether its address may be private."""

    everybody = models.BooleanField(default=False)
    studies = models.ManyToManyField(Study, blank=True, related_name="connections")
    people = models.ManyToManyField(User, blank=True, related_name="lent_connections")
    """Who may use one of the operator's, unless everybody may."""

    price_asked = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    price_cached = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    price_written = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    """Dollars for a million tokens: read, read from a cache (else as read), written.

    The owner declares them; the cost of a run is computed from them.
    """

    price_batches = models.DecimalField(
        max_digits=4, decimal_places=3, default=HALF, db_default=HALF
    )
    """The price of calls in batches, as a share of these."""

    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="connection_unique"),
            models.UniqueConstraint(
                fields=["name"],
                condition=Q(owner__isnull=True),
                name="connection_of_the_operator_unique",
            ),
            one_of(
                "mode",
                ["pairs", "chat", "responses", "anthropic", "gemini", "local", "opensearch"],
                "connection_mode_known",
            ),
            models.CheckConstraint(
                condition=Q(owner__isnull=True)
                | Q(environment_key=False, inner=False, everybody=False) & ~Q(mode="local"),
                name="connection_of_ones_own",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def has_prices(self) -> bool:
        return self.price_asked is not None and self.price_written is not None

    def cost(self, asked: int, cached: int, written: int, *, batched: bool = False) -> int:
        """Return the cost of some tokens, in billionths of a dollar; 0 if no price is known."""
        if self.price_asked is None or self.price_written is None:
            return 0
        of_cached = self.price_asked if self.price_cached is None else self.price_cached
        read = (asked - cached) * self.price_asked + cached * of_cached
        share = self.price_batches if batched else 1
        return round(1000 * share * (read + written * self.price_written))
