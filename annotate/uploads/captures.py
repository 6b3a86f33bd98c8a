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
from annotate.text.addresses import page_of
from annotate.uploads.rows import passages_of

BATCH = 500


@dataclass(frozen=True, slots=True)
class Wanting:
    """A source without a text, and whether the text that is offered has its very name."""

    pk: int
    title: str
    to_the_letter: bool


@dataclass(slots=True)
class Lacking:
    """The sources of a study without a text, by address and by id."""

    study: Study
    found: dict[str, dict[int, tuple[str, set[str]]]] | None = None
    """The sources under each page or id, with their titles and names."""

    counted: set[int] = field(default_factory=set)

    def of(self, row: CapturedRow) -> list[Wanting]:
        """Those that a text is of."""
        if self.found is None:
            self.found = self._read()
        names = {row.passage.external_id, row.passage.url} - {""}
        under = {
            pk: one for page in map(page_of, names) for pk, one in self.found.get(page, {}).items()
        }
        return [Wanting(pk, title, bool(own & names)) for pk, (title, own) in under.items()]

    def count(self, row: CapturedRow) -> int:
        """How many get a text by it that none before it would give them."""
        before = len(self.counted)
        self.counted.update(one.pk for one in self.of(row))
        return len(self.counted) - before

    def _read(self) -> dict[str, dict[int, tuple[str, set[str]]]]:
        found: dict[str, dict[int, tuple[str, set[str]]]] = defaultdict(dict)
        rows = Source.objects.filter(
            response__in=Response.objects.current().filter(study=self.study), passage__text=""
        )
        for pk, url, key, title in rows.values_list(
            "pk", "url", "external_id", "passage__title"
        ).iterator(chunk_size=5_000):
            names = {url, key} - {""}
            for page in map(page_of, names):
                found[page][pk] = (title, names)
        return found


@dataclass(slots=True)
class Captures:
    """What an upload brings, while it is loaded."""

    lacking: Lacking
    passages: dict[int, tuple[int, str, bool]] = field(default_factory=dict)
    """Of each source, its passage, when that was captured, and whether it has its very name."""

    def offer(self, upload: Upload, rows: Sequence[CapturedRow]) -> None:
        """Write the texts of some rows that a source lacks. Of two of one page, the first counts,
        but for one that has the source's very name."""
        wanted = [(one, row.passage) for row in rows for one in self.lacking.of(row)]
        texts = [(one.title or passage.title, passage.text) for one, passage in wanted]
        ids = passages_of(upload.study, upload, texts)
        for (one, passage), passage_id in zip(wanted, ids, strict=True):
            has = self.passages.get(one.pk)
            if has is None or (one.to_the_letter and not has[2]):
                self.passages[one.pk] = (passage_id, passage.retrieved, one.to_the_letter)

    def write(self) -> dict[str, Any]:
        """Give each source its text; says how many that were."""
        by_text: dict[tuple[int, str], list[int]] = defaultdict(list)
        for pk, (passage_id, retrieved, _) in self.passages.items():
            by_text[passage_id, retrieved].append(pk)
        for (passage_id, retrieved), sources in by_text.items():
            new = {"passage_id": passage_id, **({"retrieved": retrieved} if retrieved else {})}
            for some in _in_batches(sources):
                Source.objects.filter(pk__in=some).update(**new)
        return {"captured": len(self.passages)} if self.passages else {}


def _in_batches(keys: Sequence[int]) -> list[Collection[int]]:
    return [keys[first : first + BATCH] for first in range(0, len(keys), BATCH)]
