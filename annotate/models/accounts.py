"""Accounts, API tokens, and counters for rate limits."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone


class User(AbstractUser):
    """A person's account. The e-mail address is optional, because crowd raters give none."""

    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    name = models.CharField("name", max_length=100, blank=True)
    is_researcher = models.BooleanField("may create studies", default=False)

    came_by: "ApiToken | None" = None
    """The API token of the current request, if a program sent it."""

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(
                Lower("email"), condition=~Q(email=""), name="user_email_unique"
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.username

    @property
    def has_own_account(self) -> bool:
        """Whether it has a password or an address, unlike accounts of crowd raters."""
        return bool(self.email) or self.has_usable_password()

    def get_full_name(self) -> str:
        return str(self)

    def get_short_name(self) -> str:
        return str(self)


class Scope(models.TextChoices):
    """A permission of a token."""

    READ = "read", "read: studies, answers, judgments, reports, runs"
    UPLOAD = "upload", "upload: bring files, have them loaded, throw them away"
    RATE = "rate", "rate: rate, and make, open, change and close batches"
    RUN = "run", "run: have automatic judges work, and reports built"
    ADMIN = "admin", "admin: everything that you may do"


def everything() -> list[str]:
    return [Scope.ADMIN.value]


@dataclass(frozen=True, slots=True)
class Allowance:
    """A token's rate limit: the requests left, and the seconds until all are available again."""

    most: int
    left: int
    seconds: int
    holds: bool


class ApiToken(models.Model):
    """A key for programs. It is shown once, and only its digest is stored."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    label = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=everything)
    study = models.ForeignKey(
        "annotate.Study", on_delete=models.CASCADE, null=True, related_name="api_tokens"
    )
    """The only study that it opens; None: all studies of its user."""

    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    counted_from = models.DateTimeField(null=True)
    counted = models.PositiveIntegerField(default=0, db_default=0)
    """The requests since `counted_from`, within a minute."""

    allowance: Allowance | None = None
    """The rate limit after the current request."""

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.label

    @property
    def has_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @property
    def opens(self) -> str:
        """Return the names of its scopes."""
        return "everything" if Scope.ADMIN in self.scopes else ", ".join(self.scopes)

    def allows(self, scope: Scope) -> bool:
        return scope in self.scopes or Scope.ADMIN in self.scopes


class SharedCount(models.Model):
    """Counters shared by all web processes: attempts to sign in, requested mails.

    Django's cache writes it. It is a model so that migrations create its table.
    """

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "attest_cache"

    def __str__(self) -> str:
        return f"{self.cache_key} until {self.expires:%Y-%m-%d %H:%M}"
