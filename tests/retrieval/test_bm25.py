"""How well texts fit, by their words."""

from annotate.text import bm25


def test_words_are_those_of_bm25s():
    """Of scripts of all kinds, with what separates words in them."""
    for text in (
        "The O'Neill's café, naïve_x 3.14 A b",
        "ÅNGSTRÖM İI ﬁn",
        "東京は 首都",
        "",
        "a – the",
    ):
        assert bm25.words_of(text) == bm25._words([text])[0]
