"""Whatever an answer is made of, nothing of it is lost."""

import re
from bisect import bisect_left
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.text import blocks as block_reading
from annotate.text import segment
from annotate.text.blocks import blocks_of, has_markup
from annotate.text.words import WordsBySign, words_by_sign
from tests.cases import each
from tests.segment.reading import SITES, brief, divided, spans

PIECES = [
    *("Owls hunt", " by ear", "Dr. Lee", "3.5 mm", "長江很長", "أين", "यह नदी", "e.g. so", "😀"),
    *(". ", ".", "! ", "? ", "。", "؟ ", "।", "…", ", ", ": ", "; ", " ", "  "),
    *("[1]", "[2, 3]", "[1-2]", "[^1^]", "[Source 1]", "【1†a】", "(1)", "¹", "<sup>2</sup>"),
    *("[1](https://a.example)", "[a](https://www.example.org/tides)", "https://a.example/x"),
    *(
        "<https://b.example>", "([2])", "**", "*", "_", "`", "``", "$", "\\", "[", "]", "(", ")",
        "|",
    ),
    *("\n", "\n\n", "\r\n", "\n# ", "\n- ", "\n1. ", "\n> ", "\n```\n", "\n    ", "\n---\n"),
    *("\n| a | b |\n|---|---|\n", "\n[1]: https://a.example\n", "\n[^1]: Note.\n", "\nSources:\n"),
    *("**Bold**", "<br>", "\t", "\u00a0", "“", "”", "「", "」", "<|im_end|>"),
]  # fmt: skip
ANSWERS = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
WORD = re.compile(r"[^\W\d_¹²]{2,}")
LINK_PARTS = {"https", "www", "example", "org", "tides", "br", "sup", "Source", "im", "end"}


@settings(max_examples=200, deadline=None)
@given(raw=ANSWERS)
def test_spans_lie_in_order_and_marks_belong_to_one_statement(raw):
    found = divided(raw, citable=SITES)
    reached = 0
    for statement in found.statements:
        assert reached <= statement.start < statement.end <= len(raw)
        assert not raw[statement.start].isspace()
        assert not raw[statement.end - 1].isspace()
        reached = statement.end
        assert statement.text == " ".join(statement.text.split())
        for citation in statement.citations:
            assert statement.start <= citation.start < citation.end <= statement.end
        assert sum(len(g.numbers) for g in statement.groups) == len(statement.citations)
        assert all(0 <= group.word <= statement.words for group in statement.groups)
    marks = {(c.start, c.end) for s in found.statements for c in s.citations}
    assert sum(found.styles.values()) == len(marks)
    ordered = sorted(marks)
    assert all(before[1] <= after[0] for before, after in pairwise(ordered))


@settings(max_examples=200, deadline=None)
@given(raw=ANSWERS)
def test_no_word_is_lost(raw):
    found = divided(raw, citable=SITES)
    kept = " ".join(statement.text for statement in found.statements)
    kept += " ".join(raw[part.start : part.end] for part in found.not_judged)
    marks = "".join(raw[c.start : c.end] for s in found.statements for c in s.citations)
    joined = kept.replace(" ", "")
    for word in set(WORD.findall(raw.replace("https", " https"))) - LINK_PARTS:
        assert word in kept or word in marks or word in joined, word


@settings(max_examples=100, deadline=None)
@given(raw=ANSWERS.filter(lambda raw: not has_markup(raw)))
def test_plain_text_has_the_blocks_that_the_library_finds(raw):
    assert blocks_of(raw) == block_reading._parsed(raw)


@settings(max_examples=100, deadline=None)
@given(raw=ANSWERS, given=st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60)), max_size=4))
def test_spans_reach_the_statements_that_they_overlap(raw, given):
    taken = [(a, min(a + n, len(raw)), (2,)) for a, n in given if a < len(raw)]
    for statement in divided(raw, spans=spans(*taken)).statements:
        for index, (start, end, _) in enumerate(taken):
            overlaps = start < statement.end and end > statement.start
            marked = any(c.number == 2 and c.span is None for c in statement.citations)
            assert marked or overlaps == any(c.span == index for c in statement.citations)


@settings(max_examples=66, deadline=None)
@given(raw=ANSWERS)
def test_every_reading_ends(raw):
    for lines in ("all", "first", "flat"):
        for reading in ("repaired", "strict"):
            for mode in ("sentences", "list"):
                made = segment(raw, lines=lines, reading=reading, mode=mode, passages=3)
                for statement in made.statements:
                    assert 0 <= statement.start <= statement.end <= len(made.text)


SIGNS = st.text(
    st.sampled_from(
        "aB1.[]()*_`<>|#-\\!$^~:/? \t\n\r\x00\x0b\x85\u2028\u200f\u202b\ufeff¹⁻。؟長नن\ud800\udfff"
    )
)


@settings(max_examples=100, deadline=None)
@given(pieces=st.lists(st.one_of(st.sampled_from(PIECES), SIGNS), max_size=12))
def test_unusual_characters_keep_spans_valid(pieces):
    raw = "".join(pieces)
    found = divided(raw, citable=SITES)
    statements = [(statement.start, statement.end) for statement in found.statements]
    not_judged = [(part.start, part.end) for part in found.not_judged]
    for start, end in statements + not_judged:
        assert 0 <= start < end <= len(raw)
        assert not raw[start].isspace()
        assert not raw[end - 1].isspace()
    for parts in (statements, not_judged):
        assert all(before[1] <= after[0] for before, after in pairwise(parts))


@each("language", ["", "de", "ar", "hi", "ja"])
def test_half_surrogates(language):
    raw = "Owls \ud800 hunt. نعم \udfff. https://a.example/?\udfff"
    assert divided(raw, citable=SITES, language=language).statements[0].start == 0


@each("blank", ["\x85", "\xa0", "\u2028", "\u202f", "\u3000"])
@each("language", ["de", "ar", "fr", "es"])
def test_a_wide_blank_before_a_stop(language, blank):
    """The library that divides other languages breaks off there."""
    raw = f"Eulen jagen nachts. Im Museum hängt Bild B{blank}. Es ist alt."
    statements = divided(raw, citable=SITES, language=language).statements
    assert [statement.start for statement in statements][:2] == [0, 20]
    assert raw[statements[-1].start :].endswith("Es ist alt.")


def test_excessive_nesting_loses_no_text():
    raw = "> " * 200 + "Owls hunt [1]."
    assert brief(raw)[-1].endswith("Owls hunt. ← 1")


@settings(max_examples=166, deadline=None)
@given(text=st.one_of(ANSWERS, st.text(max_size=60), st.text("aB1.,'-–’ é長\n", max_size=40)))
def test_words_are_counted_as_they_are_found(text):
    starts, words = words_by_sign(text), WordsBySign(text)
    assert words.count == len(starts)
    for place in range(len(text) + 1):
        assert words.before(place) == bisect_left(starts, place)
