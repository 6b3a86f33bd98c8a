"""Prepositions head their objects."""

from tests.training.parser.trees import converted


def test_a_preposition_takes_the_objects_place_and_what_stands_before_it():
    table = """
        made VERB VBN 0 root
        only ADV RB 4 advmod
        of ADP IN 4 case
        glass NOUN NN 1 obl
    """
    assert converted(table) == [
        "ROOT(, made)",
        "advmod(of, only)",
        "prep(made, of)",
        "pobj(of, glass)",
    ]


def test_the_one_who_did_it():
    table = """
        built VERB VBN 0 root
        by ADP IN 3 case
        monks NOUN NNS 1 obl:agent
    """
    assert converted(table)[1:] == ["agent(built, by)", "pobj(by, monks)"]


def test_the_possessive_is_no_preposition():
    table = """
        Lima PROPN NNP 3 nmod:poss
        's PART POS 1 case
        port NOUN NN 0 root
    """
    assert converted(table) == ["poss(port, Lima)", "case(Lima, 's)", "ROOT(, port)"]


def test_out_of():
    table = """
        came VERB VBD 0 root
        out ADP IN 4 case
        of ADP IN 4 case
        caves NOUN NNS 1 obl
    """
    assert converted(table)[1:] == ["prep(came, out)", "prep(out, of)", "pobj(of, caves)"]


def test_from_just_behind():
    table = """
        came VERB VBD 0 root
        from ADP IN 6 case
        just ADV RB 6 advmod
        behind ADP IN 6 case
        the DET DT 6 det
        hill NOUN NN 1 obl
    """
    assert converted(table)[1:] == [
        "prep(came, from)",
        "advmod(behind, just)",
        "pcomp(from, behind)",
        "det(hill, the)",
        "pobj(behind, hill)",
    ]


def test_two_years_ago():
    table = """
        left VERB VBD 0 root
        two NUM CD 3 nummod
        years NOUN NNS 1 obl:unmarked
        ago ADP IN 3 case
    """
    assert converted(table)[1:] == [
        "nummod(years, two)",
        "npadvmod(ago, years)",
        "advmod(left, ago)",
    ]


def test_what_a_question_left_behind():
    table = """
        what PRON WP 3 obl
        it PRON PRP 3 nsubj
        comes VERB VBZ 0 root
        from ADP IN 1 case
    """
    assert converted(table) == [
        "pobj(from, what)",
        "nsubj(comes, it)",
        "ROOT(, comes)",
        "prep(comes, from)",
    ]


def test_before_a_noun():
    table = """
        over ADP IN 2 case
        night NOUN NN 3 compound
        train NOUN NN 0 root
    """
    assert converted(table) == ["prep(train, over)", "pobj(over, night)", "ROOT(, train)"]
    following = table.replace("over ADP IN", "following VERB VBG")
    assert converted(following)[0] == "nmod(train, following)"


def test_by_leaving():
    table = """
        won VERB VBD 0 root
        by SCONJ IN 3 mark
        leaving VERB VBG 1 advcl
    """
    assert converted(table)[1:] == ["prep(won, by)", "pcomp(by, leaving)"]


def test_while_leaving():
    table = """
        won VERB VBD 0 root
        while SCONJ IN 3 mark
        leaving VERB VBG 1 advcl
    """
    assert converted(table)[1:] == ["mark(leaving, while)", "advcl(won, leaving)"]


def test_a_gerund_with_a_subject():
    table = """
        won VERB VBD 0 root
        after SCONJ IN 4 mark
        they PRON PRP 4 nsubj
        leaving VERB VBG 1 advcl
    """
    assert converted(table)[1] == "mark(leaving, after)"
    assert converted(table.replace("after", "with"))[1] == "prep(won, with)"


def test_than_leaving():
    table = """
        better ADJ JJR 0 root
        than SCONJ IN 3 mark
        leaving VERB VBG 1 advcl
    """
    assert converted(table)[1:] == ["prep(better, than)", "pcomp(than, leaving)"]


def test_on_how_it_works():
    table = """
        book NOUN NN 0 root
        on SCONJ IN 5 mark
        how ADV WRB 5 advmod
        bees NOUN NNS 5 nsubj
        fly VERB VBP 1 acl
    """
    assert converted(table)[1:] == [
        "prep(book, on)",
        "advmod(fly, how)",
        "nsubj(fly, bees)",
        "pcomp(on, fly)",
    ]


def test_of_whose_children():
    table = """
        aware ADJ JJ 0 root
        of SCONJ IN 5 mark
        whose PRON WP$ 4 nmod:poss
        child NOUN NN 5 nsubj
        left VERB VBD 1 advcl
    """
    assert converted(table)[1] == "prep(aware, of)"


def test_for_them_to_leave():
    table = """
        waited VERB VBD 0 root
        for SCONJ IN 5 mark
        bees NOUN NNS 5 nsubj
        to PART TO 5 mark
        fly VERB VB 1 advcl
    """
    assert converted(table)[1:] == [
        "mark(fly, for)",
        "nsubj(fly, bees)",
        "aux(fly, to)",
        "advcl(waited, fly)",
    ]
