"""Texts for property tests: pieces that sentences and marks are made of, and anything else."""

from hypothesis import strategies as st

_PIECES = (
    "[1]", "[12]", "[1, 2]", "[1-3]", "[^1]", "【1】", "【1†a. b】", "[1914-1918]", "[", "]", "【",
    "†", "[1,", "[1 ", ". ", ".", "! ", "?", "... ", "…", '"', "”", "(", ")", ",", ", ", "\n",
    "\r\n", "<|im_end|>", " ", "\t", "\u00a0", "\u2003", "\x00", "Dr", "U.S", "J", "No", "5",
    "3.5", "e.g", "The rain", "Snow falls", "a", "é", "İ", "ß", "雪", "😀", "1. ",
    "https://a.org/b.html ",
)  # fmt: skip

answers = st.one_of(
    st.lists(st.sampled_from(_PIECES), max_size=30).map("".join),
    st.text(max_size=60),
)
