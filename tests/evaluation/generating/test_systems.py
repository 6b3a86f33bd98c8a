"""Each system is a file with a test of the same name, and says where its paper describes it."""

from importlib import import_module
from pathlib import Path

import pytest

from evaluation.generating.spec import AFTERWARDS
from evaluation.generating.systems import SYSTEMS

HERE = Path(__file__).parent
EDITS = {"rerank": "rerank", "postcite": "postcite", "autoais": "passages"}
"""The files of what may follow."""


def said(module):
    """What a file says of itself, in one line."""
    return " ".join((module.__doc__ or "").split())


@pytest.mark.parametrize("key", SYSTEMS)
def test_a_system_is_one_file_and_one_test_and_names_the_section_of_its_paper(key):
    module = import_module(f"evaluation.generating.{key}")
    assert module.SPEC is SYSTEMS[key]
    assert SYSTEMS[key].talk.__module__ == module.__name__
    address = SYSTEMS[key].paper.rpartition(" ")[2]
    assert f"{address}, on " in said(module)
    assert HERE.joinpath(f"test_{key}.py").is_file()


@pytest.mark.parametrize("key", AFTERWARDS)
def test_so_is_what_may_follow(key):
    module = import_module(f"evaluation.postediting.{EDITS[key]}")
    assert "https://arxiv.org/abs/" in said(module)
    assert HERE.with_name("postediting").joinpath(f"test_{EDITS[key]}.py").is_file()
