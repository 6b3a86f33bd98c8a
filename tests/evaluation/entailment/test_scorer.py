"""Fingerprints: what differs has another one."""

import itertools

from evaluation.entailment.scorer import fingerprint_of

CLOSE = [
    "a|b",
    "a/b",
    "a\nb",
    "a b",
    "a\rb",
    "a\\b",
    "a\\nb",
    "a\\u007cb",
    "a\\u000ab",
    "a\0b",
    "ab",
]


def test_values_that_differ_have_fingerprints_that_differ(subtests):
    for one, other in list(itertools.combinations(CLOSE, 2)):
        with subtests.test(one=one, other=other):
            assert fingerprint_of([("prompt", one)]) != fingerprint_of([("prompt", other)])


def test_no_value_reads_like_another_part():
    one = fingerprint_of([("prompt", "a|label:1")])
    assert one != fingerprint_of([("prompt", "a"), ("label", "1")])


def test_a_fingerprint_is_one_line_that_databases_keep(subtests):
    for value in CLOSE:
        with subtests.test(value=value):
            made = fingerprint_of([("prompt", value), ("label", "\ud800")])
            assert made.isprintable()
            assert made.count("|") == 1
            assert made.encode()


def test_ordinary_values_stand_as_they_are():
    parts = [("seq2seq", 1), ("model", "google/t5"), ("prompt", "premise: …é {x} 'a' \u00a0")]
    assert fingerprint_of(parts) == ("seq2seq:1|model:google/t5|prompt:premise: …é {x} 'a' \u00a0")
