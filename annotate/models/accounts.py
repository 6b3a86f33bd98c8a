"""People who sign in."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone


class User(AbstractUser):
    """Someone with a password. The address is optional, since crowd raters give none."""

    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    name = models.CharField("name", max_length=100, blank=True)
    is_researcher = models.BooleanField("may create studies", default=False)

    came_by: "ApiToken | None" = None
    """The token of the program that asks in the person's name."""

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
        """People from crowd platforms have neither a password nor an address."""
        return bool(self.email) or self.has_usable_password()

    def get_full_name(self) -> str:
        return str(self)

    def get_short_name(self) -> str:
        return str(self)


class Scope(models.TextChoices):
    """What a token lets a program do."""

    READ = "read", "read: studies, answers, judgments, reports, runs"
    UPLOAD = "upload", "upload: bring files, have them loaded, throw them away"
    RATE = "rate", "rate: rate, and make, open, change and close batches"
    RUN = "run", "run: have automatic judges work, and reports built"
    ADMIN = "admin", "admin: everything that you may do"


def everything() -> list[str]:
    return [Scope.ADMIN.value]


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many requests a token may still make, and in how many seconds it may make all of them
    again."""

    most: int
    left: int
    seconds: int
    holds: bool


class ApiToken(models.Model):
    """A key for programs. Only its digest is kept; the key is shown once."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    label = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=everything)
    study = models.ForeignKey(
        "annotate.Study", on_delete=models.CASCADE, null=True, related_name="api_tokens"
    )
    """The only study that it opens; without one, all that its person is in."""

    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    counted_from = models.DateTimeField(null=True)
    counted = models.PositiveIntegerField(default=0, db_default=0)
    """How many requests came with it since then, within a minute."""

    allowance: Allowance | None = None
    """What the present request leaves of it."""

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.label

    @property
    def has_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @property
    def opens(self) -> str:
        """Its scopes in a word or two."""
        return "everything" if Scope.ADMIN in self.scopes else ", ".join(self.scopes)

    def allows(self, scope: Scope) -> bool:
        return scope in self.scopes or Scope.ADMIN in self.scopes


class SharedCount(models.Model):
    """What all web processes count together: tries to sign in, mails asked for. Django's cache
    writes it; it is a table of ours so that it comes with the others."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "attest_cache"

    def __str__(self) -> str:
        return f"{self.cache_key} until {self.expires:%Y-%m-%d %H:%M}"
