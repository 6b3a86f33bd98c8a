"""Cite after writing: a statement without a citation gets the passage that fits it best.

Gao et al. (2023), Enabling Large Language Models to Generate Text with Citations,
https://arxiv.org/abs/2305.14627, on post-hoc citation. Passages are those uploaded with the
response. Nothing else of the output changes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.formats.division import FIRST_LINE
from annotate.formats.records import GivenStatement, PassageRecord, ResponseRecord
from annotate.text import Division, Segmentation, Span, division_signature
from annotate.text.cleaning import END_OF_TURN
from evaluation.generating.postediting import Edited
from evaluation.generating.postediting.ranking import Ranker
from evaluation.judges import Item, item_of
from evaluation.judges.items import ItemPassage

VERSION = 1
NO_PASSAGE = "no passage to cite"
ALL_CITED = "every statement cited something already"
NO_FIT = "no passage fits any uncited statement"
SOME, ALL = "some uncited statements are cited now", "all uncited statements are cited now"

_STOPS = frozenset(".!?…,;:。！？")
_CLOSING = frozenset("\"'”’»)]}")


@dataclass(frozen=True, slots=True)
class _Wish:
    """A citation of this passage for statement `ordinal` (from 0), with a mark at `place`."""

    ordinal: int
    passage: ItemPassage
    place: int


class Postcite:
    """Cite the best passage for each statement without a citation."""

    asks_entailment = False
    description = "Statements without a citation were given the uploaded passage that fits best."

    def __init__(self, ranker: Ranker, division: Division = FIRST_LINE) -> None:
        self.ranker = ranker
        self.division = division

    @property
    def signature(self) -> str:
        """Identify everything that can change which passage is cited, and where."""
        division = division_signature(self.division)
        return f"postcite|{division}|v:{VERSION}|{self.ranker.signature}"

    def edit(self, records: Sequence[ResponseRecord]) -> list[Edited]:
        """Add the missing marks to each record."""
        return [self._edited(record) for record in records]

    def _edited(self, record: ResponseRecord) -> Edited:
        item = self._item(record)
        bare = [
            ordinal
            for ordinal, statement in enumerate(item.statements)
            if not statement.citations and statement.text.strip()
        ]
        if not bare:
            return Edited(record, ALL_CITED)
        if not item.passages:
            return Edited(record, NO_PASSAGE)
        wishes = self._wishes(record, item, bare)
        made, count = self._carried_out(record, item, wishes)
        if not count:
            return Edited(record, NO_FIT)
        return Edited(made, ALL if count == len(bare) else SOME)

    def _item(self, record: ResponseRecord) -> Item:
        return item_of(record, "", self.division)

    def _wishes(self, record: ResponseRecord, item: Item, bare: Sequence[int]) -> list[_Wish]:
        texts = [item.statements[ordinal].text for ordinal in bare]
        wishes = []
        for ordinal, scores in zip(bare, self.ranker.scores(item.passages, texts), strict=True):
            best = max(scores)
            if best > 0:
                statement = item.segmentation.statements[ordinal]
                at = before_final_sign(item.segmentation.text, statement.start, statement.end)
                place = place_in_raw(record.output, item.segmentation, at)
                wishes.append(_Wish(ordinal, item.passages[scores.index(best)], place))
        return wishes

    def _carried_out(
        self, record: ResponseRecord, item: Item, wishes: Sequence[_Wish]
    ) -> tuple[ResponseRecord, int]:
        """Return the record with the wished marks, and how many there are.

        A mark is left out if it changes how the output is divided, or is read as another
        statement's.
        """
        made = _with_marks(record, wishes)
        if self._reads(made, item, wishes):
            return made, len(wishes)
        good: list[_Wish] = []
        for wish in wishes:
            if self._reads(_with_marks(record, [*good, wish]), item, [*good, wish]):
                good.append(wish)
        return _with_marks(record, good), len(good)

    def _reads(self, made: ResponseRecord, before: Item, wishes: Sequence[_Wish]) -> bool:
        """Whether the new record has the old statements and cites as wished."""
        try:
            after = self._item(made)
        except ValueError:
            return False
        wished = {wish.ordinal: wish.passage.number for wish in wishes}
        return [(s.text, [_target(c.passage) for c in s.citations]) for s in after.statements] == [
            (s.text, [wished[n]] if n in wished else [_target(c.passage) for c in s.citations])
            for n, s in enumerate(before.statements)
        ]


def _target(passage: ItemPassage | None) -> int | None:
    return None if passage is None else passage.number


def before_final_sign(text: str, start: int, end: int) -> int:
    """Return the place of a mark in `text[start:end]`: before its final punctuation, if any."""
    place = last = start + len(text[start:end].rstrip())
    while place > start and text[place - 1] in _CLOSING:
        place -= 1
    if place == start or text[place - 1] not in _STOPS:
        return last
    while place > start and text[place - 1] in _STOPS:
        place -= 1
    return place


def place_in_raw(raw: str, found: Segmentation, place: int) -> int:
    """Return the place in the raw output of a place in the divided text.

    The two differ by the text cut off at both ends and by end-of-turn tokens inside. If all lines
    are read, the output itself was divided.
    """
    if found.reads_all_lines:
        return place
    at, left = found.raw_start, place
    while True:
        token = raw.find(END_OF_TURN, at, found.raw_end)
        until = found.raw_end if token < 0 else token
        if token < 0 or left <= until - at:
            return at + left
        left -= until - at
        at = token + len(END_OF_TURN)


def _with_marks(record: ResponseRecord, wishes: Sequence[_Wish]) -> ResponseRecord:
    pieces, cursor = [], 0
    added: list[tuple[int, int]] = []
    for wish in sorted(wishes, key=lambda wish: wish.place):
        mark = f" [{wish.passage.number}]"
        pieces += [record.output[cursor : wish.place], mark]
        added.append((wish.place, len(mark)))
        cursor = wish.place
    pieces.append(record.output[cursor:])
    spans = tuple(_moved(span, added) for span in record.citations)
    statements = record.statements
    if statements is not None:
        statements = _given(record, statements, {wish.ordinal: wish.passage for wish in wishes})
    return replace(record, output="".join(pieces), statements=statements, citations=spans)


def _moved(span: Span, added: Sequence[tuple[int, int]]) -> Span:
    """Return the span around the same text after insertions of some lengths at these places."""
    start = span.start + sum(length for place, length in added if place <= span.start)
    end = span.end + sum(length for place, length in added if place < span.end)
    return replace(span, start=start, end=end)


def _given(
    record: ResponseRecord, statements: Sequence[GivenStatement], wished: Mapping[int, ItemPassage]
) -> tuple[GivenStatement, ...]:
    """Return the file's own statements with the passages that they now cite."""
    by_number: dict[int, PassageRecord] = {passage.n: passage for passage in record.passages}
    return tuple(
        replace(statement, passages=(by_number[wished[n].number],)) if n in wished else statement
        for n, statement in enumerate(statements)
    )
