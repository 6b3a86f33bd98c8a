"""Where commas, stops and brackets hang."""

from tests.training.parser.trees import converted


def test_the_stop_hangs_on_the_root():
    table = """
        Lima PROPN NNP 2 nsubj
        grows VERB VBZ 0 root
        slowly ADV RB 2 advmod
        . PUNCT . 3 punct
    """
    assert converted(table)[3] == "punct(grows, .)"


def test_a_comma_after_an_opening_phrase_hangs_outside_of_it():
    table = """
        In ADP IN 2 case
        winter NOUN NN 5 obl
        , PUNCT , 2 punct
        bees NOUN NNS 5 nsubj
        sleep VERB VBP 0 root
    """
    assert converted(table)[2] == "punct(sleep, ,)"


def test_commas_around_an_apposition_hang_on_what_it_explains():
    table = """
        Lima PROPN NNP 6 nsubj
        , PUNCT , 4 punct
        the DET DT 4 det
        capital NOUN NN 1 appos
        , PUNCT , 4 punct
        grows VERB VBZ 0 root
    """
    assert converted(table)[1] == "punct(Lima, ,)"
    assert converted(table)[4] == "punct(Lima, ,)"


def test_a_comma_before_a_prepositional_phrase_passes_the_preposition():
    table = """
        towns NOUN NNS 0 root
        , PUNCT , 5 punct
        such ADJ JJ 5 case
        as ADP IN 3 fixed
        Lima PROPN NNP 1 nmod
    """
    assert converted(table)[1] == "punct(towns, ,)"


def test_a_comma_inside_a_unit_stays_between_its_neighbours():
    table = """
        a DET DT 4 det
        small ADJ JJ 4 amod
        , PUNCT , 4 punct
        port NOUN NN 5 nsubj
        grew VERB VBD 0 root
    """
    assert converted(table)[2] == "punct(port, ,)"


def test_brackets_stay_with_their_word():
    table = """
        Lima PROPN NNP 5 nsubj
        ( PUNCT -LRB- 3 punct
        Peru PROPN NNP 1 appos
        ) PUNCT -RRB- 3 punct
        grows VERB VBZ 0 root
    """
    assert converted(table)[1] == "punct(Peru, ()"
    assert converted(table)[3] == "punct(Peru, ))"


def test_a_sign_at_the_edge_without_a_stop():
    table = """
        - PUNCT NFP 2 punct
        bees NOUN NNS 0 root
        , PUNCT , 2 punct
    """
    assert converted(table) == ["punct(bees, -)", "ROOT(, bees)", "punct(bees, ,)"]


def test_no_arc_is_crossed():
    table = """
        bees NOUN NNS 5 nsubj
        " PUNCT `` 6 punct
        never ADV RB 5 advmod
        , PUNCT , 3 punct
        sleep VERB VBP 0 root
        well ADV RB 5 advmod
    """
    assert converted(table)[1] == 'punct(sleep, ")'


def test_only_signs():
    table = """
        - PUNCT NFP 0 root
        ! PUNCT . 1 punct
    """
    assert converted(table) == ["ROOT(, -)", "punct(-, !)"]
