"""Agreement on marked words, beside sets of characters and the definition of unitised alpha."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.protocol.answers import MarkedSpan
from evaluation.statistics import spans

LABELS = ("x", "y")
LEVELS = ("minor", "major", "worst")


@st.composite
def marked(draw, length=30):
    """What some raters marked in a text and in a passage."""

    def some():
        found = []
        for _ in range(draw(st.integers(0, 4))):
            start = draw(st.integers(0, length - 1))
            end = draw(st.integers(start + 1, min(length, start + 9)))
            found.append(
                MarkedSpan(draw(st.integers(0, 1)), start, end, draw(st.sampled_from(LABELS)))
            )
        return found

    return [some() for _ in range(draw(st.integers(2, 4)))]


def f1(units, parts):
    """Pooled over the pairs of every unit; `parts` of what one rater marked."""
    same = size = 0
    for raters in units:
        for one, other in combinations(map(parts, raters), 2):
            same += 2 * len(one & other)
            size += len(one) + len(other)
    return [same, size]


@st.composite
def severe(draw):
    """The same with a severity each."""
    raters = draw(marked())
    levels = st.sampled_from(["minor", "major", "worst"])
    return [[span._replace(severity=draw(levels)) for span in some] for some in raters]


def places_plainly(raters, label):
    """The characters that anybody marked, put together as long as two spans share one."""
    every = [
        (who, s.severity, {(s.passage, at) for at in range(s.start, s.end)})
        for who, some in enumerate(raters)
        for s in some
        if s.label == label
    ]
    groups = [[one] for one in every]
    while True:
        both = next(
            (
                (one, other)
                for one, other in combinations(groups, 2)
                if any(a[2] & b[2] for a in one for b in other)
            ),
            None,
        )
        if both is None:
            return groups
        groups = [group for group in groups if group not in both] + [both[0] + both[1]]


@given(severe(), st.sampled_from(LABELS))
def test_severities_are_compared_where_two_marked(raters, label):
    expected = []
    for group in places_plainly(raters, label):
        said = []
        for who in sorted({one[0] for one in group}):
            often = {
                level: sum(len(c) for w, s, c in group if (w, s) == (who, level))
                for level in LEVELS
            }
            said.append(next(level for level in LEVELS if often[level] == max(often.values())))
        if len(said) > 1:
            expected.append(sorted(said))
    found = [sorted(some) for some in spans.severities_at(raters, label, LEVELS)]
    assert sorted(found) == sorted(expected)


def sections(stretches, length):
    """Spans and gaps of one rater: begin, length, whether it is a span."""
    found, at = [], 0
    for start, end in stretches:
        if start > at:
            found.append((at, start - at, False))
        found.append((start, end - start, True))
        at = end
    if at < length:
        found.append((at, length - at, False))
    return found


def apart(one, other):
    (b, n, is_span), (c, m, is_other) = one, other
    if is_span and is_other and -n < b - c < m:
        return (b - c) ** 2 + (b + n - c - m) ** 2
    if is_span and not is_other and m - n >= b - c >= 0:
        return n**2
    if not is_span and is_other and n - m >= c - b >= 0:
        return m**2
    return 0


def plainly(texts):
    """Observed and expected disagreement of one label, section by section."""
    seen, every, read = Fraction(0), [], 0
    for text in texts:
        raters = [sections(stretches, text.length) for stretches in text.marked]
        total = sum(
            apart(one, other)
            for i, own in enumerate(raters)
            for j, others in enumerate(raters)
            if i != j
            for one in own
            for other in others
        )
        seen += Fraction(total, len(raters) - 1)
        read += len(raters) * text.length
        every += [section for own in raters for section in own]
    marked = [n for _, n, is_span in every if is_span]
    expected = Fraction(0)
    for n in marked:
        expected += Fraction(len(marked) - 1, 3) * (2 * n**3 - 3 * n**2 + n)
        expected += n**2 * sum(m - n + 1 for _, m, is_span in every if not is_span and m >= n)
    pairs = read * (read - 1) - sum(n * (n - 1) for n in marked)
    return (seen / read if read else 0), (2 * expected / pairs if pairs else 0)


def published(length, *raters):
    [text] = [spans.MarkedText(length, raters)]
    return spans.disagreements(spans.unitised([[text]]).columns)


def test_the_published_example():
    """Krippendorff (2004), two observers of a continuum of 300: of category c the disagreements are
    .0144 and .0532, so that alpha is .7286; of category k 0 and .0490, alpha 1; of both .8591."""
    c = published(
        300,
        ((75, 145), (220, 250)),
        ((70, 150), (205, 225), (250, 270)),
    )
    k = published(300, ((30, 90), (150, 200)), ((30, 90), (150, 200)))
    # The paper divides both by the length of the continuum once more.
    assert [round(float(one[0]) / 300, 4) for one in (*c, *k)] == [0.0144, 0.0532, 0, 0.049]
    assert float(spans.alphas(*c)[0]) == pytest.approx(0.7286, abs=2e-4)
    assert float(spans.alphas(*k)[0]) == 1
    both = spans.alphas(c[0] + k[0], c[1] + k[1])
    assert float(both[0]) == pytest.approx(0.8591, abs=5e-4)
