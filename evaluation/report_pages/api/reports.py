"""Reports for programs: the same report as the page shows, as JSON."""

import json
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.models import Role, Scope, Study
from annotate.web.api.parsing import JSON_OR_FORM
from annotate.web.api.queries import as_query, query_of, refuse_invalid
from annotate.web.api.viewsets import StudyViewSet
from annotate.web.errors import Refused
from evaluation.models import Report
from evaluation.report_pages.forms.reports import ReportFilterForm
from evaluation.report_pages.readers import VIEWER
from evaluation.report_pages.requests import ReportState, again, report_state
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps

FiltersSerializer = query_of(ReportFilterForm)
"""The filters of a report, as on its page."""


class ReportBeingBuiltSerializer(serializers.Serializer[Any]):
    state = serializers.CharField(allow_blank=True)
    phase = serializers.CharField(allow_blank=True)
    progress = serializers.FloatField(min_value=0, max_value=1)
    workers = serializers.ListField(child=serializers.CharField())
    older_report = serializers.BooleanField(help_text="Whether there is one of earlier data.")


class ReportViewSet(StudyViewSet):
    role = Role.VIEWER
    roles = {"create": Role.RESEARCHER}
    needs = Scope.RUN
    serializer_class = ReportBeingBuiltSerializer
    queries = {"retrieve": FiltersSerializer, "create": FiltersSerializer}
    answers = {"retrieve": {"type": "object", "additionalProperties": True}}
    statuses = {"create": 202}
    other_responses = {202: ReportBeingBuiltSerializer}
    parser_classes = JSON_OR_FORM

    def retrieve(self, request: Request, **names: Any) -> HttpResponseBase:
        """The report under the filters of the address, or how far its building is. Its schema:
        `manage.py report --schema`."""
        found = report_state(self.study, filters_of(self.study, self.asked()), order=True)
        current = found.current
        if current is not None and current.state == Report.State.DONE:
            body: str = Report.objects.values_list("body", flat=True).get(pk=current.pk)
            if not self.entered.researches:
                body = dumps(VIEWER.visible(json.loads(body)))
            return HttpResponse(body, content_type="application/json; charset=utf-8")
        if current is not None and found.has_failed:
            raise Refused(f"{current.error} A POST to this address has it built again.")
        return self._going(found)

    def create(self, request: Request, **names: Any) -> Response:
        """Build the report again."""
        filters = filters_of(self.study, self.asked())
        again(self.study, filters)
        return self._going(report_state(self.study, filters))

    def _going(self, asked: ReportState) -> Response:
        current, names_workers = asked.current, self.entered.researches
        progress = {
            "state": current.state if current else "",
            "phase": current.phase if current else "",
            "progress": round(current.progress, 4) if current else 0,
            "workers": [worker.name for worker in asked.workers if names_workers],
            "older_report": asked.shown is not None,
        }
        return Response(progress, status=202)


def filters_of(study: Study, asked: dict[str, Any]) -> Filters:
    form = ReportFilterForm(study, as_query(asked))
    refuse_invalid(form)
    return form.filters()
