"""Labels, and studies in the formats of published analyses, as files that are streamed."""

from collections.abc import Sequence

from django.http import Http404, StreamingHttpResponse
from django.http.response import HttpResponseBase

from annotate.exchange.downloads import table
from annotate.models import Batch, Study
from evaluation.labels.export.published import FORMS, METHODS, published
from evaluation.labels.study_labels import Method, labels_csv


def labels(
    study: Study, method: str, batch: Batch | None, slices: Sequence[str], reader: str
) -> HttpResponseBase:
    """One label of each unit, by a method."""
    if method not in list(Method):
        raise Http404(f"Labels come by these methods: {', '.join(Method)}.")
    part = "" if batch is None else f"-batch-{batch.pk}"
    lines = labels_csv(study, Method(method), batch, slices)
    return table(lines, f"{study.slug}{part}-labels-{method}", reader)


def exchange(
    study: Study, form: str, *, judge: str, method: str, slices: Sequence[str], reader: str
) -> HttpResponseBase:
    """One format, of a judge or of labels by a method. Refused where it cannot be written."""
    if form not in FORMS or method not in list(METHODS):
        raise Http404(f"Studies come as {', '.join(FORMS)}, with labels by {', '.join(METHODS)}.")
    pieces = published(study, form, judge=judge, method=Method(method), slices=slices)
    if FORMS[form].ending == "csv":
        return table(pieces, f"{study.slug}-{form}", reader)
    name = f"{study.slug}-{form}.{FORMS[form].ending}"
    return StreamingHttpResponse(
        pieces,
        content_type=FORMS[form].content_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
