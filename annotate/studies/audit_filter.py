"""The filter of the audit log, for its page and the API: a filter is one line here."""

from typing import Any

from django import forms
from django_filters import ChoiceFilter, DateFilter, ModelChoiceFilter
from django_filters.rest_framework import FilterSet
from drf_spectacular.utils import extend_schema_field

from annotate.models import AuditEntry, User
from annotate.web.audit import ACTS

_DAY = forms.DateInput(attrs={"type": "date"})


class AuditLogFilter(FilterSet):  # type: ignore[misc]
    """Who, what, and between which days."""

    user = ModelChoiceFilter(
        queryset=User.objects.order_by("username"),
        method="of_user",
        label="Who",
        empty_label="Everybody",
    )
    act = ChoiceFilter(
        label="What",
        empty_label="Everything",
        choices=[(act, told.capitalize()) for act, told in sorted(ACTS.items())],
    )
    since = DateFilter("at", "date__gte", label="From", widget=_DAY)
    until = DateFilter("at", "date__lte", label="To", widget=_DAY)

    class Meta:
        model = AuditEntry
        fields = ["user", "act", "since", "until"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Offer the people and acts that the entries have."""
        super().__init__(*args, **kwargs)
        entries = self.queryset.order_by()
        user, act = self.form.fields["user"], self.form.fields["act"]
        user.queryset = user.queryset.filter(pk__in=entries.values("user_id"))
        present = {"", *entries.values_list("act", flat=True).distinct()}
        act.widget.choices = [(key, told) for key, told in act.choices if key in present]

    @extend_schema_field(int)
    def of_user(self, queryset: Any, name: str, user: User) -> Any:
        return queryset.filter(user_id=user.pk)
