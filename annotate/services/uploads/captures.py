"""Texts that a file brings for sources that are here without one.

The texts are written as they are read, and seen by nobody; which source has which is held until the
file is published. Responses, units and judgments stay what they are.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.formats.records import CapturedRow
from annotate.models import Response, Source, Study, Upload
from annotate.services.uploads.rows import passages_of

BATCH = 500


@dataclass(slots=True)
class Lacking:
    """The sources of a study without a text, by address and by id."""

    study: Study
    found: dict[str, dict[int, str]] | None = None
    """The sources under each name, with the titles that they have."""

    def of(self, row: CapturedRow) -> dict[int, str]:
        """Those that a text is of."""
        if self.found is None:
            self.found = self._read()
        names = {row.passage.external_id, row.passage.url} - {""}
        return {pk: title for name in names for pk, title in self.found.get(name, {}).items()}

    def _read(self) -> dict[str, dict[int, str]]:
        found: dict[str, dict[int, str]] = defaultdict(dict)
        rows = Source.objects.filter(
            response__in=Response.objects.current().filter(study=self.study), passage__text=""
        )
        for pk, url, key, title in rows.values_list(
            "pk", "url", "external_id", "passage__title"
        ).iterator(chunk_size=5_000):
            for name in {url, key} - {""}:
                found[name][pk] = title
        return found


@dataclass(slots=True)
class Captures:
    """What an upload brings, while it is loaded."""

    lacking: Lacking
    passages: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Of each source, its passage and when that was captured."""

    def offer(self, upload: Upload, rows: Sequence[CapturedRow]) -> None:
        """Write the texts of some rows that a source lacks."""
        wanted = []
        for row in rows:
            for pk, title in self.lacking.of(row).items():
                wanted.append((pk, title or row.passage.title, row.passage))
        ids = passages_of(
            upload.study, upload, [(title, passage.text) for _, title, passage in wanted]
        )
        for (pk, _, passage), passage_id in zip(wanted, ids, strict=True):
            self.passages.setdefault(pk, (passage_id, passage.retrieved))

    def write(self) -> dict[str, Any]:
        """Give each source its text; says how many that were."""
        by_text: dict[tuple[int, str], list[int]] = defaultdict(list)
        for pk, text in self.passages.items():
            by_text[text].append(pk)
        for (passage_id, retrieved), sources in by_text.items():
            new = {"passage_id": passage_id, **({"retrieved": retrieved} if retrieved else {})}
            for some in _in_batches(sources):
                Source.objects.filter(pk__in=some).update(**new)
        return {"captured": len(self.passages)} if self.passages else {}


def _in_batches(keys: Sequence[int]) -> list[Collection[int]]:
    return [keys[first : first + BATCH] for first in range(0, len(keys), BATCH)]
