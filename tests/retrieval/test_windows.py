"""Long texts in windows, and those that fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.text.shown_passages import sentences
from annotate.text.windows import LONGEST, SHOWN, WINDOW, best, length, windows_of
from tests.growth import grows_linearly

FILLER = "Nothing of note is told of the weather on this day of the year. "


def divided(text):
    return windows_of(text, sentences(text))


def test_a_window_ends_with_the_sentence_that_fills_it():
    text = FILLER * 40
    per = length(FILLER)
    windows = divided(text)
    sizes = [len(window.sentences) for window in windows]
    assert sizes[:-1] == [-(-WINDOW // per)] * (len(sizes) - 1)
    assert sum(window.words for window in windows) == 40 * per
    assert text[windows[1].start : windows[1].end].startswith("Nothing")


@given(st.text(st.sampled_from("a b.\n北 é🦉"), max_size=300), st.integers(1, 12))
def test_windows_follow_each_other_and_leave_out_white_space_only(text, times):
    text *= times
    spans = [span for window in divided(text) for span in window.sentences]
    assert spans == sorted(spans)
    reached = 0
    for start, end in spans:
        assert reached <= start < end
        assert not text[reached:start].strip()
        reached = end
    assert not text[reached:].strip()


def test_a_text_without_stops_is_parted_at_white_space():
    text = "word " * 1_000
    spans = [span for window in divided(text) for span in window.sentences]
    assert all(text[start:end].startswith("word") for start, end in spans)
    assert max(end - start for start, end in spans) <= LONGEST
    solid = "x" * 3_500
    assert [w.end - w.start for w in divided(solid)] == [3_500], "one word"


def test_the_windows_that_share_words_with_a_statement_are_the_best():
    told = ["The owl sleeps by day. ", "Foxes eat berries. ", "The owl hunts mice by night. "]
    text = "".join(FILLER * 30 + each for each in told) + FILLER * 30
    windows = divided(text)
    owls, foxes, none = best(text, windows, ["The owl hunts.", "Foxes", "Zebras!"])
    assert [any("owl" in text[windows[n].start : windows[n].end] for n in (m,)) for m in owls] == [
        True,
        True,
    ]
    assert len(foxes) == 1
    assert "Foxes" in text[windows[foxes[0]].start : windows[foxes[0]].end]
    assert none == ()


def test_no_more_than_some_are_shown_in_the_order_of_the_text():
    text = (FILLER * 12 + "An owl. ") * 10
    (found,) = best(text, divided(text), ["owl"])
    assert len(found) == SHOWN
    assert list(found) == sorted(found)


@pytest.mark.parametrize("sign", ["a", "a ", ". ", "A. ", "北", "\n"])
def test_ten_times_the_text_takes_ten_times_as_long(sign):
    def looked_for(times):
        text = sign * times
        return lambda: best(text, divided(text), ["a 北京"])

    assert grows_linearly(looked_for(10_000), looked_for(100_000), most=40)
