"""Build statements with their citations and groups from their starts."""

from bisect import bisect_left
from collections.abc import Callable, Sequence

from annotate.text.types import Citation, Group, Mark, Statement
from annotate.text.words import content_end, word_starts

Wording = Callable[[int, str], str]


def _citations(marks: Sequence[Mark], passages: int | None, cap: int | None) -> list[Citation]:
    cited = ((number, mark) for mark in marks for number in mark.numbers)
    return [
        Citation(
            number=number,
            start=mark.start,
            end=mark.end,
            in_range=number >= 1 and (passages is None or number <= passages),
            counted=cap is None or place < cap,
        )
        for place, (number, mark) in enumerate(cited)
    ]


def _groups(
    text: str, marks: Sequence[Mark], positions: Sequence[int], plain: str, words: Sequence[int]
) -> list[Group]:
    runs: list[list[int]] = []
    for index, mark in enumerate(marks):
        if index and text[marks[index - 1].end : mark.start].strip() == "":
            runs[-1].append(index)
        else:
            runs.append([index])
    end_of_content = content_end(plain)
    groups = []
    for earlier, run in enumerate(runs):
        word = bisect_left(words, positions[run[0]])
        groups.append(
            Group(
                numbers=tuple(number for index in run for number in marks[index].numbers),
                start=marks[run[0]].start,
                end=marks[run[-1]].end,
                word=word,
                place=word + earlier,
                at_end=positions[run[0]] >= end_of_content,
            )
        )
    return groups


def build_statements(
    text: str,
    marks: Sequence[Mark],
    starts: Sequence[int],
    *,
    passages: int | None,
    cap: int | None,
    wording: Wording | None = None,
) -> tuple[Statement, ...]:
    """Return one statement for each start. No start may be inside a mark.

    `wording(i, plain)` returns the text of statement i from its part of the answer without marks.
    By default, it is that part, stripped.
    """
    statements = []
    next_mark = 0
    for ordinal, start in enumerate(starts):
        end = starts[ordinal + 1] if ordinal + 1 < len(starts) else len(text)
        first_mark, cursor, length = next_mark, start, 0
        pieces: list[str] = []
        positions: list[int] = []
        while next_mark < len(marks) and marks[next_mark].end <= end:
            mark = marks[next_mark]
            piece = text[cursor : max(cursor, mark.start - len(mark.lead))]
            pieces.append(piece)
            length += len(piece)
            positions.append(length)
            cursor = mark.end
            next_mark += 1
        pieces.append(text[cursor:end])
        plain = "".join(pieces)
        own = marks[first_mark:next_mark]
        words = word_starts(plain)
        statements.append(
            Statement(
                text=wording(ordinal, plain) if wording else plain.strip(),
                start=start,
                end=end,
                citations=tuple(_citations(own, passages, cap)),
                groups=tuple(_groups(text, own, positions, plain, words)),
                words=len(words),
            )
        )
    return tuple(statements)
