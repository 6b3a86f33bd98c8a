"""The files of a treebank."""

import pytest

from training.parser.conllu import TreebankError
from training.parser.treebank import KNOWN, read_portion, sources_of

STOP = "1\tStop\tstop\tVERB\tVB\t_\t0\troot\t_\t_\n\n"


def test_all_files_of_a_portion_in_order(tmp_path):
    (tmp_path / "en_b-ud-train.conllu").write_text(STOP * 2, encoding="utf-8")
    (tmp_path / "en_a-ud-train.conllu").write_text(STOP.replace("Stop", "Go"), encoding="utf-8")
    (tmp_path / "dev.conllu").write_text(STOP, encoding="utf-8")
    train = read_portion(tmp_path, "train")
    assert [name for name, _ in train.files] == ["en_a-ud-train.conllu", "en_b-ud-train.conllu"]
    assert [one.words[0].form for one in train.sentences] == ["Go", "Stop", "Stop"]
    assert train.words == 3
    assert len(read_portion(tmp_path, "train", limit=2).sentences) == 2


def test_a_portion_that_is_not_there(tmp_path):
    with pytest.raises(TreebankError, match=r"Expected .* found none that ends in train\.conllu"):
        read_portion(tmp_path, "train")


def test_sources_are_known_by_the_files_hash():
    (digest,) = KNOWN
    named = sources_of([("train.conllu.gz", digest)])
    assert [source.licence for source in named][:2] == ["CC BY-SA 4.0", "CC BY 4.0"]
    assert sources_of([("train.conllu.gz", digest), ("mine.conllu", "0" * 64)]) == ()
