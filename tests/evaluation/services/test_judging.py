"""Automatic judges over a study: what is written, once, and what is said where nothing can be."""

from collections.abc import Sequence

import pytest

from annotate.models import Judge, Judgment, Response, Unit
from annotate.protocol.steps import order_steps
from annotate.web.errors import Refused
from evaluation.claims import Parse
from evaluation.judges import load_judge
from evaluation.judges.entailment import Asker, load_scorer
from evaluation.models import Entailment, Measure
from evaluation.runs.judge_making import DatabaseCache
from evaluation.runs.parsed_claims import make_claims
from tests.annotate.loading import load, response
from tests.beginnings import beginning
from tests.evaluation.judged import judge_study

pytestmark = pytest.mark.django_db

# By containment, the first statement is in the first passage alone, the second in none, the third
# in both: `metres` stands nowhere, `Zugspitze` in both.
OUTPUT = (
    "The Zugspitze is the highest peak of Germany [1]. It is 2,962 metres [1]. Zugspitze [1][2]."
)


class Flat:
    """Every word hangs on the first one of its sentence."""

    fingerprint = "parser:flat"

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        return [self._parse(text.split(" ")) for text in texts]

    def _parse(self, words: list[str]) -> Parse:
        starts = [sum(len(word) + 1 for word in words[:n]) for n in range(len(words))]
        deps = ("ROOT", *["dep"] * (len(words) - 1))
        return Parse(tuple(words), tuple(starts), (0,) * len(words), deps)


def containment(**options) -> Asker:
    return Asker(load_scorer("containment"), **options)


@beginning
def loaded(study):
    load(study, [response(OUTPUT)])
    return study


def said(judge):
    rows = Judgment.objects.filter(judge=judge).select_related("unit")
    return {row.unit.key: row.value or row.skipped_reason for row in rows}


def test_alce_answers_about_statements_and_citations(loaded):
    outcome = judge_study(loaded, load_judge("alce", asker=containment()))
    assert outcome.judge is not None
    assert outcome.judge.kind == Judge.Kind.AUTOMATIC
    assert outcome.judge.name.startswith("alce|containment:")
    assert said(outcome.judge) == {
        "s1": "yes",
        "s1.c1": "needed",
        "s2": "no",
        "s2.c1": "not_needed",
        "s3": "yes",
        "s3.c1": "needed",
        "s3.c2": "needed",
    }
    assert (outcome.responses, outcome.new) == (1, 7)


def test_nothing_is_asked_twice(loaded):
    asker = containment(cache=DatabaseCache())
    judge_study(loaded, load_judge("alce", asker=asker))
    computed = sum(count.computed for count in asker.counts.values())
    assert computed == Entailment.objects.count() > 3
    again = containment(cache=DatabaseCache())
    judge_study(loaded, load_judge("alce", asker=again))
    assert sum(count.computed for count in again.counts.values()) == 0


def test_measures_stand_beside_the_response_with_reasons(study):
    references = {"qa_pairs": [{"question": "How high?", "short_answers": ["2,962", "2962 m"]}]}
    line = response(OUTPUT)
    line["question"]["references"] = references
    load(study, [line, response("Blue.", question="Why?", question_id="q2", passages=())])
    outcome = judge_study(study, load_judge("correctness", asker=containment()))
    first, second = Response.objects.order_by("pk")
    assert Measure.objects.get(response=first, name="em_recall").value == 1
    missing = Measure.objects.get(response=second, name="em_recall")
    assert (missing.value, missing.reason) == (None, "no reference: no question-answer pairs")
    assert outcome.not_judged["no reference: no question-answer pairs"] > 0
    before = Measure.objects.count()
    judge_study(study, load_judge("correctness", asker=containment()))
    assert Measure.objects.count() == before


def test_a_system_that_used_the_metric_is_left_out(peaks):
    peaks.systems.filter(name="Vermilion").update(uses_autoais=True)
    outcome = judge_study(peaks, load_judge("alce", asker=containment()))
    judgments = Judgment.objects.filter(judge=outcome.judge)
    judged = {j.unit.response.system.name for j in judgments}
    assert judged == {"Quokka-9B"}


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


def test_aliice_answers_about_the_stored_claims(loaded):
    make_claims(loaded, Flat())
    outcome = judge_study(loaded, load_judge("aliice", asker=containment(), parser=Flat()))
    values = said(outcome.judge)
    assert values["s1.a1"] == "yes"
    assert values["s2.a1"] == "no"
    assert set(values) == set(
        Unit.objects.filter(kind__in=["claim", "claim_citation"]).values_list("key", flat=True)
    )
    assert Measure.objects.get(judge=outcome.judge).name == "cvcp"


def test_claims_of_another_parser_are_not_judged(loaded):
    make_claims(loaded, Flat())
    other = Flat()
    other.fingerprint = "parser:other"
    with pytest.raises(Refused, match="parser:flat"):
        judge_study(loaded, load_judge("aliice", asker=containment(), parser=other))
    with pytest.raises(Refused, match="Whole sentences"):
        judge_study(loaded, load_judge("aliice", asker=containment(), level="sentences"))
    assert not Judge.objects.filter(kind="automatic").exists()


def test_a_response_that_was_divided_otherwise_leaves_no_judge(loaded):
    Unit.objects.filter(key="s3.c2").delete()
    with pytest.raises(Refused, match=r"no unit s3\.c2: it was divided by another version"):
        judge_study(loaded, load_judge("alce", asker=containment()))
    assert not Judge.objects.filter(kind="automatic").exists()


def test_a_number_that_is_no_probability_is_refused(loaded, monkeypatch):
    asker = containment()
    monkeypatch.setattr(asker.scorer, "probabilities", lambda pairs: [float("nan")] * len(pairs))
    with pytest.raises(ValueError, match="no probability"):
        judge_study(loaded, load_judge("alce", asker=asker))
    assert not Judge.objects.filter(kind="automatic").exists()
