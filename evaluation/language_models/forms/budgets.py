"""Budgets of language models in runs, systems and tools."""

from decimal import Decimal

from django import forms
from django.http import QueryDict

from annotate.web.errors import Refused


class BudgetField(forms.DecimalField):
    """A budget; `ends` says what happens when it is spent."""

    def __init__(self, ends: str = "") -> None:
        super().__init__(
            label="Budget (USD)",
            required=False,
            min_value=Decimal("0.01"),
            max_digits=12,
            decimal_places=2,
            help_text=f"When it is spent, {ends}. Empty: no budget. For connections with prices.",
        )


class BudgetForm(forms.Form):
    """A budget sent with a button."""

    budget = BudgetField()


def budget_in(sent: QueryDict) -> Decimal | None:
    """Return the budget sent with a button, or None."""
    form = BudgetForm(sent)
    if not form.is_valid():
        raise Refused(form.errors["budget"][0])
    given: Decimal | None = form.cleaned_data["budget"]
    return given
