"""Conjuncts in a chain."""

from tests.training.parser.trees import converted


def test_each_conjunct_hangs_on_the_one_before_and_takes_the_conjunction():
    table = """
        owls NOUN NNS 0 root
        , PUNCT , 3 punct
        bats NOUN NNS 1 conj
        and CCONJ CC 5 cc
        moths NOUN NNS 1 conj
    """
    assert converted(table) == [
        "ROOT(, owls)",
        "punct(owls, ,)",
        "conj(owls, bats)",
        "cc(bats, and)",
        "conj(bats, moths)",
    ]


def test_prepositions_are_joined_to_prepositions():
    table = """
        in ADP IN 2 case
        war NOUN NN 0 root
        and CCONJ CC 5 cc
        in ADP IN 5 case
        peace NOUN NN 2 conj
    """
    assert converted(table) == [
        "ROOT(, in)",
        "pobj(in, war)",
        "cc(in, and)",
        "conj(in, in)",
        "pobj(in, peace)",
    ]


def test_nouns_below_one_preposition():
    table = """
        in ADP IN 2 case
        war NOUN NN 0 root
        and CCONJ CC 4 cc
        peace NOUN NN 2 conj
    """
    assert converted(table)[1:] == ["pobj(in, war)", "cc(war, and)", "conj(war, peace)"]


def test_both_stays_with_the_first():
    table = """
        both CCONJ CC 2 cc:preconj
        owls NOUN NNS 0 root
        and CCONJ CC 4 cc
        bats NOUN NNS 2 conj
    """
    assert converted(table) == [
        "preconj(owls, both)",
        "ROOT(, owls)",
        "cc(owls, and)",
        "conj(owls, bats)",
    ]


def test_a_sentence_that_begins_with_a_conjunction():
    table = """
        But CCONJ CC 3 cc
        owls NOUN NNS 3 nsubj
        sleep VERB VBP 0 root
    """
    assert converted(table)[0] == "cc(sleep, But)"
