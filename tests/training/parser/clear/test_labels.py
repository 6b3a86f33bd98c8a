"""The names of the relations."""

import pytest

from tests.training.parser.trees import converted
from training.parser.clear.labels import LABELS, RENAMED


def test_what_things_are_renamed_to_is_known():
    assert set(RENAMED.values()) <= LABELS


@pytest.mark.parametrize(
    ("rel", "label"),
    [
        ("obj", "dobj"),
        ("iobj", "dative"),
        ("compound:prt", "prt"),
        ("acl:relcl", "relcl"),
        ("det:predet", "predet"),
        ("nmod:poss", "poss"),
        ("nmod:desc", "compound"),
        ("obl:unmarked", "npadvmod"),
        ("discourse", "intj"),
        ("list", "appos"),
        ("orphan", "dep"),
        ("advcl:new", "advcl"),
        ("obj:new", "dobj"),
        ("unheard", "dep"),
    ],
)
def test_other_names(rel, label):
    assert converted(f"gave VERB VBD 0 root\nher PRON XX 1 {rel}")[1] == f"{label}(gave, her)"


@pytest.mark.parametrize(
    ("word", "pos", "label"),
    [
        ("not", "PART", "neg"),
        ("n't", "PART", "neg"),
        ("never", "ADV", "advmod"),
        ("so", "ADV", "advmod"),
    ],
)
def test_negation(word, pos, label):
    table = f"sleep VERB VB 0 root\n{word} {pos} RB 1 advmod"
    assert converted(table)[1] == f"{label}(sleep, {word})"


def test_about_twenty():
    table = """
        about ADV IN 2 advmod
        twenty NUM CD 3 nummod
        bees NOUN NNS 0 root
    """
    assert converted(table)[0] == "quantmod(twenty, about)"


def test_a_clause_whose_subject_was_an_object():
    table = """
        She PRON PRP 2 nsubj
        wants VERB VBZ 0 root
        it PRON PRP 2 obj
        to PART TO 5 mark
        end VERB VB 2 xcomp
    """
    assert converted(table, lemmas={"wants": "want"})[2:] == [
        "nsubj(end, it)",
        "aux(end, to)",
        "ccomp(wants, end)",
    ]


def test_a_passive_clause_whose_subject_was_an_object():
    table = """
        wants VERB VBZ 0 root
        it PRON PRP 1 obj
        to PART TO 5 mark
        be AUX VB 5 aux:pass
        ended VERB VBN 1 xcomp
    """
    assert converted(table, lemmas={"wants": "want"})[1] == "nsubjpass(ended, it)"


def test_other_verbs_keep_their_objects():
    table = """
        asks VERB VBZ 0 root
        her PRON PRP 1 obj
        to PART TO 4 mark
        end VERB VB 1 xcomp
    """
    assert converted(table)[1:] == ["dobj(asks, her)", "aux(end, to)", "xcomp(asks, end)"]


def test_became_famous_made_it_famous_was_named_queen():
    became = """
        became VERB VBD 0 root
        famous ADJ JJ 1 xcomp
    """
    made = """
        made VERB VBD 0 root
        it PRON PRP 1 obj
        famous ADJ JJ 1 xcomp
    """
    named = """
        was AUX VBD 2 aux:pass
        named VERB VBN 0 root
        queen NOUN NN 2 xcomp
    """
    assert converted(became)[1] == "acomp(became, famous)"
    assert converted(made)[2] == "oprd(made, famous)"
    assert converted(named)[2] == "oprd(named, queen)"


def test_it_seems_that():
    table = """
        It PRON PRP 2 expl
        seems VERB VBZ 0 root
        that SCONJ IN 5 mark
        bees NOUN NNS 5 nsubj
        sleep VERB VBP 2 csubj
    """
    assert converted(table) == [
        "nsubj(seems, It)",
        "ROOT(, seems)",
        "mark(sleep, that)",
        "nsubj(sleep, bees)",
        "ccomp(seems, sleep)",
    ]


def test_nouns_without_preposition():
    table = """
        page NOUN NN 3 nsubj
        5 NUM CD 1 nmod:unmarked
        fell VERB VBD 0 root
        all DET DT 3 obj
        kinds NOUN NNS 4 nmod:unmarked
        north NOUN NN 7 nmod:unmarked
        side NOUN NN 3 obj
        itself PRON PRP 7 nmod:unmarked
        wide NOUN NN 7 nmod:unmarked
    """
    found = converted(table)
    assert [found[place] for place in (1, 4, 5, 7, 8)] == [
        "nummod(page, 5)",
        "dep(all, kinds)",
        "nmod(side, north)",
        "appos(side, itself)",
        "npadvmod(side, wide)",
    ]
