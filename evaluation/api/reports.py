"""Reports for programs: the same report as the page shows, as JSON."""

import json

from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from rest_framework import serializers, status
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.access import Access
from annotate.api.endpoints import RefusedError
from annotate.authentication import needs
from annotate.models import Role, Scope, Study
from evaluation.forms import ReportFilterForm
from evaluation.models import Report
from evaluation.reporting.ordering import ReportState, again, report_state
from evaluation.reporting.readers import VIEWER
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps


@needs(Scope.RUN)
@api_view(["GET", "POST"])
def report(request: Request, slug: str) -> HttpResponseBase:
    """The report under the filters of the address, or how far its building is.

    A POST has it built once more.
    """
    writes = request.method == "POST"
    entered = access.enter(request.user, slug, Role.RESEARCHER if writes else Role.VIEWER)
    filters = _filters(entered.study, request.query_params)
    if writes:
        again(entered.study, filters)
        return _going(report_state(entered.study, filters), entered)
    asked = report_state(entered.study, filters, order=True)
    current = asked.current
    if current is not None and current.state == Report.State.DONE:
        body: str = Report.objects.values_list("body", flat=True).get(pk=current.pk)
        if not entered.researches:
            body = dumps(VIEWER.told(json.loads(body)))
        return HttpResponse(body, content_type="application/json; charset=utf-8")
    if current is not None and asked.has_failed:
        raise RefusedError(f"{current.error} A POST to this address has it built again.")
    return _going(asked, entered)


def _filters(study: Study, query: QueryDict) -> Filters:
    known = {*ReportFilterForm.base_fields, "format"}
    errors = {
        name: [f"Expected one of {', '.join(sorted(known - {'format'}))}; found “{name}”."]
        for name in query
        if name not in known
    }
    form = ReportFilterForm(study, query)
    if errors or not form.is_valid():
        for name, found in form.errors.items():
            errors[name] = [str(each) for each in found]
        raise serializers.ValidationError(errors)
    return form.filters()


def _going(asked: ReportState, entered: Access) -> Response:
    current = asked.current
    return Response(
        {
            "state": current.state if current else "",
            "phase": current.phase if current else "",
            "progress": round(current.progress, 4) if current else 0,
            "workers": [worker.name for worker in asked.workers if entered.researches],
            "older_report": asked.shown is not None,
        },
        status=status.HTTP_202_ACCEPTED,
    )
