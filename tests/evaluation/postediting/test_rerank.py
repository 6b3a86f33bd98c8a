"""Which of several samples is kept."""

import pytest

from evaluation.generating.postediting.rerank import ByProbability, ByRecall, SampleError
from evaluation.judges.alce import Alce
from tests.evaluation.judges.items import containment
from tests.evaluation.postediting.records import record

UNCITED = "The Zugspitze is the highest peak."
HALF = "The Zugspitze is the highest peak [1]. Air scatters light [1]."
WHOLE = "The Zugspitze is the highest peak [1]. Air scatters light [2]."


def by_recall(**options):
    return ByRecall(Alce(containment(), **options))


def sampled(*samples, output=UNCITED, **more):
    return record(output, metadata={"samples": list(samples), "seed": 1}, **more)


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
