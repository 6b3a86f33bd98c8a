"""ALCE on hand-worked cases, in both variants. Entailed: all words are in the passages."""

import pytest

from evaluation.judges import summarise
from evaluation.judges.alce import Alce
from tests.evaluation.judges.items import containment, item

PASSAGES = ["Rain falls in spring.", "Snow falls in winter.", "Fog."]


def figures(*outputs, variant="released", **options):
    items = [item(output, PASSAGES, key=str(n)) for n, output in enumerate(outputs)]
    verdicts = Alce(containment(), variant=variant, **options).judge(items)
    found = summarise("alce", items, verdicts, variant=variant)
    each = [
        (one["citation_recall"].value, one["citation_precision"].value) for one in found.per_item
    ]
    return each, tuple(found.aggregate[key].value for key in found.aggregate)


def test_shares_of_statements_and_of_citations():
    """One of two statements; of three citations [1] and [2] are needed, [3] is not."""
    each, _ = figures("Rain and snow falls [1][2]. Rain falls [3].")
    assert each == [(0.0, 0.0)]
    each, _ = figures("Rain falls. Snow falls in winter [2][3]. Rain falls [1].")
    assert each == [(pytest.approx(2 / 3), pytest.approx(2 / 3))]


def test_a_system_is_the_mean_of_its_responses():
    each, whole = figures("Rain falls [1].", "Rain falls [2].", "Fog [3]. Hail [3].")
    assert each == [(1.0, 1.0), (0.0, 0.0), (0.5, 0.5)]
    assert whole == (0.5, 0.5)


def test_citations_of_a_statement_that_is_out_of_range():
    """Released: 1 of 1 citations. Paper: 1 of 3."""
    output = "Rain falls [1]. Snow falls [2][9]."
    assert figures(output)[0] == [(0.5, 1.0)]
    assert figures(output, variant="paper")[0] == [(0.5, pytest.approx(1 / 3))]


def test_why_a_number_is_missing():
    items = [item("", PASSAGES)]
    verdicts = Alce(containment()).judge(items)
    found = summarise("alce", items, verdicts, variant="released")
    assert verdicts == []
    assert {figure.reason for figure in found.aggregate.values()} == {"empty output"}


def test_citations_beyond_the_cap_do_not_count():
    """With the first three: 3 of 3. With all: 3 of 4, for the fourth does not help."""
    output = "Rain falls [1][1][1][3]."
    assert figures(output)[0] == [(1.0, 1.0)]
    assert figures(output, cap=None)[0] == [(1.0, 0.75)]


def test_a_list_asks_about_each_entity_with_its_question():
    one = item("Rain [1], Snow [1].", ["What falls: rain."], question="What falls", is_list=True)
    verdicts = Alce(containment()).judge([one])
    assert [(v.unit, v.value) for v in verdicts if "c" not in v.unit] == [
        ("s1", "yes"),
        ("s2", "no"),
    ]


def test_a_cap_below_one_is_refused():
    with pytest.raises(ValueError, match="expected 1 or more"):
        Alce(containment(), cap=0)
