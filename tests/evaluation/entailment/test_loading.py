"""Scorers by name, and what is said where one cannot be had."""

import subprocess
import sys
from typing import Any

import pytest

from evaluation.judges.entailment import (
    SCORERS,
    ScorerError,
    load_scorer,
    option_from_text,
    options_of,
)


@pytest.mark.parametrize("name", SCORERS)
def test_every_name_leads_to_a_scorer(name):
    assert isinstance(options_of(name), dict)


def test_an_unknown_name_lists_those_there_are():
    with pytest.raises(ScorerError, match="“magic”; expected one of containment, coverage"):
        load_scorer("magic")


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("classifier", {"window": "abc"}, "a whole number from 0 to 16,384, found the text"),
        ("classifier", {"window": -1}, "from 0 to 16,384, found the number -1"),
        ("classifier", {"window": 1.5}, "a whole number from 0 to 16,384, found the number 1.5"),
        ("classifier", {"batch_tokens": 2_000_000}, "to 1,048,576, found the number 2000000"),
        ("classifier", {"threads": -2}, "from 0 to 1,024, found the number -2"),
        ("classifier", {"threshold": 2}, "a number from 0 to 1, found the number 2"),
        ("classifier", {"eight_bit": 3}, "true or false, found the number 3"),
        ("classifier", {"label": []}, "a text or a whole number, found a list of 0"),
        ("classifier", {"long": "fold"}, "window or truncate, found the text"),
        ("seq2seq", {"label": 1}, "a text, found the number 1"),
        ("seq2seq", {"threshold": float("nan")}, "a number from 0 to 1, found the number nan"),
        ("http", {"timeout": 0}, "found the number 0"),
        ("http", {"timeout": float("inf")}, "found the number inf"),
        ("http", {"tries": 0}, "from 1 to 20, found the number 0"),
        ("http", {"parallel": -1}, "from 1 to 32, found the number -1"),
        ("http", {"per_minute": -1}, "from 0 on, found the number -1"),
    ],
)
def test_a_value_that_an_option_cannot_have(name, options, said):
    (option,) = options
    given: dict[str, Any] = {"model": "x", **options}
    if name == "http":
        given["url"] = "http://host/"
    with pytest.raises(ScorerError, match=f"“{option}” of the scorer “{name}”: expected .*{said}"):
        load_scorer(name, **given)


@pytest.mark.parametrize(
    ("name", "option", "text", "value"),
    [
        ("classifier", "window", "40", 40),
        ("classifier", "window", "abc", "abc"),
        ("classifier", "label", "1", 1),
        ("seq2seq", "label", "1", "1"),
        ("seq2seq", "eight_bit", "true", True),
        ("http", "revision", "2024", "2024"),
        ("http", "no such option", "5", "5"),
    ],
)
def test_options_written_as_text(name, option, text, value):
    found = option_from_text(name, option, text)
    assert (found, type(found)) == (value, type(value))


def test_a_folder_without_a_model(tmp_path):
    with pytest.raises(ScorerError, match=r"needs config\.json"):
        load_scorer("classifier", model=str(tmp_path))


def test_a_hub_model_without_network(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.is_offline_mode", lambda: True)
    with pytest.raises(ScorerError, match="hf download nobody/no-such-model"):
        load_scorer("classifier", model="nobody/no-such-model")


def test_libraries_of_models_are_imported_when_a_model_is_asked_for():
    code = (
        "import sys, evaluation.claims, evaluation.claims.parsing, evaluation.claims.cvcp\n"
        "import evaluation.claims.drawing, evaluation.claims.quality\n"
        "from evaluation.judges.entailment import Asker, load_scorer\n"
        "Asker(load_scorer('coverage')).decide([('a b', 'a')])\n"
        "models = {'spacy', 'thinc', 'torch', 'transformers', 'django', 'sklearn'}\n"
        "print(models & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
