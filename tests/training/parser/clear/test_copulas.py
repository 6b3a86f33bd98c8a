"""Copulas head their predicates."""

from tests.training.parser.trees import converted


def test_subject_and_time_are_the_copulas_and_the_article_stays():
    table = """
        Lima PROPN NNP 4 nsubj
        is AUX VBZ 4 cop
        a DET DT 4 det
        city NOUN NN 0 root
        today NOUN NN 4 obl:unmarked
    """
    assert converted(table) == [
        "nsubj(is, Lima)",
        "ROOT(, is)",
        "det(city, a)",
        "attr(is, city)",
        "npadvmod(is, today)",
    ]


def test_an_adjective_keeps_its_degree_and_its_first_phrase():
    table = """
        It PRON PRP 4 nsubj
        is AUX VBZ 4 cop
        very ADV RB 4 advmod
        full ADJ JJ 0 root
        of ADP IN 6 case
        fish NOUN NNS 4 obl
        in ADP IN 8 case
        spring NOUN NN 4 obl
    """
    assert converted(table) == [
        "nsubj(is, It)",
        "ROOT(, is)",
        "advmod(full, very)",
        "acomp(is, full)",
        "prep(full, of)",
        "pobj(of, fish)",
        "prep(is, in)",
        "pobj(in, spring)",
    ]


def test_adverbs_of_the_clause_rise():
    table = """
        It PRON PRP 5 nsubj
        is AUX VBZ 5 cop
        not PART RB 5 advmod
        always ADV RB 5 advmod
        deep ADJ JJ 0 root
        enough ADV RB 5 advmod
        here ADV RB 5 advmod
    """
    assert converted(table)[2:] == [
        "neg(is, not)",
        "advmod(is, always)",
        "acomp(is, deep)",
        "advmod(deep, enough)",
        "advmod(is, here)",
    ]


def test_an_adverb_inside_the_noun_phrase_stays():
    table = """
        It PRON PRP 6 nsubj
        is AUX VBZ 6 cop
        a DET DT 6 det
        now ADV RB 6 advmod
        quiet ADJ JJ 6 amod
        town NOUN NN 0 root
    """
    assert converted(table)[3] == "advmod(town, now)"


def test_a_question_turns_the_order():
    table = """
        How ADV WRB 2 advmod
        deep ADJ JJ 0 root
        is AUX VBZ 2 cop
        it PRON PRP 2 nsubj
    """
    assert converted(table) == [
        "advmod(deep, How)",
        "acomp(is, deep)",
        "ROOT(, is)",
        "nsubj(is, it)",
    ]


def test_two_years_old():
    table = """
        It PRON PRP 5 nsubj
        is AUX VBZ 5 cop
        two NUM CD 4 nummod
        years NOUN NNS 5 obl:unmarked
        old ADJ JJ 0 root
    """
    assert converted(table)[3:] == ["npadvmod(old, years)", "acomp(is, old)"]


def test_a_place_is_a_prepositional_predicate():
    table = """
        The DET DT 2 det
        tower NOUN NN 6 nsubj
        is AUX VBZ 6 cop
        in ADP IN 6 case
        the DET DT 6 det
        north NOUN NN 0 root
    """
    assert converted(table) == [
        "det(tower, The)",
        "nsubj(is, tower)",
        "ROOT(, is)",
        "prep(is, in)",
        "det(north, the)",
        "pobj(in, north)",
    ]


def test_a_clause_as_predicate_keeps_what_is_its_own():
    table = """
        The DET DT 2 det
        problem NOUN NN 6 nsubj:outer
        is AUX VBZ 6 cop
        that SCONJ IN 6 mark
        they PRON PRP 6 nsubj
        left VERB VBD 0 root
    """
    assert converted(table)[1:] == [
        "nsubj(is, problem)",
        "ROOT(, is)",
        "mark(left, that)",
        "nsubj(left, they)",
        "ccomp(is, left)",
    ]


def test_an_infinitive_as_predicate():
    table = """
        The DET DT 2 det
        plan NOUN NN 5 nsubj:outer
        is AUX VBZ 5 cop
        to PART TO 5 mark
        leave VERB VB 0 root
    """
    assert converted(table)[3:] == ["aux(leave, to)", "xcomp(is, leave)"]


def test_what_is_hard_follows():
    table = """
        It PRON PRP 3 expl
        is AUX VBZ 3 cop
        hard ADJ JJ 0 root
        to PART TO 5 mark
        say VERB VB 3 csubj
    """
    assert converted(table) == [
        "nsubj(is, It)",
        "ROOT(, is)",
        "acomp(is, hard)",
        "aux(say, to)",
        "xcomp(is, say)",
    ]


def test_a_comparison_stays_with_the_adjective():
    table = """
        It PRON PRP 3 nsubj
        is AUX VBZ 3 cop
        better ADJ JJR 0 root
        than SCONJ IN 6 mark
        it PRON PRP 6 nsubj
        seemed VERB VBD 3 advcl
    """
    assert converted(table)[5] == "advcl(better, seemed)"


def test_a_conjunct_with_a_subject_is_a_clause_beside_the_copula():
    table = """
        Lima PROPN NNP 4 nsubj
        is AUX VBZ 4 cop
        a DET DT 4 det
        port NOUN NN 0 root
        and CCONJ CC 7 cc
        it PRON PRP 7 nsubj
        grows VERB VBZ 4 conj
    """
    assert converted(table)[4:] == ["cc(is, and)", "nsubj(grows, it)", "conj(is, grows)"]


def test_a_conjunct_without_one_stays_beside_the_predicate():
    table = """
        It PRON PRP 3 nsubj
        is AUX VBZ 3 cop
        old ADJ JJ 0 root
        and CCONJ CC 5 cc
        grey ADJ JJ 3 conj
    """
    assert converted(table)[2:] == ["acomp(is, old)", "cc(old, and)", "conj(old, grey)"]


def test_what_there_is():
    table = """
        There PRON EX 2 expl
        is VERB VBZ 0 root
        a DET DT 4 det
        lake NOUN NN 2 nsubj
    """
    assert converted(table, lemmas={"is": "be"}) == [
        "expl(is, There)",
        "ROOT(, is)",
        "det(lake, a)",
        "attr(is, lake)",
    ]


def test_what_stands_before_a_linking_verb_is_the_verbs():
    table = """
        It PRON PRP 3 nsubj
        later ADV RB 5 advmod
        became VERB VBD 0 root
        a DET DT 5 det
        city NOUN NN 3 xcomp
    """
    assert converted(table) == [
        "nsubj(became, It)",
        "advmod(became, later)",
        "ROOT(, became)",
        "det(city, a)",
        "attr(became, city)",
    ]
