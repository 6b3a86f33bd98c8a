"""Whose work a system is, as far as somebody said."""

from django.db import models

from annotate.models import System


class SystemFamily(models.Model):
    """The family of models that a system is of: a judge may prefer its own. Nothing is guessed from
    names; where no family is said, none is."""

    system = models.OneToOneField(System, on_delete=models.CASCADE, related_name="family_said")
    family = models.CharField(max_length=60)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(family=""), name="system_family_said"),
        ]

    def __str__(self) -> str:
        return self.family
