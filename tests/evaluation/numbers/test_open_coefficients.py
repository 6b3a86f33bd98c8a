"""Agreement on answers that are not one choice: every coefficient beside one that is reckoned unit
by unit, and how sure it is."""

from itertools import combinations

import numpy as np
import pytest

from annotate.protocol.answers import parse_spans
from evaluation.statistics.error_bars import TOO_FEW
from evaluation.statistics.open_coefficients import open_coefficients
from evaluation.statistics.spans import MarkedText, severities_at
from tests.evaluation.agreement.plainly import alpha, jaccard, masi, squared
from tests.evaluation.agreement.plainly import pooled_correlation as pearson
from tests.evaluation.agreement.test_spans import f1
from tests.evaluation.agreement.test_spans import plainly as apart
from tests.evaluation.numbers.test_open_labels import ERRORS, HARMS, SURE, votes

LENGTH = 60


def asked(dimension, given, *, questions=4, lengths=True, resamples=50):
    """Of answers by unit, every unit about the question that its number leaves of `questions`."""
    clusters = np.array([unit % questions for unit in sorted(given)], dtype=np.int64)
    return open_coefficients(
        dimension,
        votes(dimension.key, given),
        clusters,
        questions,
        lengths={unit: {0: LENGTH} for unit in given} if lengths else None,
        resamples=resamples,
    )


def value(found, name):
    return found[name].figure.value


def near(number, expected):
    return number == pytest.approx(float(expected), rel=1e-12, abs=1e-12)


def random_study(seed, answer, raters=4, units=24):
    """Some rate everything, some half of it."""
    draw = np.random.default_rng(seed)
    return {
        unit: [answer(draw) for _ in range(int(draw.integers(1, raters + 1)))]
        for unit in range(units)
    }


@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_a_random_study(seed):
    given = random_study(seed, lambda draw: SURE.read(f"{draw.integers(0, 9) * 12.5:.1f}"))
    found = asked(SURE, given)
    assert [*found] == ["percent", "alpha", "difference", "pearson"]
    whole = [[int(float(one) * 10 + 0.5) for one in said] for said in given.values()]
    pairs = [(a, b) for said in whole for a, b in combinations(said, 2)]
    assert near(value(found, "alpha"), alpha(whole, squared))
    assert near(value(found, "difference"), sum(abs(a - b) for a, b in pairs) / 10 / len(pairs))
    assert near(value(found, "percent"), sum(a == b for a, b in pairs) / len(pairs))
    assert near(value(found, "pearson"), pearson([dict(enumerate(said)) for said in whole]))
    assert {one.units for one in found.values()} == {sum(len(said) > 1 for said in whole)}
    for one in found.values():
        low, high = one.interval.low, one.interval.high
        assert low is not None
        assert high is not None
        assert low <= (one.figure.value or 0) <= high <= (100 if one is found["difference"] else 1)
        assert low >= 0 or one.signature.partition("|")[0] in {"alpha", "pearson"}
        assert one.bar.clusters == 4


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("questions", [3, 24])
def test_sets_of_a_random_study(seed, questions):
    names = [choice.value for choice in HARMS.choices]
    given = random_study(
        seed, lambda draw: HARMS.read("|".join(n for n in names if draw.random() < 0.4) or "-")
    )
    found = asked(HARMS, given, questions=questions)
    assert [*found] == ["percent", "alpha_masi", "alpha_jaccard"]
    assert near(value(found, "alpha_masi"), alpha(given.values(), masi))
    assert near(value(found, "alpha_jaccard"), alpha(given.values(), jaccard))
    assert found["alpha_masi"].bar.standard_error.value > 0


def errors(draw):
    spans = set()
    for _ in range(int(draw.integers(0, 4))):
        start = int(draw.integers(0, LENGTH - 12))
        end = start + int(draw.integers(1, 13))
        label, severity = draw.choice(["made_up", "left_out"]), draw.choice(["minor", "major"])
        spans.add(f"{start}-{end}:{label}:{severity}")
    return ERRORS.read("|".join(sorted(spans)) or "-")


