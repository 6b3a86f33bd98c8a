"""People who sign in."""

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

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(
                Lower("email"), condition=~Q(email=""), name="user_email_unique"
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.username

    def get_full_name(self) -> str:
        return str(self)

    def get_short_name(self) -> str:
        return str(self)


class ApiToken(models.Model):
    """A key for programs. Only its digest is kept; the key is shown once."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    label = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.label


class SignInFailure(models.Model):
    """Wrong passwords for one account name, or from one client address (see sign_in_brake)."""

    key = models.CharField(max_length=64, unique=True)
    count = models.PositiveIntegerField(default=0)
    blocked_until = models.DateTimeField(null=True)
    last_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-last_at"]

    def __str__(self) -> str:
        return f"{self.count} until {self.last_at:%Y-%m-%d %H:%M}"
