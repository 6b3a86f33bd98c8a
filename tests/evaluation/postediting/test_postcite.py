"""Marks where there were none, and nothing else changed."""

import pytest

from annotate.formats.records import GivenStatement
from annotate.text import Division, Span
from evaluation.generating.postediting.postcite import (
    NO_FIT,
    NO_PASSAGE,
    SOME,
    Postcite,
    _Wish,
    _with_marks,
)
from evaluation.generating.postediting.ranking import Bm25
from evaluation.judges import item_of
from evaluation.judges.items import ItemPassage
from tests.evaluation.postediting.records import PEAK, SKY, record


def cite(output, *passages, reading="repaired", splitter="rules", **more):
    way = Postcite(Bm25(), Division(reading=reading, splitter=splitter))
    (made,) = way.edit([record(output, passages or (PEAK, SKY), **more)])
    return made


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The Zugspitze is a peak.", "The Zugspitze is a peak [1]."),
        ("Why does air scatter light?!", "Why does air scatter light [2]?!"),
        ("He said: “Air scatters light.”", "He said: “Air scatters light [2].”"),
        ("The highest peak (of Germany)", "The highest peak (of Germany) [1]"),
        (
            "The Zugspitze is high. Air scatters light. A peak [2].",
            "The Zugspitze is high [1]. Air scatters light [2]. A peak [2].",
        ),
        (
            "  Zugspitze peak.\t\n\nAir scatters light.\n",
            "  Zugspitze peak [1].\t\n\nAir scatters light.\n",
        ),
        (
            "<|im_end|>The Zug<|im_end|>spitze peak. Light<|im_end|> waves.<|im_end|> ",
            "<|im_end|>The Zug<|im_end|>spitze peak [1]. Light<|im_end|> waves [2].<|im_end|> ",
        ),
    ],
)
def test_the_best_passage_is_cited_before_the_final_sign(before, after):
    assert cite(before).record.output == after


def test_spans_stay_around_the_words_that_they_stood_around():
    text = "Air scatters light. The Zugspitze is high. Short waves. [2]"
    words = ("Air scatters light.", "The Zugspitze is high.", "Short")
    spans = tuple(Span(text.index(each), text.index(each) + len(each), (1,)) for each in words)
    made = _with_marks(
        record(text, citations=spans),
        [_Wish(0, ItemPassage(2, "", SKY), 18), _Wish(1, ItemPassage(1, "", PEAK), 41)],
    )
    assert [made.output[span.start : span.end] for span in made.citations] == [
        "Air scatters light [2].",
        "The Zugspitze is high [1].",
        "Short",
    ]


def test_a_passage_that_shares_no_word_is_not_cited():
    made = cite("Nobody knows. The Zugspitze is high.")
    assert made.record.output == "Nobody knows. The Zugspitze is high [1]."
    assert made.outcome == SOME
    assert cite("Nobody knows.").outcome == NO_FIT
    assert cite("Nobody knows.", "", "").outcome == NO_FIT
    assert Postcite(Bm25()).edit([record("Peak.", ())])[0].outcome == NO_PASSAGE


def test_statements_of_the_file_get_their_passage():
    given = (GivenStatement("The Zugspitze is high."), GivenStatement("Air scatters light [1]."))
    made = cite("The Zugspitze is high. Air scatters light [1].", statements=given)
    assert made.record.output == "The Zugspitze is high [1]. Air scatters light [1]."
    statements = item_of(made.record, "1").statements
    assert [[c.passage and c.passage.number for c in s.citations] for s in statements] == [
        [1],
        [None],
    ]


class FirstOnly:
    """Scores such that always the passage with a number that no mark can name is the best."""

    signature = "first"

    def scores(self, passages, texts):
        return [[1.0] + [0.5] * (len(passages) - 1) for _ in texts]


def test_a_mark_that_could_not_be_read_is_left_out():
    odd = record("The Zugspitze is high.")
    passages = (type(odd.passages[0])(2_000_000_000, "", PEAK), odd.passages[1])
    unreadable = type(odd)(odd.where, odd.question, odd.output, passages=passages)
    (made,) = Postcite(FirstOnly()).edit([unreadable])
    assert made.record.output == "The Zugspitze is high."
    assert made.outcome == NO_FIT
