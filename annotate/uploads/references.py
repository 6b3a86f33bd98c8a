"""References from a file for questions that the study already has.

They are kept until the file is published. In the same transaction, listeners of packages above
(`when_references_change`) drop results that used the earlier references.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.content.units import update_claims
from annotate.models import Question, Study, Upload
from annotate.uploads.study_index import merged_references, replaced_references

ReferenceListener = Callable[[Study, Collection[int]], Mapping[str, int]]

_LISTENERS: list[ReferenceListener] = []


def when_references_change(listener: ReferenceListener) -> ReferenceListener:
    """Register a listener, which is called with the questions whose references changed. It
    returns the number of responses whose results it dropped, by judge."""
    _LISTENERS.append(listener)
    return listener


@dataclass(slots=True)
class NewReferences:
    """References that the study lacks; with `replaces`, also different ones."""

    replaces: bool
    found: dict[int, dict[str, Any]] = field(default_factory=dict)

    def offer(self, offered: Mapping[int, Sequence[Mapping[str, Any]]]) -> None:
        """Add the references offered for some questions."""
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
        """Write the references, drop outdated results, and return both counts."""
        dropped: dict[str, int] = {}
        keys = sorted(self.found)
        for pk in keys:
            new = {"references": self.found[pk], "references_upload": upload}
            Question.objects.filter(pk=pk).update(**new)
        update_claims(upload.study, keys)
        for listener in _LISTENERS if keys else ():
            dropped |= listener(upload.study, keys)
        return {"references": len(keys), "dropped": dropped} if keys else {}
