"""What is longer than a model reads is cut by its own tokens, and that is said."""

from dataclasses import replace

from evaluation.generating.systems.context_window import TOO_LONG, ContextWindow
from evaluation.generating.systems.shipped import SYSTEMS
from tests.evaluation.generating.talking import SUBJECT, TOWER, talked


def words(prompt):
    return len(f"{prompt.system} {prompt.user}".split())


def window(shows):
    """So that a prompt with so many more words than without passages fits."""
    _, told = talked("vanilla", shots=0, ndoc=1)
    bare = words(told[0][0].prompt) - 13  # a passage with its number and title
    return ContextWindow(bare + shows, words)


def test_a_question_that_is_too_long_by_itself_has_no_answer(subtests):
    for system in SYSTEMS:
        with subtests.test(system=system):
            why, told = talked(system, window=ContextWindow(5, words))
            assert (why, told) == (TOO_LONG, [])


def test_examples_that_leave_too_little_room_are_named(subtests):
    """The question by itself is short enough; a message that blames it sends people astray."""
    for system in [key for key, one in SYSTEMS.items() if one.examples != "none"]:
        with subtests.test(system=system):
            name = "pairs" if SYSTEMS[system].examples == "pairs" else "shots"
            most = 64 if name == "pairs" else 4
            shown = {"shorten": ""} if "shorten" in SYSTEMS[system].takes else {}
            small = ContextWindow({"inlinesearch": 240, "closedbook": 120}.get(system, 320), words)
            why, _ = talked(system, window=small, **shown, **{name: most})
            assert "examples" in why
            written, _ = talked(system, window=small, **shown, **{name: 0})
            assert not isinstance(written, str)


def test_interact_keeps_half_of_the_room_for_full_texts():
    _, told = talked("interact", shots=0, shorten="", window=ContextWindow(400, words))
    written, cut = talked("interact", shots=0, shorten="", window=ContextWindow(230, words))
    assert len(told[0][0].prompt.user) > len(cut[0][0].prompt.user)
    assert written.notes["counts"]["left_out_for_length"] >= 1
    assert all(words(one.prompt) <= 230 for one, _ in cut)


def test_of_a_passage_that_is_made_shorter_as_much_as_fits_is_read_and_that_is_said():
    long = replace(TOWER, text=" ".join(f"word{n}" for n in range(500)))
    given = {
        "subject": replace(SUBJECT, found=(long,)),
        "shots": 0,
        "window": ContextWindow(300, words),
    }
    written, told = talked("summ", lambda prompt: "Short [1].", **given)
    assert written.notes["shortened_from_a_part"] == 1
    assert 290 <= words(told[0][0].prompt) <= 300
    assert "word9 " in told[0][0].prompt.user
    assert written.passages == (long,)
