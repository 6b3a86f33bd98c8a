"""Relevance in TREC's form and BEIR's."""

import pytest

from annotate.formats.limits import Limits
from annotate.formats.problems import Unreadable
from annotate.formats.qrels import read_qrels, relevant
from tests.cases import each


def read(tmp_path, text):
    path = tmp_path / "qrels.txt"
    path.write_text(text)
    return read_qrels(path, Limits())


def test_qrels_of_trec_and_beir_are_read(tmp_path):
    trec = read(tmp_path, "q1 0 a 2\nq1 0 b 0\n\nq2\tQ0\tc\t-1\n")
    assert trec == {"q1": {"a": 2, "b": 0}, "q2": {"c": -1}}
    assert read(tmp_path, "query-id\tcorpus-id\tscore\nq1\ta\t1\n") == {"q1": {"a": 1}}
    assert relevant(trec, "q1") == {"a"}
    assert relevant(trec, "q2") == relevant(trec, "q3") == set()


@each(
    ("text", "said"),
    [
        ("q1 0 a\tx\n", "line 1: expected a question, a passage and a whole number"),
        ("q1 0 a 1\nq1 a\n", "line 2: expected a question"),
        ("q1 0 a 1\nq1 0 a 1\n", "line 2: expected each passage of a question once"),
    ],
)
def test_problems_have_a_line(tmp_path, text, said):
    with pytest.raises(Unreadable) as refused:
        read(tmp_path, text)
    assert str(refused.value.problem).startswith(said)
