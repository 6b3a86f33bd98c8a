"""Names, numbers and negations, read off the words."""

from evaluation.entailment.mismatches import abbreviations, denied, names, numbers
from evaluation.entailment.words import WORD


def words(text):
    return WORD.findall(text)


def test_numbers(subtests):
    for text, expected in [
        ("It was climbed in 1925 by six people, the third party.", {"1925", "6", "3"}),
        ("One of them had 1,000 tents.", {"1000"}),  # “one” is a pronoun more often
        ("No number.", set()),
    ]:
        with subtests.test(text=text, expected=expected):
            assert numbers(words(text)) == expected


def test_names(subtests):
    for text, expected in [
        ("It was Logan that Lambart climbed.", ["Logan", "Lambart"]),
        ("Logan was climbed.", ["Logan"]),
        ("Mount Logan is high.", ["Mount", "Logan"]),
        ("Spain won.", ["Spain"]),
        ("Canada claimed it.", ["Canada"]),
        ("Later that year it snowed.", []),
        ("Extreme cold is frequent.", []),
        ("In May it may rain.", ["May"]),
        ("May it rain.", []),
        ("He never said No to The Two.", []),
        ("It lies in the U.S. state.", []),
    ]:
        with subtests.test(text=text, expected=expected):
            assert list(names(words(text)).values()) == expected


def test_abbreviations():
    assert set(abbreviations(words("The United Kingdom is old."))) == {"uk"}
    assert set(abbreviations(words("Republic of Korea"))) == {"rk"}
    assert set(abbreviations(words("the World Health Organization"))) == {"wh", "who", "ho"}
    assert max(map(len, abbreviations(words("A " * 50)))) == 6


def test_what_is_denied(subtests):
    for text, expected in [
        ("It was not built here.", {"built"}),
        ("It wasn't climbed.", {"climb"}),
        ("It isn’t high.", {"high"}),
        ("Nobody climbed it.", {"climb"}),
        ("It was never officially climbed.", {"official", "climb"}),
        ("It no longer stands.", {"stand"}),
        ("Neither rain nor snow.", {"rain", "snow"}),
        ("It did not fail.", set()),  # twice denied
        ("Not only rain fell.", set()),
        ("It is No. 5.", set()),
        ("Was it? It was not.", set()),
    ]:
        with subtests.test(text=text, expected=expected):
            assert denied(words(text)) == expected
