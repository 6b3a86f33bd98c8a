"""What of outputs is read and what is not: said before they are loaded or scored."""

from collections import Counter
from dataclasses import dataclass, field

from annotate.formats.records import ResponseRecord
from annotate.text import Segmentation, count_words
from annotate.text.types import NOT_JUDGED


@dataclass(slots=True)
class OutputTally:
    """Of all outputs that were added."""

    words: int = 0
    lost_words: int = 0
    """Those after the first line, where that alone is read."""

    cut: int = 0
    """Outputs with such words."""

    lost_spans: int = 0
    """Citations given beside an output, where its marks alone are read."""

    not_judged: Counter[str] = field(default_factory=Counter)
    """Headings, labels, code and the like, by kind."""

    styles: Counter[str] = field(default_factory=Counter)
    """Marks, by the keys of the table of styles."""

    def add(self, record: ResponseRecord, found: Segmentation) -> None:
        """Count what one output has. Where its file names the statements, those are read."""
        self.words += count_words(record.output)
        if found.cut and record.statements is None:
            self.cut += 1
            self.lost_words += count_words(record.output[found.raw_end :])
        if not found.reads_all_lines:
            self.lost_spans += len(record.citations)
        self.not_judged.update(part.kind for part in found.not_judged)
        self.styles.update(found.styles)

    def parts(self) -> list[dict[str, str | int]]:
        """What is not judged, in words, the most frequent first."""
        return [
            {"kind": kind, "count": count, "message": NOT_JUDGED[kind][count != 1]}
            for kind, count in self.not_judged.most_common()
        ]
