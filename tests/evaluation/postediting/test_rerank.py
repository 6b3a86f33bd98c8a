"""Which of several samples is kept."""

import pytest

from annotate.segment import Span
from evaluation.judges.alce import Alce
from evaluation.postediting.rerank import (
    ANOTHER,
    NO_SAMPLES,
    SAME,
    ByProbability,
    ByRecall,
    SampleError,
)
from tests.evaluation.judges.items import containment
from tests.evaluation.postediting.records import PEAK, SKY, record

UNCITED = "The Zugspitze is the highest peak."
HALF = "The Zugspitze is the highest peak [1]. Air scatters light [1]."
WHOLE = "The Zugspitze is the highest peak [1]. Air scatters light [2]."


def by_recall(**options):
    return ByRecall(Alce(containment(), **options))


def sampled(*samples, output=UNCITED, **more):
    return record(output, metadata={"samples": list(samples), "seed": 1}, **more)


def test_the_best_cited_sample_becomes_the_output():
    (made,) = by_recall().edit([sampled(UNCITED, HALF, WHOLE)])
    assert made.record.output == WHOLE
    assert made.record.metadata == {"seed": 1, "kept_sample": 3}
    assert made.outcome == ANOTHER


def test_of_equal_samples_the_first_is_kept():
    twin = "Air scatters light [2]."
    (made,) = by_recall().edit([sampled(HALF, WHOLE, twin)])
    assert made.record.output == WHOLE


def test_citations_by_spans_are_of_the_output_that_they_came_with():
    spans = (Span(0, len(UNCITED), (1,)),)
    (kept,) = by_recall().edit([sampled(UNCITED, citations=spans)])
    assert kept.record.citations == spans
    (made,) = by_recall().edit([sampled(WHOLE, citations=spans)])
    assert made.record.citations == ()


def test_an_empty_sample_is_worse_than_an_unsupported_one():
    (made,) = by_recall().edit([sampled("", UNCITED)])
    assert made.record.output == UNCITED
    assert made.outcome == SAME


def test_responses_are_judged_apart_with_their_own_passages():
    first, second = by_recall().edit(
        [sampled(HALF, WHOLE), sampled(WHOLE, HALF, passages=(f"{PEAK} {SKY}", "Nothing."))]
    )
    assert first.record.output == WHOLE
    assert second.record.output == HALF


def test_what_has_no_samples_stays():
    alone = record(HALF)
    assert by_recall().edit([alone])[0].record is alone
    assert ByProbability().edit([alone])[0].outcome == NO_SAMPLES


def test_the_most_probable_sample():
    (made,) = ByProbability().edit(
        [sampled({"output": HALF, "probability": 0.2}, {"output": WHOLE, "probability": 0.7})]
    )
    assert made.record.output == WHOLE
    (made,) = ByProbability().edit(
        [sampled({"output": HALF, "probability": -3.5}, {"output": WHOLE, "probability": -40})]
    )
    assert made.record.output == HALF


def test_samples_that_cannot_be_compared_are_named(subtests):
    for samples, message in [
        ("one text", "expected a list of samples"),
        ([HALF, 3], "sample 2: expected an output"),
        ([{"text": HALF}], "sample 1: expected an output"),
        ([{"output": HALF, "probability": "high"}], "sample 1: expected a number"),
        ([{"output": HALF, "probability": 1.0}, WHOLE], "sample 2: it has no probability"),
    ]:
        with (
            subtests.test(samples=samples, message=message),
            pytest.raises(SampleError, match=f"“q1”.*{message}"),
        ):
            ByProbability().edit([record(HALF, metadata={"samples": samples})])


def test_the_signature_names_judge_and_division():
    assert by_recall().signature == (
        "rerank|by:citation_recall|repaired|rules:1|v:1|"
        "alce|containment:1|thr:0.5|cap:3|variant:released|v:1"
    )
    assert by_recall(variant="paper").signature != by_recall().signature
