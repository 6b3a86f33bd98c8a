"""Token containment, as the worked cases from the published scripts use it."""

from evaluation.entailment import load_scorer


def test_every_token_must_occur(subtests):
    for premise, hypothesis, entailed in [
        ("Title: Rain\nIt falls on the coast.", "rain FALLS", 1.0),
        ("Title: Rain\nIt falls on the coast.", "rain falls often", 0.0),
        ("one two", "one-two, one!", 1.0),
        ("café", "caf", 1.0),  # é is no token sign: the token is “caf”
        ("anything", "?!", 1.0),
        ("", "word", 0.0),
        ("12 ab", "ab12", 0.0),
    ]:
        with subtests.test(premise=premise, hypothesis=hypothesis):
            assert load_scorer("containment").probabilities([(premise, hypothesis)]) == [entailed]
