"""What of outputs is read and what is not."""

from annotate.formats.division import OutputTally, divide_record
from annotate.formats.records import PassageRecord, QuestionRecord, ResponseRecord, Where
from annotate.text import Division, Span

RECORD = ResponseRecord(
    Where(),
    QuestionRecord("?"),
    "# One\n\nTwo three [1].",
    passages=(PassageRecord(1, "", "Two."),),
    citations=(Span(7, 10, (1,)),),
)


def tally(lines):
    made = OutputTally()
    made.add(RECORD, divide_record(RECORD, Division(lines)))
    return made


def test_the_first_line_loses_the_others_and_spans():
    made = tally("first")
    assert (made.words, made.lost_words, made.cut, made.lost_spans) == (5, 3, 1, 1)
    assert made.parts() == []


def test_all_lines_lose_nothing_and_judge_no_headings():
    made = tally("all")
    assert (made.words, made.lost_words, made.cut, made.lost_spans) == (5, 0, 0, 0)
    assert made.parts() == [{"kind": "heading", "count": 1, "message": "heading"}]
    assert made.styles == {"square": 1}
