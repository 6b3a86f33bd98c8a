"""What is to be seen of the record."""

from typing import Any

from django import forms

from annotate.models import AuditEntry, Study, User
from annotate.services.audit import ACTS

_DAY = forms.DateInput(attrs={"type": "date"})


class AuditLogFilterForm(forms.Form):
    """Who, what, and between which days."""

    user = forms.ModelChoiceField(
        User.objects.none(), required=False, label="Who", empty_label="Everybody"
    )
    act = forms.ChoiceField(required=False, label="What")
    since = forms.DateField(required=False, label="From", widget=_DAY)
    until = forms.DateField(required=False, label="To", widget=_DAY)

    def __init__(self, study: Study | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        entries = AuditEntry.objects.order_by()
        if study is not None:
            entries = entries.filter(study_id=study.pk)
        people = User.objects.filter(pk__in=entries.values("user_id")).order_by("username")
        self.fields["user"].queryset = people  # type: ignore[attr-defined]
        present = set(entries.values_list("act", flat=True).distinct())
        acts = [
            ("", "Everything"),
            *((a, told.capitalize()) for a, told in ACTS.items() if a in present),
        ]
        self.fields["act"].choices = acts  # type: ignore[attr-defined]
