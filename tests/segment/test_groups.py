from itertools import pairwise

from annotate.text import has_positional_citation, segment, word_starts
from tests.cases import each


def groups(raw: str) -> list[tuple[tuple[int, ...], int, int, bool]]:
    (statement,) = segment(raw, passages=9).statements
    return [(g.numbers, g.word, g.place, g.at_end) for g in statement.groups]


@each(
    ("raw", "expected"),
    [
        ("Rain falls [1][2].", [((1, 2), 2, 2, True)]),
        ("Rain falls [1] [2].", [((1, 2), 2, 2, True)]),
        ("Rain falls. [1]", [((1,), 3, 3, True)]),
        ('Rain falls [1]."', [((1,), 2, 2, True)]),
        ("Rain [1], then snow [2, 3].", [((1,), 1, 1, False), ((2, 3), 4, 5, True)]),
        ("[1] Rain falls.", [((1,), 0, 0, False)]),
        ("Rain falls [1] 5 €", [((1,), 2, 2, False)]),
        ("[1]", [((1,), 0, 0, True)]),
        ("Rain.", []),
    ],
)
def test_adjacent_marks_form_a_group(raw, expected):
    assert groups(raw) == expected


def test_group_spans():
    (statement,) = segment("Rain [1] [2] and snow[3].", passages=9).statements
    assert [(g.start, g.end) for g in statement.groups] == [(5, 12), (21, 24)]


@each(
    ("text", "words"),
    [
        ("Rain falls.", ["Rain", "falls", "."]),
        ("don't well-known", ["don't", "well-known"]),
        ("It’s 3,610.5 km, or so", ["It’s", "3,610.5", "km", ",", "or", "so"]),
        ("U.S. and e.g. (two)", ["U.S.", "and", "e.g.", "(", "two", ")"]),
        ("a--b '90s", ["a", "-", "-", "b", "'", "90s"]),
        (" \n", []),
    ],
)
def test_words_begin_at_their_starts(text, words):
    bounds = [*word_starts(text), len(text)]
    assert [text[a:b].strip() for a, b in pairwise(bounds)] == words


@each(
    ("raw", "positional"),
    [
        ("Rain [1]. Snow [2].", False),
        ("Rain. Snow.", False),
        ("Rain [1]. Snow [2] falls.", True),
        ("Rain [1] falls [2].", True),
    ],
)
def test_citation_within_a_sentence_is_positional(raw, positional):
    made = segment(raw, passages=2)
    assert has_positional_citation(made) is positional
    assert any(map(has_positional_citation, made.statements)) is positional
