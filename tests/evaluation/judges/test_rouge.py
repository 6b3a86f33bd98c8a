import random

import pytest
from rouge_score.rouge_scorer import RougeScorer

from evaluation.judges.short_answers import rouge_lsum


def test_an_empty_text_has_nothing_in_common():
    assert rouge_lsum([], ["Rain."]) == rouge_lsum(["Rain."], ["..."]) == 0.0


WORDS = "the cats cat sat seated on mats running runs ran nationally 1990s a'b naïve"


def texts(seed):
    generator = random.Random(seed)

    def text():
        return [
            " ".join(generator.choices(WORDS.split(), k=generator.randint(1, 12)))
            for _ in range(generator.randint(1, 5))
        ]

    return text(), text()


def test_against_the_reference_package(subtests):
    for seed in range(60):
        with subtests.test(seed=seed):
            output, reference = texts(seed)
            scorer = RougeScorer(["rougeLsum"], use_stemmer=True)
            expected = scorer.score("\n".join(reference), "\n".join(output))["rougeLsum"].fmeasure
            assert rouge_lsum(output, reference) == pytest.approx(expected, abs=1e-12)
