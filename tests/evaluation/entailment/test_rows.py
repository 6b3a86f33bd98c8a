"""What is read of pairs that are too long, and how they are counted; a sign is a token."""

import pytest

from evaluation.entailment import ScorerError
from evaluation.entailment.premises import PremiseLengths
from evaluation.entailment.rows import Encoded, Rows, limit_of


def rows(limit, window=0, policy="window", encode=None, most=0):
    return Rows(
        encode=encode or (lambda pairs: [Encoded([*map(ord, p + h), 0]) for p, h in pairs]),
        spans=lambda texts: [[(n, n + 1) for n in range(len(text))] for text in texts],
        limit=limit,
        window=window or limit,
        policy=policy,
        most=most,
    )


def read(made, premise, hypothesis):
    return ["".join(map(chr, row.tokens[:-1])) for row in made.of([(premise, hypothesis)], [0])]


def test_what_fits_is_read_whole():
    made = rows(10)
    assert read(made, "Rain.", "Wet.") == ["Rain.Wet."]
    assert made.lengths == PremiseLengths(pairs=1)


def test_windows_are_counted():
    made = rows(30)
    assert read(made, "a" * 50, "hh") == ["a" * 27 + "hh", "a" * 23 + "hh"]
    assert made.lengths == PremiseLengths(pairs=1, windowed=1, windows=2)


def test_of_the_windows_the_nearest_are_read():
    premise = "Rain fell in it. Ice lay in town. Snow fell today."
    every = read(rows(40), premise, "Ice lay.")
    assert every == [
        "Rain fell in it.Ice lay.",
        "Ice lay in town.Ice lay.",
        "Snow fell today.Ice lay.",
    ]
    made = rows(40, most=2)
    assert read(made, premise, "Ice lay.") == [every[1], every[0]]
    assert made.lengths == PremiseLengths(pairs=1, windowed=1, windows=2)
    assert read(rows(40, most=2), premise, "Snow fell.") == [
        "Snow fell today.Snow fell.", "Rain fell in it.Snow fell.",
    ]  # fmt: skip


def test_the_whole_is_one_of_the_parts_where_it_fits():
    made = rows(60, window=30)
    assert len(read(made, "a" * 50, "hh")) == 3
    assert made.lengths == PremiseLengths(pairs=1, windowed=1, windows=3)


def test_a_hypothesis_that_is_too_long_is_counted_once(subtests):
    for policy in ["window", "truncate"]:
        with subtests.test(policy=policy):
            made = rows(30, policy=policy)
            assert read(made, "a" * 50, "h" * 40) == ["h" * 29]
            assert made.lengths == PremiseLengths(pairs=1, truncated=1)


def test_a_hypothesis_that_leaves_little_room(subtests):
    for policy in ["window", "truncate"]:
        with subtests.test(policy=policy):
            made = rows(30, policy=policy)
            assert read(made, "a" * 50, "h" * 20) == ["a" * 9 + "h" * 20]
            assert made.lengths == PremiseLengths(pairs=1, truncated=1)


def test_a_hypothesis_longer_than_a_window_is_read_whole_where_the_model_takes_it():
    made = rows(100, window=30)
    assert read(made, "a" * 50, "h" * 40) == ["a" * 50 + "h" * 40]
    assert made.lengths == PremiseLengths(pairs=1)


def test_a_window_that_loses_its_end_is_counted():
    """A text whose beginning was cut off has a token more here."""

    def encode(pairs):
        more = [[ord("+")] * (not p.startswith("b")) for p, _ in pairs]
        return [
            Encoded([*plus, *map(ord, p + h), 0]) for plus, (p, h) in zip(more, pairs, strict=True)
        ]

    made = rows(30, encode=encode)
    made.of([("b" + "a" * 60, "hh")], [0])
    assert (made.lengths.windowed, made.lengths.truncated) == (1, 0)
    tight = rows(30, encode=lambda pairs: encode(pairs) if pairs[0][0] else encode([("b", "h")]))
    tight.of([("b" + "a" * 60, "hh")], [0])
    assert (tight.lengths.windowed, tight.lengths.truncated) == (1, 1)


def test_a_premise_without_a_sentence():
    made = rows(30)
    assert read(made, "\n" * 50, "hh") == ["hh"]
    assert made.lengths == PremiseLengths(pairs=1, truncated=1)


def test_empty_texts(subtests):
    for policy in ["window", "truncate"]:
        with subtests.test(policy=policy):
            made = rows(30, policy=policy)
            assert [read(made, *pair) for pair in (("", ""), ("", "h"), ("a", ""))] == [
                [""],
                ["h"],
                ["a"],
            ]
            assert made.lengths == PremiseLengths(pairs=3)


def test_no_more_tokens_than_the_model_has_positions_for():
    assert limit_of(0, usual=9, most=12) == 9
    assert limit_of(12, usual=9, most=12) == 12
    assert limit_of(10**6, usual=9, most=None) == 10**6
    with pytest.raises(ScorerError, match=r"at most 12, .* found 13"):
        limit_of(13, usual=9, most=12)
