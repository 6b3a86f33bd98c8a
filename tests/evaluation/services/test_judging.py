"""Automatic judges over a study: what is written, once, and what is said where nothing can be."""

from collections.abc import Sequence

import pytest

from annotate.models import Judge, Response, Unit
from annotate.protocol.steps import order_steps
from evaluation.claims import Parse
from evaluation.models import Measure
from evaluation.runs.overview import run_state
from evaluation.runs.parsed_claims import make_claims
from tests.annotate.loading import load, response
from tests.evaluation.runs.conftest import OUTPUT, loaded
from tests.evaluation.runs.doing import finished

__all__ = ["loaded"]

pytestmark = pytest.mark.django_db


class Flat:
    """Every word hangs on the first one of its sentence."""

    fingerprint = "parser:flat"

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        return [self._parse(text.split(" ")) for text in texts]

    def _parse(self, words: list[str]) -> Parse:
        starts = [sum(len(word) + 1 for word in words[:n]) for n in range(len(words))]
        deps = ("ROOT", *["dep"] * (len(words) - 1))
        return Parse(tuple(words), tuple(starts), (0,) * len(words), deps)


def test_measures_stand_beside_the_response_with_reasons(study):
    references = {"qa_pairs": [{"question": "How high?", "short_answers": ["2,962", "2962 m"]}]}
    line = response(OUTPUT)
    line["question"]["references"] = references
    load(study, [line, response("Blue.", question="Why?", question_id="q2", passages=())])
    run = finished(study, "correctness")
    first, second = Response.objects.order_by("pk")
    assert Measure.objects.get(response=first, name="em_recall").value == 1
    missing = Measure.objects.get(response=second, name="em_recall")
    assert (missing.value, missing.reason) == (None, "no reference: no question-answer pairs")
    assert dict(run_state(run).not_judged)["no reference: no question-answer pairs"] > 0
    before = Measure.objects.count()
    finished(study, "correctness", missing_only=False)
    assert Measure.objects.count() == before


def test_claims_become_units_that_people_are_asked_about(loaded):
    made = make_claims(loaded, Flat())
    assert (made.responses, made.claims, made.present) == (1, 3, 0)
    claim = Unit.objects.get(key="s1.a1", parent__key="s1")
    assert claim.kind == "claim"
    assert claim.text.startswith("The Zugspitze is the highest peak")
    citations = Unit.objects.filter(kind="claim_citation").order_by("pk")
    assert list(citations.values_list("key", "number", "source__n")) == [
        ("s1.a1.c1", 1, 1),
        ("s2.a1.c1", 1, 1),
        ("s3.a1.c1", 1, 1),
        ("s3.a1.c2", 2, 2),
    ]
    found = Response.objects.get()
    from annotate.protocol.shipped import SHIPPED

    steps = order_steps(
        list(found.units.order_by("pk")),
        list(found.sources.select_related("passage")),
        [SHIPPED["citation_recall"], SHIPPED["claim_recall"], SHIPPED["claim_support"]],
        cap=3,
    )
    assert [s.unit.key for s in steps][:3] == ["s1", "s1.a1", "s1.a1.c1"]


def test_a_response_that_was_divided_otherwise_leaves_no_judge(loaded):
    Unit.objects.filter(key="s3.c2").delete()
    run = finished(loaded, "alce")
    assert "no unit s3.c2: it was divided by another version" in run.error
    assert not Judge.objects.filter(kind="automatic").exists()
