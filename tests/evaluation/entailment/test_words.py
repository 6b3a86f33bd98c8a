"""Folding words: the short way of plain letters says what the general one says."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from evaluation.entailment.words import folded

ASCII = st.text(st.characters(max_codepoint=127))


def in_general(text):
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


@given(st.one_of(ASCII, st.text()))
def test_every_text_is_folded_as_in_general(text):
    assert folded(text) == in_general(text)


def test_small_letters_without_accents(subtests):
    for text, small in [
        ("Logan", "logan"),
        ("ÉCOLE", "ecole"),
        ("Straße", "strasse"),
        ("ﬁn", "fin"),
    ]:
        with subtests.test(text=text, small=small):
            assert folded(text) == small
