"""spaCy's small English pipeline, as the package on PyPI holds it."""

import pytest

from evaluation.claims.parsing import SMALL, load_parser
from tests.evaluation.claims.trees import CRASH, CUPS, PACKS, QUEENS, claims_of_sentence

LABELS = (
    "ROOT acl acomp advcl advmod agent amod appos attr aux auxpass case cc ccomp compound conj "
    "csubj csubjpass dative dep det dobj expl intj mark meta neg nmod npadvmod nsubj nsubjpass "
    "nummod oprd parataxis pcomp pobj poss preconj predet prep prt punct quantmod relcl xcomp"
)

CRASHED = "In the plane crash on Greys Anatomy , the characters who die are"
EXAMPLES: dict[str, list[tuple[str, tuple[int, ...]]]] = {
    CUPS: [("Cups can be made of glass or", (1,)), ("Cups can be made of plastic", (2, 3))],
    CRASH: [(f"{CRASHED} Dr Lexie Grey and", (1, 2)), (f"{CRASHED} Dr Mark Sloan", (3, 4, 5))],
    PACKS: [
        ("Some brands , such as Export As , come in packs of 25", (2,)),
        ("while standard packs typically contain 20 cigarettes", (4,)),
    ],
    QUEENS: [
        ("Queen Victoria became Queen of the United Kingdom on 20 June 1837", (3,)),
        ("while Queen Anne became Queen of England , Scotland , and Ireland on 8 March 1702", (1,)),
    ],
}


@pytest.fixture(scope="module")
def parser():
    return load_parser(SMALL)


def test_published_examples_are_divided_as_printed(parser):
    found = {
        sentence: [(claim.text, claim.citations) for claim in claims_of_sentence(sentence, parser)]
        for sentence in EXAMPLES
    }
    assert found == EXAMPLES


def test_its_files_are_those_that_were_checked(parser):
    assert parser.label == "en_core_web_sm 3.8.0"
    name, version, _, weights = parser.fingerprint.split("|")
    assert (name, version) == ("parser:en_core_web_sm", "version:3.8.0")
    assert weights == "weights:0a984bd3c4c792b847eb4430ad899554"


def test_labels_and_scores_are_those_that_spacy_publishes(parser):
    """See github.com/explosion/spacy-models, meta/en_core_web_sm-3.8.0.json."""
    meta = parser.nlp.meta
    assert meta["labels"]["parser"] == LABELS.split()
    assert meta["spacy_git_version"] == "5010fcbd3"
    scores = {name: meta["performance"][name] for name in ("dep_uas", "dep_las", "tag_acc")}
    published = {"dep_uas": 0.9176955214, "dep_las": 0.8991533598, "tag_acc": 0.972937262}
    assert scores == pytest.approx(published)
