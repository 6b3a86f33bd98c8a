"""CVCP by hand, and against the worked responses."""

import json
from pathlib import Path

import pytest

from annotate.text import has_positional_citation, segment
from evaluation.claims.cvcp import coefficient, cvcp, mark_positions

WORKED = Path(__file__).parents[4] / "shared" / "parity" / "aliice_responses.json"


def test_coefficient():
    # mean 2, deviations -1, 0, 1: sqrt(2/3) / 2
    assert coefficient([1, 2, 3]) == pytest.approx((2 / 3) ** 0.5 / 2, abs=1e-12)
    assert coefficient([0.4]) == 0
    assert coefficient([]) is None
    assert coefficient([0.0, 0.0]) is None


def test_paper_counts_words_signs_and_groups():
    # Cups(1) ,(2) of(3) glass(4) GROUP(5) or(6) clay(7) GROUP(8) .(9)
    found = mark_positions(segment("Cups, of glass[1][2] or clay [3].", passages=3), "paper")
    assert found == [(5 / 9, 8 / 9)]
    # mean 6.5/9, deviation 1.5/9
    assert cvcp(found, "paper") == pytest.approx(1.5 / 6.5, abs=1e-12)


def test_released_counts_characters_with_the_marks():
    text = "Aa[1] bb [2][3]."
    found = mark_positions(segment(text, passages=3), "released")
    assert found == [(2 / 16, 9 / 16, 12 / 16)]


def test_paper_averages_sentences_and_released_pools_them():
    output = "Aa bb[1]. Cc dd. Ee[1] ff[2]."
    by_word = mark_positions(segment(output, passages=2), "paper")
    assert by_word == [(3 / 4,), (2 / 5, 4 / 5)]
    assert cvcp(by_word, "paper") == pytest.approx((0 + 1 / 3) / 2, abs=1e-12)
    by_character = mark_positions(segment(output, passages=2), "released")
    assert by_character == [(5 / 9,), (2 / 12, 8 / 12)]
    pooled = coefficient([5 / 9, 2 / 12, 8 / 12])
    assert cvcp(by_character, "released") == pooled


def test_a_sentence_whose_only_mark_opens_it_counts_where_it_can():
    strict = segment("[1] Aa bb.", passages=1, reading="strict")
    assert cvcp(mark_positions(strict, "paper"), "paper") == 0
    assert cvcp(mark_positions(strict, "released"), "released") is None


@pytest.mark.skipif(not WORKED.exists(), reason="the worked ALiiCE responses are not here")
def test_released_equals_the_worked_responses():
    worked = json.loads(WORKED.read_text(encoding="utf-8"))
    everything = []
    for item, expected in zip(worked["items"], worked["per_item"], strict=True):
        divided = segment(
            item["output"], passages=worked["passages"], reading="strict", splitter="full-stop"
        )
        found = mark_positions(divided, "released")
        assert has_positional_citation(divided)
        assert cvcp(found, "released") == pytest.approx(expected["cv_pooled"], abs=1e-9)
        everything += found
    assert cvcp(everything, "released") == pytest.approx(worked["pooled_cv_characters"], abs=1e-9)
