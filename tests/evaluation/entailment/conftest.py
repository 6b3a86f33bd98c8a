"""Tiny models, made once for all tests."""

import pytest

from tests.evaluation.entailment import tiny_models


@pytest.fixture(scope="session")
def bert(tmp_path_factory):
    return tiny_models.bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="session")
def t5(tmp_path_factory):
    return tiny_models.t5(tmp_path_factory.mktemp("t5"))
