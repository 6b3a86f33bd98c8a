"""A corpus of many segments is joined and searched, though few files may be open at a time."""

import resource
from pathlib import Path

import pytest

from annotate.text.corpus import CorpusBuilder, CorpusIndex, CorpusPassage

SEGMENTS, SPARE = 200, 40


@pytest.fixture
def few_files():
    """What may be open beside what is, as long as nobody asks for more."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    now = len([*Path("/proc/self/fd").iterdir()]) + SPARE
    resource.setrlimit(resource.RLIMIT_NOFILE, (now, before[1]))
    yield now
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_corpus_of_more_segments_than_files_may_be_open(tmp_path, few_files):
    passages = [CorpusPassage(f"k{n}", f"fox number{n}") for n in range(SEGMENTS)]
    CorpusBuilder(tmp_path / "corpus", most_tokens=1).build(passages)
    assert len(list((tmp_path / "corpus").glob("segment-*"))) == SEGMENTS
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == few_files, "joining asks for no more"
    index = CorpusIndex(tmp_path / "corpus", "test")
    (found,) = index.search([f"number{SEGMENTS - 1}"], 1)
    assert [one.key for one in found] == [f"k{SEGMENTS - 1}"]
