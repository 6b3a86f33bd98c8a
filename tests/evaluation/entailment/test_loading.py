"""Scorers by name, and what is said where one cannot be had."""

import subprocess
import sys

import pytest

from evaluation.entailment import SCORERS, ScorerError, load_scorer, options_of


@pytest.mark.parametrize("name", SCORERS)
def test_every_name_leads_to_a_scorer(name):
    assert isinstance(options_of(name), dict)


def test_an_unknown_name_lists_those_there_are():
    with pytest.raises(ScorerError, match="“magic”; expected one of containment, coverage"):
        load_scorer("magic")


def test_an_unknown_option_lists_those_there_are():
    with pytest.raises(ScorerError, match="has no option “speed”; it has model, revision"):
        load_scorer("classifier", model="x", speed=9)


def test_a_needed_option_is_asked_for():
    with pytest.raises(ScorerError, match="“seq2seq” needs the option “model”"):
        load_scorer("seq2seq")


@pytest.mark.parametrize("name", ["classifier", "seq2seq"])
def test_a_folder_that_is_not_there(name, tmp_path):
    with pytest.raises(ScorerError, match="There is no folder"):
        load_scorer(name, model=str(tmp_path / "nowhere"))


def test_a_folder_without_a_model(tmp_path):
    with pytest.raises(ScorerError, match=r"needs config\.json"):
        load_scorer("classifier", model=str(tmp_path))


def test_a_hub_model_without_network(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.is_offline_mode", lambda: True)
    with pytest.raises(ScorerError, match="hf download nobody/no-such-model"):
        load_scorer("classifier", model="nobody/no-such-model")


def test_no_model_library_is_imported_before_a_model_is_asked_for():
    code = (
        "import sys; from evaluation.entailment import Asker, load_scorer;"
        "Asker(load_scorer('coverage')).decide([('a b', 'a')]);"
        "print({'torch', 'transformers', 'django', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
