"""The state of a study's data as counts and keys: every change of a report's numbers changes it.

Judgments never change without a row of their history, keys are never used twice, and measures are
replaced by new rows; so counts and last keys show every change without reading the rows. Answers
begin to count when their task is done, which raises their count, and stop only when one of them
changes.
"""

import hashlib
import json
from dataclasses import astuple
from typing import Any

from django.db.models import Count, Max, Q

from annotate.models import (
    Assignment,
    Batch,
    BatchItem,
    Flag,
    Judge,
    Judgment,
    PastJudgment,
    Question,
    Response,
    Study,
    System,
)
from annotate.protocol.slices import facets
from annotate.web.errors import Refused
from evaluation.models import ClaimDivision, Measure, Report, ReportLink, SystemFamily, TrainedOn
from evaluation.reports.data import series_of
from evaluation.reports.filters import FilterError, Filters
from evaluation.reports.sections.every import extension_versions
from evaluation.reports.shape.report import VERSION

State = dict[str, Any]

COUNTED = ("responses", "judgments", "past_judgments", "measures", "flags")
"""Entries that count changes; each is a list that begins with a count."""


def data_state(study: Study, batch: int | None = None) -> State:
    """Return the state of a study's data, or of the data of a report about one batch.

    Tasks of raters are included only for a batch: in other reports they change no number.
    """
    judges = study.judges.exclude(kind=Judge.Kind.TRAINEE)
    kept = Judgment.objects.filter(judge__in=judges)
    # All minus the unfinished ones, which have a small index: counting finished ones is slow.
    every = _counted(_published(study, kept))
    unfinished = _counted(_published(study, kept.filter(unfinished=True)))
    past = PastJudgment.objects.filter(judgment__judge__in=judges)
    current = Response.objects.current().filter(study=study)
    state: State = {
        "study": [study.slug, study.name, study.dimensions, study.seed, study.raters_per_unit],
        "primary": study.primary_judge,
        "reading": [*astuple(study.division), study.citation_cap],
        "systems": _rows(
            System.objects.loaded().filter(study=study), "name", "uses_autoais", "display_name"
        ),
        "slices": _digest(_slices(study)),
        "judges": [
            [name, kind, standing == Judge.Standing.EXCLUDED]
            for name, kind, standing in _rows(judges, "name", "kind", "standing")
        ],
        "guidelines": _digest(_rows(study.guidelines.all(), "number", "text")),
        "responses": _counted(current),
        "replaced": str(
            Response.objects.filter(study=study).aggregate(at=Max("replaced_at"))["at"] or ""
        ),
        "claims": _counted(ClaimDivision.objects.filter(response__study=study)),
        "judgments": [every[0] - unfinished[0], every[1]],
        "unfinished": unfinished,
        "past_judgments": _counted(past),
        "measures": _counted(Measure.objects.filter(judge__in=judges)),
        "flags": _flags(study),
        "trained_on": _counted(TrainedOn.objects.filter(scorer__study=study)),
    }
    if references := _references(study):
        state["references"] = references
    captures = study.uploads.filter(result__captured__gt=0, published_at__isnull=False)
    if brought_texts := sorted(captures.values_list("pk", flat=True)):
        state["captures"] = brought_texts
    families = SystemFamily.objects.filter(system__study=study)
    if named := _rows(families, "system__name", "family"):
        state["families"] = named
    if series := _series(study):
        state["series"] = series
    if batch is not None:
        state["batch"] = _batch(study, batch)
    if sections := extension_versions():
        state["sections"] = sections
    return state


def digest_of(state: State) -> str:
    """Return a short digest of a state."""
    return _digest(state)


def same_data(before: State, after: State) -> bool:
    """Return whether the data are the same; installed packages may differ."""
    return before | {"sections": []} == after | {"sections": []}


def changes(before: State, after: State) -> int:
    """Return about how many rows were added, changed or removed between two states, at least 1."""
    found = 0
    for name in COUNTED:
        old, new = before.get(name, [0, 0]), after.get(name, [0, 0])
        # A last key that moved further than the count: some rows were removed and others added.
        found += max(abs(new[0] - old[0]), int(old != new))
    return max(1, found)


def _published(study: Study, judgments: Any) -> Any:
    """Return judgments without those of files that are still being loaded."""
    loading = list(study.uploads.filter(published_at=None).values_list("pk", flat=True))
    if loading and Judgment.objects.filter(upload__in=loading).exists():
        return judgments.filter(Q(upload=None) | Q(upload__published_at__isnull=False))
    return judgments


def _counted(rows: Any) -> list[int]:
    found = rows.order_by().aggregate(count=Count("pk"), last=Max("pk"))
    return [found["count"], found["last"] or 0]


def _series(study: Study) -> list[list[str]]:
    """Return systems that differ only by their seed, with their series, from descriptions."""
    systems = System.objects.loaded().filter(study=study)
    series = [(name, series_of(text)) for name, text in _rows(systems, "name", "description")]
    return [[name, one] for name, one in series if one]


def _references(study: Study) -> list[int]:
    """Return the files that changed references: each change comes from another file."""
    changed = study.questions.filter(references_upload__isnull=False).order_by()
    return sorted(changed.values_list("references_upload", flat=True).distinct())


def _flags(study: Study) -> list[Any]:
    """Return the number and a digest of flags: they are few, and change in place."""
    flags = Flag.objects.filter(judge__study=study, withdrawn_at=None)
    flags = flags.exclude(judge__kind=Judge.Kind.TRAINEE)
    rows = list(flags.order_by("pk").values_list("pk", "reason"))
    return [len(rows), _digest(rows)]


def key_of(study: Study, filters: Filters, data: State) -> str:
    """Return the key of a report: its study, filters, data and version."""
    parts = [str(study.pk), filters.digest, digest_of(data), str(VERSION)]
    text = "|".join(parts)
    return hashlib.sha256(text.encode()).hexdigest()


def is_readable(report: Report) -> bool:
    """Return whether this version of Attest can read a report.

    Sections of other packages must have the installed version, unless the package is gone.
    """
    now = {_name(section): section for section in extension_versions()}
    then = report.data.get("sections", [])
    return report.version == VERSION and all(now.get(_name(one), one) == one for one in then)


def _name(section: str) -> str:
    return section.partition(" ")[0]


def _batch(study: Study, key: int) -> list[Any]:
    batch = Batch.objects.filter(study=study, pk=key).first()
    if batch is None:
        return []
    return [
        batch.name,
        batch.dimensions,
        batch.granularity,
        _counted(BatchItem.objects.filter(batch=batch)),
        _counted(Assignment.objects.filter(batch=batch)),
    ]


def _slices(study: Study) -> list[Any]:
    """Return the metadata that define slices: they change in place."""
    known = Question.objects.filter(study=study).exclude(metadata={}).order_by("external_id")
    return [[name, facets(one)] for name, one in known.values_list("external_id", "metadata")]


def _rows(rows: Any, *fields: str) -> list[list[Any]]:
    return [list(row) for row in rows.order_by(*fields).values_list(*fields)]


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def kept_filters(row: Report | ReportLink) -> Filters:
    """Return the filters of a row, or refuse filters of another version that are unknown here."""
    try:
        return Filters.from_json(row.filters)
    except FilterError as problem:
        raise Refused(
            f"The filters of this report are not known to this version of Attest: {problem} "
            "Choose them again on the report's page."
        ) from None
