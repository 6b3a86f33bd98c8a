"""Passages by meaning, and several searches as one; the encoder is a rule."""

import numpy as np
import pytest

from annotate.text.corpus import CorpusBuilder, CorpusIndex, CorpusPassage, Unsearchable
from annotate.text.search_result import Found
from evaluation.generating.retrieval.dense import Dense, Hybrid, embed, fused

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Letters:
    """A text as how often it has each letter."""

    signature = "letters:1"

    def encode(self, texts):
        counts = np.array([[text.lower().count(sign) for sign in LETTERS] for text in texts])
        rows = counts.astype(np.float32) + 1e-3
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def passages(count):
    chance = np.random.default_rng(3)
    return [
        CorpusPassage(f"p{n}", "".join(chance.choice([*LETTERS, " "], 40)), "t")
        for n in range(count)
    ]


def built(folder, some, **how):
    CorpusBuilder(folder).build(some)
    embed(folder, Letters(), **how)
    return Dense(folder, CorpusIndex(folder, "test"), Letters())


def nearest(some, query, k):
    """By comparing all."""
    vectors = Letters().encode([passage.searched for passage in some])
    cosines = vectors @ Letters().encode([query])[0]
    return [some[n].key for n in sorted(range(len(some)), key=lambda n: -cosines[n])[:k]]


def test_the_nearest_are_found_in_any_number_of_parts(tmp_path):
    some = passages(300)
    told: list[int] = []
    one = built(tmp_path / "one", some, went_on=told.append)
    many = built(tmp_path / "many", some, most=70)
    assert len(list((tmp_path / "many").glob("vectors-*"))) == 5
    assert told == [300]
    for query in ("zebra quiz", "owls hunt", "t " + some[123].text):
        for dense in (one, many):
            found = dense.search([query], 10)[0]
            assert [each.key for each in found][:5] == nearest(some, query, 5)
    ((best,),) = many.search(["t " + some[123].text], 1)
    assert (best.key, best.text) == ("p123", some[123].text)
    assert best.score == pytest.approx(1, abs=1e-3)
    assert one.search([], 3) == []


def test_the_signature_names_the_encoder_and_another_one_is_refused(tmp_path):
    dense = built(tmp_path / "corpus", passages(5))
    assert "letters:1" in dense.signature
    assert "usearch:" in dense.signature
    other = Letters()
    other.signature = "letters:2"
    with pytest.raises(Unsearchable, match="another model"):
        Dense(tmp_path / "corpus", CorpusIndex(tmp_path / "corpus", "test"), other)
    CorpusBuilder(tmp_path / "words").build(passages(5))
    with pytest.raises(Unsearchable, match="no vectors"):
        Dense(tmp_path / "words", CorpusIndex(tmp_path / "words", "test"), Letters())


def test_ranks_are_put_together():
    a, b, c, d = (Found(key, key, score) for key, score in zip("abcd", (9, 8, 7, 6), strict=True))
    found = fused([[a, b, c], [d, b, a]], 3)
    assert [one.key for one in found] == ["a", "b", "d"]
    assert found[0].score == 1 / 61 + 1 / 63
    assert found[1].score == 1 / 62 + 1 / 62
    assert found[2].score == 1 / 61
    assert fused([[a, b], []], 1) == [Found("a", "a", 1 / 61)]
    assert fused([], 1) == []


def test_a_hybrid_searches_deeper_than_it_tells():
    asked = []

    class Fixed:
        def __init__(self, *keys):
            self.keys, self.signature = keys, "fixed"

        def search(self, queries, k):
            asked.append(k)
            return [[Found(key, key, 1.0) for key in self.keys] for _ in queries]

    hybrid = Hybrid(Fixed("a", "b"), Fixed("b", "c"))
    assert [one.key for one in hybrid.search(["q"], 1)[0]] == ["b"]
    assert asked == [100, 100]
    assert hybrid.signature == "rrf:60(fixed)(fixed)"
