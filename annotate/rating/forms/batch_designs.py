"""A new batch that begins like another one."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from annotate.models import Batch, Study
from annotate.rating.batches import FIXED, KNOWING, BatchTerms
from annotate.rating.forms.batches import with_responses


class _BatchOfAnyStudy(forms.ModelChoiceField[Batch]):
    def label_from_instance(self, obj: Batch) -> str:
        return f"{obj.study.name}: {obj.name}"


class LikeForm(forms.Form):
    """Which batch a new one begins like."""

    like = _BatchOfAnyStudy(
        label="Start from an existing batch",
        queryset=Batch.objects.none(),
        empty_label="None",
    )

    def __init__(self, batches: QuerySet[Batch], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        like = self.fields["like"]
        assert isinstance(like, _BatchOfAnyStudy)
        like.queryset = batches


def begun_like(study: Study, batch: Batch) -> dict[str, Any]:
    """The design of a batch, maybe another study's, as the form of a new one here begins: systems,
    judges and batches go by their names, and what is not here is left out."""
    told = batch.selection
    named = with_responses(study).filter(name__in=told.get("systems", ()))
    known = study.judges.filter(kind__in=KNOWING)
    terms = {name: getattr(batch, name) for name in BatchTerms.__annotations__}
    same = ("questions", "slices", "gold_count", "sample_size", "pairs")
    taken = study.batches.filter(name=batch.name).exists()
    practice = batch.qualification
    known_by = batch.gold.name if batch.gold else told.get("known_by")
    begun = {
        **terms,
        **{name: getattr(batch, name) for name in FIXED},
        **{name: told[name] for name in same if told.get(name)},
        **{name: "\n".join(told.get(name, ())) for name in ("listed", "left_out", "gold_listed")},
        "name": f"{batch.name} (copy)"[:200] if taken else batch.name,
        "positional": bool(told.get("positional")),
        "design": "any" if told.get("any_answer") else "every",
        "dimensions": [key for key in batch.dimensions if key in study.dimensions],
        "systems": [str(pk) for pk in named.values_list("pk", flat=True)],
        "apart_from": study.batches.filter(name__in=told.get("apart_from", ())),
        "gold": known.filter(name=known_by).first(),
        "qualification": practice and study.batches.practice().filter(name=practice.name).first(),
    }
    if not begun["systems"]:
        del begun["systems"]
    return begun
