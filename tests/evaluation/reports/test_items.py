"""Items: the questions as people are asked them, and what is derived of the answers."""

from annotate.protocol.shipped import SHIPPED
from evaluation.reports.items import items_of

ITEMS = items_of(SHIPPED)


def test_every_dimension_is_an_item_with_its_own_words():
    for key, dimension in SHIPPED.items():
        if not dimension.is_choice:
            continue
        item = ITEMS[key]
        assert (item.title, item.question) == (dimension.title, dimension.question)
        assert item.unit_kind == dimension.unit_kind
        assert item.values == dimension.low_to_high
        assert [item.label(value) for value in item.values] == [
            dimension.label(value) for value in item.values
        ]
        assert not item.is_derived


def test_what_is_derived():
    derived = {key: item for key, item in ITEMS.items() if item.is_derived and "." not in key}
    assert {key: item.derived_from for key, item in derived.items()} == {
        "citation_precision": ("citation_recall", "citation_support"),
        "citation_precision_e": ("citation_recall", "citation_support"),
        "claim_precision": ("claim_recall", "claim_support"),
        "not_contradicted": ("stance",),
        "well_sourced": ("stance", "source_reliability"),
        "claim_sound": ("claim_faithful", "claim_complete"),
        "error_penalty": ("error_spans",),
        "trec_precision": ("trec_support",),
        "trec_recall": ("trec_support",),
    }
    for key, item in derived.items():
        assert item.is_yes_no != bool(item.weights)
        assert item.unit_kind == SHIPPED.derived[key].unit_kind


def test_what_a_label_counts():
    weighted, share = ITEMS["trec_recall"], ITEMS["trec_support"]
    assert [weighted.worth(value) for value in weighted.values] == [0, 0.5, 1]
    assert [share.worth(value) for value in share.values] == [0, 1, 1]


def test_what_a_judge_is_to_detect(subtests):
    for key, name in [
        ("citation_recall", "insufficient citation"),
        ("citation_precision", "irrelevant citation"),
        ("attributable", "not attributable answer"),
        ("claim_recall", "unsupported claim"),
        ("claim_precision", "irrelevant citation of a claim"),
    ]:
        with subtests.test(key=key, name=name):
            assert (ITEMS[key].negative, ITEMS[key].negative_name) == ("no", name)


def test_levels_of_support_are_compared_with_metrics_only_as_precision():
    assert {key for key, item in ITEMS.items() if item.of_metrics and "." not in key} == {
        "attributable", "citation_recall", "citation_precision", "claim_recall", "claim_precision",
        "quote", "trec_support", "stance", "source_reliability", "not_contradicted", "well_sourced",
        "claim_faithful", "claim_complete", "claim_sound",
    }  # fmt: skip


def test_positive_and_negative_values_are_values():
    for item in ITEMS.values():
        assert item.positive <= {*item.values}
        assert item.positive != {*item.values}
        assert item.negative is None or item.negative in {*item.values} - item.positive
