"""References that a file brings to questions that are here already.

They are held until the file is published. What was computed from the earlier ones is dropped in the
same transaction by whoever has it: packages that build on this one (`when_references_change`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.content.units import settle_claims
from annotate.models import Question, Study, Upload
from annotate.uploads.study_index import merged_references, replaced_references

BATCH = 500

Told = Callable[[Study, Collection[int]], Mapping[str, int]]

TOLD: list[Told] = []


def when_references_change(told: Told) -> Told:
    """Has a function called with the questions whose references are others now; it says of how many
    responses it dropped what each judge had computed, by the judge's name."""
    TOLD.append(told)
    return told


@dataclass(slots=True)
class NewReferences:
    """Those that a file knows and the study does not; and, where it `replaces`, its other ones."""

    replaces: bool
    found: dict[int, dict[str, Any]] = field(default_factory=dict)

    def offer(self, offered: Mapping[int, Sequence[Mapping[str, Any]]]) -> None:
        """Take in what is offered for some questions."""
        for pk, present in Question.objects.filter(pk__in=offered).values_list("pk", "references"):
            known = merged = self.found.get(pk, present)
            for one in offered[pk]:
                if self.replaces:
                    merged = replaced_references(merged, present, one)
                else:
                    merged = merged_references(merged, one)
            if merged != known:
                self.found[pk] = merged

    def write(self, upload: Upload) -> dict[str, Any]:
        """Write them, and have dropped what rests on others; says how much that was."""
        dropped: dict[str, int] = {}
        keys = sorted(self.found)
        for pk in keys:
            new = {"references": self.found[pk], "references_upload": upload}
            Question.objects.filter(pk=pk).update(**new)
        settle_claims(upload.study, keys)
        for told in TOLD if keys else ():
            dropped |= told(upload.study, keys)
        return {"references": len(keys), "dropped": dropped} if keys else {}
