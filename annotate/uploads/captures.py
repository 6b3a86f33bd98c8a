"""Texts from a file for sources that the study has without a text.

Texts are written while they are read. Which source gets which text is kept until the file is
published. Responses, units and judgments do not change.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.formats.records import CapturedRow
from annotate.models import Response, Source, Study, Upload
from annotate.text.addresses import page_of
from annotate.uploads.rows import in_batches, passages_of


@dataclass(frozen=True, slots=True)
class SourceMatch:
    """A source without a text, and whether the offered text has exactly its name."""

    pk: int
    title: str
    is_exact: bool


@dataclass(slots=True)
class MissingTexts:
    """The sources of a study without a text, by address and by id."""

    study: Study
    found: dict[str, dict[int, tuple[str, set[str]]]] | None = None
    """The sources under each page or id, with their titles and their names."""

    counted: set[int] = field(default_factory=set)

    def of(self, row: CapturedRow) -> list[SourceMatch]:
        """Return the sources that a text belongs to."""
        if self.found is None:
            self.found = self._read()
        names = {row.passage.external_id, row.passage.url} - {""}
        under = {
            pk: one for page in map(page_of, names) for pk, one in self.found.get(page, {}).items()
        }
        return [SourceMatch(pk, title, bool(own & names)) for pk, (title, own) in under.items()]

    def count(self, row: CapturedRow) -> int:
        """Return how many further sources get a text from this row."""
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
    """The texts of an upload while it is loaded."""

    missing_texts: MissingTexts
    passages: dict[int, tuple[int, str, bool]] = field(default_factory=dict)
    """For each source: its passage, the date of capture, and whether the name is exactly the
    same."""

    def offer(self, upload: Upload, rows: Sequence[CapturedRow]) -> None:
        """Write the texts that sources lack. Of two texts for one page, the first counts, unless
        the second has exactly the source's name."""
        wanted = [(one, row.passage) for row in rows for one in self.missing_texts.of(row)]
        texts = [(one.title or passage.title, passage.text) for one, passage in wanted]
        ids = passages_of(upload.study, upload, texts)
        for (one, passage), passage_id in zip(wanted, ids, strict=True):
            has = self.passages.get(one.pk)
            if has is None or (one.is_exact and not has[2]):
                self.passages[one.pk] = (passage_id, passage.retrieved, one.is_exact)

    def write(self) -> dict[str, Any]:
        """Give each source its text, and return how many there were."""
        by_text: dict[tuple[int, str], list[int]] = defaultdict(list)
        for pk, (passage_id, retrieved, _) in self.passages.items():
            by_text[passage_id, retrieved].append(pk)
        for (passage_id, retrieved), sources in by_text.items():
            new = {"passage_id": passage_id, **({"retrieved": retrieved} if retrieved else {})}
            for some in in_batches(sources):
                Source.objects.filter(pk__in=some).update(**new)
        return {"captured": len(self.passages)} if self.passages else {}
