import sys
from importlib.metadata import version

import pytest

from annotate.text import (
    DEFAULT_SPLITTER,
    SPLITTERS,
    SplitterError,
    available_splitters,
    segment,
    splitter_signature,
)
from annotate.text import splitters as splitters_module


@pytest.fixture
def fresh_punkt():
    splitters_module._punkt.cache_clear()
    yield
    splitters_module._punkt.cache_clear()


def test_full_stop_followed_by_white_space():
    assert SPLITTERS["full-stop"]("Dr. A. b. 3.5!  C.") == [0, 4, 7, 10]
    assert SPLITTERS["full-stop"]("A.  B. ") == [0, 4]
    assert SPLITTERS["full-stop"]("") == []


def test_signatures():
    assert DEFAULT_SPLITTER == "rules"
    assert splitter_signature("rules") == "rules:1"
    assert splitter_signature("full-stop") == "full-stop:1"
    assert splitter_signature("punkt") == f"punkt:{version('nltk')}"


def test_an_unknown_splitter_is_named_with_those_there_are():
    with pytest.raises(SplitterError, match=r"'nice'.*rules, full-stop, punkt"):
        segment("It rains.", passages=1, splitter="nice")
    with pytest.raises(SplitterError):
        splitter_signature("nice")


def test_punkt_without_its_data_says_what_to_do(fresh_punkt, monkeypatch):
    monkeypatch.setattr("nltk.data.path", [])
    assert available_splitters() == ("rules", "full-stop")
    with pytest.raises(SplitterError, match=r"nltk\.downloader punkt_tab"):
        segment("It rains.", passages=1, splitter="punkt")


def test_punkt_without_nltk_says_what_to_do(fresh_punkt, monkeypatch):
    monkeypatch.setitem(sys.modules, "nltk.tokenize.punkt", None)
    with pytest.raises(SplitterError, match="pip install nltk"):
        SPLITTERS["punkt"]("It rains.")


def test_punkt_with_data(fresh_punkt, monkeypatch, tmp_path):
    from nltk.tokenize.punkt import PunktParameters, save_punkt_params

    parameters = PunktParameters()
    parameters.abbrev_types.add("blk")
    folder = tmp_path / "tokenizers" / "punkt_tab" / "english"
    folder.mkdir(parents=True)
    monkeypatch.setattr("nltk.data.path", [str(tmp_path)])
    save_punkt_params(parameters, dir=str(folder))
    assert available_splitters() == ("rules", "full-stop", "punkt")
    made = segment("See blk. 7 now [1]. It rains. [2]", passages=2, splitter="punkt")
    assert [s.text for s in made.statements] == ["See blk. 7 now.", "It rains."]
    assert f"splitter:punkt:{version('nltk')}" in made.signature