def stretches(spans, label):
    """One rater's, of one label; those that share a character together."""
    found: list[tuple[int, int]] = []
    for start, end in sorted((s.start, s.end) for s in spans if s.label == label):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


@pytest.mark.parametrize("seed", range(5))
def test_spans_of_a_random_study(seed):
    given = random_study(seed, errors)
    found = asked(ERRORS, given)
    assert [*found] == [
        f"{what}{label}"
        for what in ("f1_characters", "f1_exact", "alpha_unitised", "alpha_severity")
        for label in ("", ":made_up", ":left_out")
    ]
    read = [[parse_spans(one) for one in said] for said in given.values() if len(said) > 1]
    sums = {}
    for label in ("made_up", "left_out"):

        def characters(own, label=label):
            return {at for s in own if s.label == label for at in range(s.start, s.end)}

        def whole(own, label=label):
            return {s[:3] for s in own if s.label == label}

        texts = [MarkedText(LENGTH, tuple(stretches(own, label) for own in said)) for said in read]
        sums[label] = [f1(read, characters), f1(read, whole), apart(texts)]
        for name, (part, all_of) in zip(("f1_characters", "f1_exact"), sums[label], strict=False):
            assert near(value(found, f"{name}:{label}"), part / all_of)
        seen, chance = sums[label][2]
        assert near(value(found, f"alpha_unitised:{label}"), 1 - seen / chance)
    for number, name in enumerate(("f1_characters", "f1_exact", "alpha_unitised")):
        part, all_of = (sum(one[number][at] for one in sums.values()) for at in (0, 1))
        is_alpha = name == "alpha_unitised"
        assert near(value(found, name), 1 - part / all_of if is_alpha else part / all_of)


def test_severities_of_a_random_study(subtests):
    """Places are units, severities the answers of ordinal alpha, by another way to it."""
    for seed in range(5):
        with subtests.test(seed=seed):
            given = random_study(seed, errors)
            found = asked(ERRORS, given)
            read = [[parse_spans(one) for one in said] for said in given.values() if len(said) > 1]
            levels, every = ["minor", "major"], []
            for label in ("made_up", "left_out"):
                said = [place for unit in read for place in severities_at(unit, label, levels)]
                every += said
                assert said
                places = [[levels.index(one) for one in place] for place in said]
                assert near(value(found, f"alpha_severity:{label}"), alpha(places, squared))
            # Of two levels, the ordinal alpha is that of their places.
            places = [[levels.index(one) for one in place] for place in every]
            assert near(value(found, "alpha_severity"), alpha(places, squared))


def test_draws_weigh_questions_as_if_they_were_there_more_often():
    """The interval of a study of twice the same answers lies around the same number."""
    given = random_study(3, errors, units=12)
    twice = {unit: given[unit % 12] for unit in range(24)}
    once, both = (asked(ERRORS, some) for some in (given, twice))
    assert near(value(both, "f1_characters"), value(once, "f1_characters"))
    one, other = (some["f1_characters"].bar.percentile for some in (once, both))
    assert near(one.low, other.low)
    assert near(one.high, other.high)


def test_undefined_coefficients_have_a_reason(subtests):
    for dimension, said in [(SURE, "50"), (HARMS, "insult"), (ERRORS, "-")]:
        with subtests.test(dimension=dimension, said=said):
            nothing = asked(dimension, {})
            alone = asked(dimension, {0: [said], 1: [said]})
            for found in (nothing, alone):
                assert {one.figure.reason for one in found.values()} == {
                    "nothing has two ratings yet"
                }
            same = asked(dimension, {0: [said, said], 1: [said, said]})
            reasons = {one.figure.reason for one in same.values()} - {""}
            assert reasons <= {
                "all answers are the same", "nobody marked anything",
                "no place that two raters marked has another severity than the others",
                "fewer than three pairs of answers, or raters who always answer the same",
            }  # fmt: skip
            assert reasons
            once = asked(dimension, {0: [said, said]}, questions=1)
            assert {one.bar.percentile.reason for one in once.values()} == {TOO_FEW}
            assert all(one.interval.low is None for one in [*once.values(), *nothing.values()])
