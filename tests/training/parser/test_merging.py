"""Words that one token holds become one."""

import pytest

from tests.training.parser.trees import gold
from training.parser.fitting import english_tokenizer
from training.parser.merging import merged


@pytest.fixture(scope="module")
def tokenizer():
    return english_tokenizer()


def test_words_in_one_token_are_joined_under_the_highest():
    table = """
        and CC 4 cc
        / HYPH 1 punct
        or CC 1 cc
        bees NNS 0 ROOT
        sleep VB 4 dep
    """
    found = merged(gold(table, unspaced=(1, 2, 5)), lambda text: [(0, 6), (7, 11), (12, 17)])
    assert found == gold("and/or CC 2 cc\nbees NNS 0 ROOT\nsleep VB 2 dep", unspaced=(3,))


def test_what_hung_inside_the_token_hangs_on_it():
    table = """
        fly VB 0 ROOT
        no DT 3 det
        where RB 1 advmod
        ! . 3 punct
    """
    found = merged(gold(table, unspaced=(1, 2, 3, 4)), lambda text: [(0, 3), (3, 10)])
    assert found.words == ("fly", "nowhere", "!")
    assert found.heads == (0, 0, 1)


def test_no_cycle_where_two_words_hang_on_each_others_parts():
    table = """
        fly VB 0 ROOT
        no DT 4 det
        thing NN 1 dobj
        big JJ 3 amod
    """
    found = merged(gold(table, unspaced=(2,)), lambda text: [(0, 3), (4, 11), (12, 15)])
    assert found.words == ("fly", "nothing", "big")
    assert found.heads == (0, 0, 1)


def test_a_token_that_cuts_a_word_changes_nothing():
    one = gold("cannot MD 0 ROOT\nfly VB 1 dep")
    assert merged(one, lambda text: [(0, 3), (3, 6), (7, 10)]) == one


def test_spacys_tokens(tokenizer):
    table = """
        Wi NNP 3 compound
        - HYPH 3 punct
        Fi NNP 4 nsubj
        fails VBZ 0 ROOT
        . . 4 punct
    """
    one = gold(table, unspaced=(1, 2, 4, 5))
    assert list(tokenizer("Rain fails.")) == [(0, 4), (5, 10), (10, 11)]
    assert merged(one, tokenizer).text == one.text
