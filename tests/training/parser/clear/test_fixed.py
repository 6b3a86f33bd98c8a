"""Fixed expressions."""

from tests.training.parser.trees import converted


def test_each_other_is_headed_by_its_last_word():
    table = """
        They PRON PRP 2 nsubj
        trust VERB VBP 0 root
        each DET DT 2 obj
        other ADJ JJ 3 fixed
    """
    assert converted(table)[2:] == ["det(other, each)", "dobj(trust, other)"]


def test_such_as_is_a_preposition():
    table = """
        birds NOUN NNS 0 root
        such ADJ JJ 4 case
        as ADP IN 2 fixed
        owls NOUN NNS 1 nmod
    """
    assert converted(table)[1:] == ["amod(as, such)", "prep(birds, as)", "pobj(as, owls)"]


def test_as_well_as_is_headed_by_its_last_word():
    table = """
        owls NOUN NNS 0 root
        as ADV RB 5 cc
        well ADV RB 2 fixed
        as ADP IN 2 fixed
        bats NOUN NNS 1 conj
    """
    assert converted(table)[1:] == [
        "advmod(as, as)",
        "advmod(as, well)",
        "cc(owls, as)",
        "conj(owls, bats)",
    ]


def test_more_than_goes_with_the_number():
    table = """
        more ADJ JJR 3 advmod
        than ADP IN 1 fixed
        ten NUM CD 4 nummod
        owls NOUN NNS 0 root
    """
    assert converted(table)[:2] == ["amod(ten, more)", "quantmod(ten, than)"]


def test_up_to_goes_with_the_number():
    table = """
        up ADP IN 3 advmod
        to ADP IN 1 fixed
        ten NUM CD 4 nummod
        owls NOUN NNS 0 root
    """
    assert converted(table)[:2] == ["quantmod(ten, up)", "quantmod(ten, to)"]


def test_more_than_before_no_number():
    table = """
        more ADV RBR 3 advmod
        than ADP IN 1 fixed
        glad ADJ JJ 0 root
    """
    assert converted(table) == ["advmod(glad, more)", "quantmod(glad, than)", "ROOT(, glad)"]


def test_because_of_is_two_prepositions():
    table = """
        closed VERB VBN 0 root
        because ADP IN 4 case
        of ADP IN 2 fixed
        rain NOUN NN 1 obl
    """
    assert converted(table)[1:] == [
        "prep(closed, because)",
        "pcomp(because, of)",
        "pobj(of, rain)",
    ]


def test_so_that_is_two_marks():
    table = """
        so SCONJ IN 4 mark
        that SCONJ IN 1 fixed
        birds NOUN NNS 4 nsubj
        sleep VERB VBP 0 root
    """
    assert converted(table)[:2] == ["mark(sleep, so)", "mark(sleep, that)"]


def test_as_well_is_an_adverb():
    table = """
        sang VERB VBD 0 root
        as ADV RB 1 advmod
        well ADV RB 2 fixed
    """
    assert converted(table)[1:] == ["advmod(well, as)", "advmod(sang, well)"]


def test_that_is_has_a_subject():
    table = """
        owls NOUN NNS 0 root
        that ADV RB 4 advmod
        is AUX VBZ 2 fixed
        birds NOUN NNS 1 appos
    """
    assert converted(table)[1:3] == ["nsubj(is, that)", "advmod(birds, is)"]


def test_any_other_stays_together():
    table = """
        rain NOUN NN 0 root
        but CCONJ CC 5 cc
        and CCONJ CC 2 fixed
        not PART RB 2 fixed
        snow NOUN NN 1 conj
        let VERB VB 1 discourse
        alone ADV RB 6 fixed
    """
    assert converted(table)[1:4] == ["cc(rain, but)", "cc(but, and)", "neg(but, not)"]
    assert converted(table)[6] == "dep(let, alone)"
