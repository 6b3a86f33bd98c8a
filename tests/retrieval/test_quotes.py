"""Quotes looked for in passages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.text.quotes import NEARLY, PART, look_for
from tests.growth import seconds

PEAK = "At  2,962\u00a0m the “Zugspitze” is—so they say—the highest\n peak of Germany."


def test_quote_is_found_word_for_word(subtests):
    """White space, quotation marks and dashes may be others, and a quote may be cut off."""
    for quote, stretch in [
        ("the highest peak of Germany", "the highest\n peak of Germany"),
        ("the 'Zugspitze' is-so they say-the", "the “Zugspitze” is—so they say—the"),
        ("„At 2,962 m“", "At  2,962\u00a0m"),
        ("… the highest peak …", "the highest\n peak"),
        ("highest peak of Germ", "highest\n peak of Germ"),
        ("Zugspitze", "Zugspitze"),
        (PEAK, PEAK),
    ]:
        with subtests.test(quote=quote, stretch=stretch):
            found = look_for(quote, PEAK)
            assert (found.value, found.likeness) == ("found", 1.0)
            assert PEAK[found.start : found.end] == stretch


def test_slightly_changed_quote_is_nearly_found(subtests):
    for quote, likeness in [
        # One sign of 27 is another: 1 - 2 / 54.
        ("the highest beak of Germany", 1 - 2 / 54),
        # Two are exchanged: one to delete, one to insert.
        ("the hihgest peak of Germany", 1 - 2 / 54),
    ]:
        with subtests.test(quote=quote, likeness=likeness):
            found = look_for(quote, PEAK)
            assert found.value == "nearly"
            assert found.likeness == pytest.approx(likeness)
            assert PEAK[found.start : found.end] == "the highest\n peak of Germany"


def test_from_where_on_it_is_nearly():
    """Of 20 signs two are others: 1 - 4 / 40 is just enough; three are too many."""
    passage = "x" * 30 + "abcdefghijklmnopqrst" + "y" * 30
    assert look_for("abcdefghi__lmnopqrst", passage).likeness == pytest.approx(NEARLY)
    assert look_for("abcdefghi___mnopqrst", passage).value == "none"


def test_other_text_is_not_found(subtests):
    for quote, passage in [
        ("the lowest point of Austria", PEAK),
        ("Spitze", PEAK),
        ("art", "A party."),
        ("", PEAK),
        (" “…” ", PEAK),
        ("Something.", ""),
        ("A quote that is much longer than the passage, in which it can not be.", "A quote"),
    ]:
        with subtests.test(quote=quote, passage=passage):
            found = look_for(quote, passage)
            assert (found.value, found.start, found.end) == ("none", 0, 0)


def test_scripts_without_spaces_have_no_ends_of_words():
    found = look_for("中国的首都", "北京是中国的首都。")
    assert (found.value, found.start, found.end) == ("found", 3, 8)
    assert look_for("上海是中国的大城市之一", "北京是中国的首都。").value == "none"


def test_places_count_code_points():
    passage = "🦉🦉  see \n at night."
    found = look_for("see at night", passage)
    assert passage[found.start : found.end] == "see \n at night"


def sentences(*words, times=60):
    return " ".join(
        f"In {1900 + n} the {word} was seen {n} times." for n in range(times) for word in words
    )


def test_a_long_quote_is_looked_for_in_parts():
    passage = sentences("owl", "fox")
    quote = passage[1_000:3_000]
    assert look_for(quote, passage).value == "found"
    changed = look_for(quote.replace("owl", "elk"), passage)
    assert changed.value == "nearly"
    assert (changed.start, changed.end) == (1_000, 3_000)
    half = quote[:1_000] + "But nothing of that kind could ever happen again. " * 20
    assert look_for(half, passage).value == "none"


def test_parts_that_stand_far_apart_are_no_quote():
    passage = sentences("owl", "fox", times=100)
    assert len(passage) > 20 * PART
    jumbled = passage[:PART] + passage[-PART:]
    assert look_for(jumbled, passage).value == "none"
    assert look_for(passage[:PART] * 8, passage).value == "none", "said again and again"


@given(st.text(max_size=40), st.text(max_size=80))
def test_a_place_is_within_the_passage(quote, passage):
    found = look_for(quote, passage)
    assert 0 <= found.start <= found.end <= len(passage)
    assert (found.value == "none") == (found.end == 0)
    assert (found.value == "none") == (found.likeness < NEARLY)


@given(st.text("ab c“\n", max_size=60), st.data())
def test_every_stretch_with_a_space_is_found(passage, data):
    start, end = sorted(data.draw(st.integers(0, len(passage))) for _ in range(2))
    quote = passage[start:end]
    if " " in quote.strip("“ \n"):
        assert look_for(quote, passage).value == "found"


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("a" * 900 + "b" * 100, "a" * 300_000),
        ("ab ba " * 40 + "c", "ab ba aa bb " * 25_000),
        ("x" * 20_000, "a b " * 80_000),
        ("In no year was the yeti seen by anybody at all.", sentences("owl", times=9_000)),
    ],
)
def test_a_passage_of_50_000_words_takes_no_time_to_speak_of(quote, text):
    assert seconds(lambda: look_for(quote, text)) < 5, "half a second where nothing else runs"
