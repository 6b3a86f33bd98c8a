"""What is read of pairs that are too long, and how they are counted; a sign is a token."""

from evaluation.judges.entailment.rows import Encoded, PremiseLengths, Rows


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
