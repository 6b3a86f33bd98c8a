"""What somebody who asks language models may spend, and has."""

from django.db import models

BILLION = 10**9


class Spending(models.Model):
    """Tokens as servers counted them, and dollars at the prices of then."""

    budget = models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True)
    """Dollars; who has spent so much is paused."""

    calls = models.PositiveBigIntegerField(default=0, db_default=0)
    tokens_asked = models.PositiveBigIntegerField(default=0, db_default=0)
    tokens_cached = models.PositiveBigIntegerField(default=0, db_default=0)
    tokens_written = models.PositiveBigIntegerField(default=0, db_default=0)
    spent = models.PositiveBigIntegerField(default=0, db_default=0)
    """What a language model was asked so far, as its server counted, and what that cost at the
    prices of then, in billionths of a dollar."""

    class Meta:
        abstract = True

    @property
    def is_spent(self) -> bool:
        """Whether the budget is spent."""
        return self.budget is not None and self.spent >= self.budget * BILLION
