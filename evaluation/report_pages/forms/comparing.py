"""The form to choose two reports to compare."""

from typing import Any

from django import forms
from django.utils.formats import date_format
from django.utils.timezone import localtime

from annotate.access import Access, memberships_of
from annotate.models import Role
from evaluation.models import Report
from evaluation.report_pages.comparing import ComparedSide, kept_reports, of_report, of_study
from evaluation.report_pages.data_state import kept_filters
from evaluation.report_pages.forms.reports import ReportFilterForm
from evaluation.reports.filters import Filters

NOW = "now"
READING = (Role.VIEWER, Role.RESEARCHER, Role.OWNER)
Choices = list[tuple[str, list[tuple[str, str]]]]


class CompareForm(forms.Form):
    """Two of: the present study under filters, its kept reports, other studies."""

    one = forms.ChoiceField(label="A", initial=NOW)
    other = forms.ChoiceField(label="B")
    unpaired = forms.BooleanField(
        label="Questions with the same id are different questions",
        required=False,
        help_text="For two studies whose ids match by chance. Attest then tests nothing.",
    )

    def __init__(self, access: Access, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.study = access.study
        self.words = ReportFilterForm(access.study)
        self.reports = {f"report-{one.pk}": (one, now) for one, now in kept_reports(access.study)}
        self.studies = {
            f"study-{member.study.slug}": member.study
            for member in memberships_of(access.user).filter(role__in=READING)
            if member.study_id != access.study.pk
        }
        for name in ("one", "other"):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = self._choices()
        self.filters = {
            name: ReportFilterForm(access.study, self.data if self.is_bound else None, prefix=name)
            for name in ("one", "other")
        }

    def _choices(self) -> Choices:
        now = [(NOW, "This study as it is now, under the filters below it (none: all of it)")]
        kept = [(key, self._kept_title(*one)) for key, one in self.reports.items()]
        others = [(key, study.name) for key, study in self.studies.items()]
        groups = [("Now", now), ("Kept reports", kept), ("Your other studies", others)]
        return [(title, some) for title, some in groups if some]

    def _kept_title(self, report: Report, is_of_now: bool) -> str:
        filters = "; ".join(self.words.described(kept_filters(report))) or "All of it"
        built = date_format(localtime(report.finished_at), "j M Y H:i")
        return f"{filters}, built {built}{'' if is_of_now else ', of earlier data'}"

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        for name in ("one", "other"):
            if given.get(name) == NOW and not self.filters[name].is_valid():
                self.add_error(name, "Its filters do not fit this study. Look at them below.")
        if not self.errors and len({self._what(name) for name in ("one", "other")}) == 1:
            self.add_error("other", "This is the same as A. Choose another one, or set filters.")
        return given

    def _what(self, name: str) -> str:
        value: str = self.cleaned_data[name]
        return f"{value} {self.filters[name].filters().digest}" if value == NOW else value

    def sides(self) -> list[ComparedSide]:
        """Return the chosen sides of a valid form."""
        return [self._side(name) for name in ("one", "other")]

    def _side(self, name: str) -> ComparedSide:
        value: str = self.cleaned_data[name]
        if value == NOW:
            filters = self.filters[name].filters()
            described = "; ".join(self.words.described(filters))
            title = f"{self.study.name}{f' ({described})' if described else ''}"
            return of_study(self.study, filters, title)
        if value in self.reports:
            report, is_of_now = self.reports[value]
            title = f"{self.study.name} ({self._kept_title(report, is_of_now)})"
            return of_report(report, title)
        study = self.studies[value]
        return of_study(study, Filters(), study.name)
