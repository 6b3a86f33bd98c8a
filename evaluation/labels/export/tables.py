"""The tables of automatic judges in the export of the whole study."""

from collections.abc import Iterator, Sequence

from annotate.exchange.tables import counted_filter, place_columns, rows, table
from annotate.models import Study
from evaluation.models import (
    Generation,
    Jury,
    Measure,
    PairShown,
    Run,
    StudyPrompt,
    SystemFamily,
    TrainedOn,
    TrainedScorer,
)

OF_SPENDING = ("calls", "tokens_asked", "tokens_cached", "tokens_written")


@table("measures")
def measures(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """Judges' numbers about responses that are not answers to a dimension."""
    columns = {
        **place_columns("response"),
        "judge": "judge__name",
        "measure": "name",
        "value": "value",
        "reason": "reason",
    }
    found = Measure.objects.filter(counted_filter(study, slices, "response"))
    return rows(columns, found.order_by("response_id", "judge_id", "name"))


@table("pairs_shown")
def pairs_shown(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """The order in which an automatic judge saw the answers of a pair."""
    columns = {
        **place_columns("unit__response", "unit"),
        "judge": "judge__name",
        "mirrored": "mirrored",
    }
    found = PairShown.objects.filter(counted_filter(study, slices, "unit__response"))
    return rows(columns, found.order_by("unit_id", "judge_id"))


@table("families")
def families(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """The family of models of each system, if declared."""
    found = SystemFamily.objects.filter(system__study=study, system__deleted_at__isnull=True)
    return rows({"system": "system__name", "family": "family"}, found.order_by("system__name"))


@table("runs")
def runs(study: Study, slices: Sequence[str]) -> Iterator[str]:
    same = ("settings", "systems", "batch", "questions", "missing_only", "state", "signature")
    columns = {
        "id": "id",
        "judge": "judge_name",
        **{name: name for name in same},
        "trial": "dry_units",
        **{name: name for name in OF_SPENDING},
        "error": "error",
        "created": "created_at",
        "started": "started_at",
        "finished": "finished_at",
    }
    return rows(columns, Run.objects.filter(study=study).order_by("pk"))


@table("juries")
def juries(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """Juries, a row for each member."""
    columns = {
        "judge": "judge__name",
        "method": "method",
        "member": "members__judge__name",
        "weights": "weights",
        "formed": "formed_at",
    }
    found = Jury.objects.filter(judge__study=study)
    return rows(columns, found.order_by("pk", "members__judge__name"))


@table("prompts")
def prompts(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """The study's own prompts, every version."""
    columns = {"name": "name", "version": "version", "text": "text", "created": "created_at"}
    return rows(columns, StudyPrompt.objects.filter(study=study).order_by("name", "version"))


@table("generations")
def generations(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """Generated systems."""
    same = ("name", "settings", "state", "signature")
    columns = {
        "id": "id",
        **{name: name for name in same},
        "system": "system__name",
        **{name: name for name in OF_SPENDING},
        "created": "created_at",
        "finished": "finished_at",
    }
    return rows(columns, Generation.objects.filter(study=study).order_by("pk"))


@table("learned")
def learned(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """Scorers, thresholds and examples learned from the study's own labels."""
    columns = {
        "learned": "fingerprint",
        "seed": "seed",
        "agreement": "agreement",
        "created": "created_at",
    }
    return rows(columns, TrainedScorer.objects.filter(study=study).order_by("pk"))


@table("learned_from")
def learned_from(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """The units that they were learned from, which cannot evaluate them."""
    columns = {"learned": "scorer__fingerprint", **place_columns("unit__response", "unit")}
    found = TrainedOn.objects.filter(counted_filter(study, slices, "unit__response"))
    return rows(columns, found.order_by("scorer_id", "unit_id"))
