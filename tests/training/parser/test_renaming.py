"""Other words for names."""

from random import Random

from tests.training.parser.trees import gold, sentence
from training.parser.renaming import IN_TITLES, Pool, pool_of, renamed

NAMES = """
    Anna NNP 2 compound
    Berg NNP 3 nsubj
    sings VBZ 0 ROOT
    J. NNP 5 compound
    Bach NNP 3 dobj
    iPod NNP 3 dep
"""


def test_the_pool_has_plain_words_with_a_capital():
    table = """
        Anna PROPN NNP 2 nsubj
        sings VERB VBZ 0 root
        a DET DT 4 det
        fugue NOUN NN 2 obj
        über X FW 2 dep
        extraordinarily ADV RB 2 advmod
        C-4 PROPN NNP 2 dep
    """
    assert pool_of([sentence(table)]) == Pool(names=("Anna",), others=("Fugue", "Sings"))


def test_about_half_of_the_words_of_names_change_and_no_other():
    pool = Pool(names=("Carla",), others=("Green",))
    one = gold(NAMES)
    rnd = Random(1)
    many = [renamed(one, pool, rnd) for _ in range(1000)]
    assert {copy.words[2:4] + copy.words[5:] for copy in many} == {("sings", "J.", "iPod")}
    assert all(
        (copy.tags, copy.heads, copy.deps) == (one.tags, one.heads, one.deps) for copy in many
    )
    first = [copy.words[0] for copy in many]
    assert 400 < first.count("Anna") < 600
    assert 130 < first.count("Carla") < 270
    assert 130 < first.count("Green") < 270
    assert set(first) - {"Anna", "Carla", "Green"} <= set(IN_TITLES)


def test_the_same_seed_gives_the_same_names():
    pool = Pool(names=("Carla", "Dora"), others=("Green",))
    assert renamed(gold(NAMES), pool, Random(3)) == renamed(gold(NAMES), pool, Random(3))


def test_an_empty_pool_leaves_small_words():
    copies = [renamed(gold(NAMES), Pool((), ()), Random(seed)) for seed in range(20)]
    assert {copy.words[0] for copy in copies} <= {"Anna", *IN_TITLES}
