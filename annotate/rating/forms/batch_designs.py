"""A new batch that starts from an existing one."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from annotate.models import Batch, Study
from annotate.rating.batches import FIXED, GOLD_KINDS, BatchTerms
from annotate.rating.forms.batches import with_responses


class _BatchOfAnyStudy(forms.ModelChoiceField[Batch]):
    def label_from_instance(self, obj: Batch) -> str:
        return f"{obj.study.name}: {obj.name}"


class LikeForm(forms.Form):
    """The batch to start from."""

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


def initial_from(study: Study, batch: Batch) -> dict[str, Any]:
    """Return a batch's design as the initial values of a new one in this study.

    The batch may be another study's. Systems, judges and batches are matched by name; missing ones
    are left out.
    """
    stored = batch.selection
    named = with_responses(study).filter(name__in=stored.get("systems", ()))
    known = study.judges.filter(kind__in=GOLD_KINDS)
    terms = {name: getattr(batch, name) for name in BatchTerms.__annotations__}
    same = ("questions", "slices", "gold_count", "sample_size", "pairs")
    taken = study.batches.filter(name=batch.name).exists()
    practice = batch.qualification
    known_by = batch.gold.name if batch.gold else stored.get("known_by")
    initial = {
        **terms,
        **{name: getattr(batch, name) for name in FIXED},
        **{name: stored[name] for name in same if stored.get(name)},
        **{name: "\n".join(stored.get(name, ())) for name in ("listed", "left_out", "gold_listed")},
        "name": f"{batch.name} (copy)"[:200] if taken else batch.name,
        "positional": bool(stored.get("positional")),
        "design": "any" if stored.get("any_answer") else "every",
        "dimensions": [key for key in batch.dimensions if key in study.dimensions],
        "systems": [str(pk) for pk in named.values_list("pk", flat=True)],
        "apart_from": study.batches.filter(name__in=stored.get("apart_from", ())),
        "gold": known.filter(name=known_by).first(),
        "qualification": practice and study.batches.practice().filter(name=practice.name).first(),
    }
    if not initial["systems"]:
        del initial["systems"]
    return initial
