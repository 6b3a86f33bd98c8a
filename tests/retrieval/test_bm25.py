"""How well texts fit, by their words."""

from annotate.retrieval import bm25

TEXTS = ["Foxes sleep in dens.", "Owls hunt at night, and owls see well.", "Owls hunt."]


def test_the_text_that_shares_most_fits_best():
    foxes, hunting, none = bm25.scores(TEXTS, ["Where do foxes sleep?", "owls hunt", "Zebra"])
    assert foxes.index(max(foxes)) == 0
    assert hunting[0] == 0
    assert hunting[2] > hunting[1] > 0, "the shorter of two texts with the same words"
    assert none == [0.0, 0.0, 0.0]


def test_what_has_no_words_fits_nothing():
    assert bm25.scores(["", "…"], ["owls"]) == [[0.0, 0.0]]
    assert bm25.scores(TEXTS, ["the"]) == [[0.0] * 3], "a function word"
    assert bm25.scores(TEXTS, []) == []


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
