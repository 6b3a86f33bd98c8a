"""Sentences without signs."""

from tests.training.parser.trees import gold
from training.parser.bare import bare


def stripped(table, **options):
    found = bare(gold(table, **options))
    assert found is not None
    return found


def test_signs_go_and_commas_stay():
    table = """
        “ `` 6 punct
        Dr. NNP 3 compound
        Berg NNP 6 nsubj
        , , 6 punct
        now RB 6 advmod
        sings VBZ 0 ROOT
        ! . 6 punct
    """
    assert bare(gold(table, unspaced=(1, 3, 6, 7))) == gold(
        """
        Dr NNP 2 compound
        Berg NNP 5 nsubj
        , , 5 punct
        now RB 5 advmod
        sings VBZ 0 ROOT
        """,
        unspaced=(2, 5),
    )


def test_commas_at_the_ends_go():
    table = """
        , , 3 punct
        now RB 3 advmod
        sings VBZ 0 ROOT
        Anna NNP 3 nsubj
        , , 3 punct
        . . 3 punct
    """
    found = stripped(table)
    assert found.words == ("now", "sings", "Anna")
    assert found.spaces == (True, True, False)


def test_what_hung_on_a_sign_climbs():
    table = """
        bees NNS 0 ROOT
        and CC 1 cc
        / SYM 1 conj
        or CC 3 cc
        moths NNS 3 conj
    """
    found = stripped(table)
    assert found.words == ("bees", "and", "or", "moths")
    assert found.heads == (0, 0, 0, 0)


def test_a_root_that_goes_hands_over():
    table = """
        = SYM 0 ROOT
        one CD 1 nsubj
        plus CC 2 cc
        two CD 2 conj
        , , 1 punct
        sum NN 1 attr
    """
    found = stripped(table)
    assert found.words == ("one", "plus", "two", ",", "sum")
    assert found.heads == (0, 0, 0, 0, 0)
    assert found.deps == ("ROOT", "cc", "conj", "punct", "attr")


def test_nothing_may_take_its_place():
    table = """
        = SYM 0 ROOT
        , , 1 punct
        / SYM 1 dep
    """
    assert bare(gold(f"{table}    x X 2 dep\n    y X 4 dep\n    z X 4 dep")) is not None
    assert bare(gold(table)) is None


def test_printed_marks_go():
    table = """
        Rain NN 2 nsubj
        falls VBZ 0 ROOT
        here RB 2 advmod
        [ -LRB- 5 punct
        7 CD 2 dep
        ] -RRB- 5 punct
    """
    assert stripped(table).words == ("Rain", "falls", "here")
    years = table.replace("7 CD", "x CD")
    assert stripped(years).words == ("Rain", "falls", "here", "x")


def test_too_little_is_left():
    assert bare(gold("Rain NN 2 nsubj\nfalls VBZ 0 ROOT\n! . 2 punct")) is None
