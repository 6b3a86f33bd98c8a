"""Trees from spaCy, with pipelines made on the fly."""

from importlib.metadata import version

import pytest
import spacy

from evaluation.claims import claims_of_sentences
from evaluation.claims.parsing import ParserError, SpacyParser, load_parser, parser_in
from tests.evaluation.claims.pipelines import by_hand, trained
from tests.evaluation.claims.trees import CRASH, CUPS, PACKS, QUEENS, ByHand


@pytest.fixture(scope="module")
def small():
    return trained()


def test_claims_through_spacy_are_those_of_the_trees():
    sentences = [CUPS, CRASH, PACKS, QUEENS]
    expected = claims_of_sentences(sentences, ByHand())
    assert claims_of_sentences(sentences, SpacyParser(by_hand())) == expected


def test_a_pipeline_without_trees_is_refused():
    with pytest.raises(ParserError, match="gives no dependency trees"):
        SpacyParser(spacy.blank("en")).parse(["Anna sleeps"])


def test_a_pipeline_with_other_labels_is_refused():
    with pytest.raises(ParserError, match=r"Expected .*“prep”.* has others \(.*obl.*\)"):
        SpacyParser(trained(rounds=0, prep="obl"))


def test_the_fingerprint_names_pipeline_version_spacy_and_weights(tmp_path, small):
    small.meta["name"], small.meta["version"] = "small", "1.2"
    small.to_disk(tmp_path / "one")
    small.to_disk(tmp_path / "same")
    first = load_parser(str(tmp_path / "one")).fingerprint
    assert first.startswith(f"parser:en_small|version:1.2|spacy:{version('spacy')}|weights:")
    assert load_parser(str(tmp_path / "same")).fingerprint == first
    small.get_pipe("parser").model.get_ref("lower").set_param(
        "b", small.get_pipe("parser").model.get_ref("lower").get_param("b") + 1
    )
    small.to_disk(tmp_path / "other")
    other = load_parser(str(tmp_path / "other")).fingerprint
    assert other.split("|")[:3] == first.split("|")[:3]
    assert other != first


def test_the_fingerprint_of_a_pipeline_without_files_changes_with_its_weights():
    nlp = trained(rounds=0)
    first = SpacyParser(nlp).fingerprint
    assert SpacyParser(nlp).fingerprint == first
    model = nlp.get_pipe("parser").model.get_ref("lower")
    model.set_param("b", model.get_param("b") + 1)
    assert SpacyParser(nlp).fingerprint != first


def test_a_signature_says_which_parser_to_load(subtests):
    for signature, name in [
        ("claims:1|cleaning:1|parser:en_core_web_md|version:3.8.0|spacy:3.8", "en_core_web_md"),
        ("claims:1", ""),
    ]:
        with subtests.test(signature=signature, name=name):
            assert parser_in(signature) == name
