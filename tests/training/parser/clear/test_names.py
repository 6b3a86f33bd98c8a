"""Names, dates and times of day."""

from tests.training.parser.trees import converted


def test_the_last_word_heads_a_name():
    table = """
        Anna PROPN NNP 4 nsubj
        Maria PROPN NNP 1 flat
        Berg PROPN NNP 1 flat
        sings VERB VBZ 0 root
    """
    assert converted(table) == [
        "compound(Berg, Anna)",
        "compound(Berg, Maria)",
        "nsubj(sings, Berg)",
        "ROOT(, sings)",
    ]


def test_a_number_in_a_name_modifies():
    table = """
        Boeing PROPN NNP 3 nsubj
        747 NUM CD 1 flat
        lands VERB VBZ 0 root
    """
    assert converted(table) == ["nsubj(lands, Boeing)", "nummod(Boeing, 747)", "ROOT(, lands)"]


def test_a_word_that_begins_no_name_keeps_its_place():
    table = """
        oh INTJ UH 0 root
        dear INTJ UH 1 flat
    """
    assert converted(table) == ["ROOT(, oh)", "compound(oh, dear)"]


def test_a_word_written_as_two_is_a_compound():
    table = """
        her PRON PRP$ 2 nmod:poss
        grand NOUN NN 0 root
        mother X NN 2 goeswith
    """
    assert converted(table)[2] == "compound(grand, mother)"


def test_the_month_heads_a_date():
    table = """
        born VERB VBN 0 root
        on ADP IN 3 case
        20 NUM CD 1 obl
        June PROPN NNP 3 nmod:unmarked
        1837 NUM CD 3 nmod:unmarked
    """
    assert converted(table) == [
        "ROOT(, born)",
        "prep(born, on)",
        "nummod(June, 20)",
        "pobj(on, June)",
        "nummod(June, 1837)",
    ]


def test_a_date_that_begins_with_the_month():
    table = """
        born VERB VBN 0 root
        June PROPN NNP 1 obl:unmarked
        20 NUM CD 2 nmod:unmarked
    """
    assert converted(table)[1:] == ["npadvmod(born, June)", "nummod(June, 20)"]


def test_may_is_a_month_only_where_it_is_a_name():
    table = """
        20 NUM CD 3 nsubj
        may AUX MD 3 aux
        come VERB VB 0 root
    """
    assert converted(table) == ["nsubj(come, 20)", "aux(come, may)", "ROOT(, come)"]


def test_the_half_of_the_day_heads_a_time():
    table = """
        opens VERB VBZ 0 root
        at ADP IN 3 case
        7:30 NUM CD 1 obl
        PM NOUN NN 3 nmod:unmarked
    """
    assert converted(table)[1:] == ["prep(opens, at)", "nummod(PM, 7:30)", "pobj(at, PM)"]
