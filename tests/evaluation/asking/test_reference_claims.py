"""A language model is asked about claims of references, whether or not a batch has made them."""

import pytest

from annotate.models import Judgment
from annotate.studies.lifecycle import create_study
from tests.annotate.loading import load, response
from tests.evaluation.runs.doing import finished

CLAIMS = ["It is 2,962 m high.", "It is in Bavaria."]


@pytest.fixture
def study(alice):
    made = create_study(name="Said", slug="said", preset="reference_claims", owner=alice)
    about = {"id": "q1", "text": "How high is it?", "references": {"claims": CLAIMS}}
    rows = [response(f"{name}: it is high [1].", system=name) for name in ("Amber", "Bronze")]
    load(made, [row | {"question": about} for row in rows])
    return made


def test_a_reference_is_judged_without_an_answer_in_sight(alice, serve):
    made = create_study(name="Held", slug="held", preset="reference_check", owner=alice)
    about = {
        "id": "q1",
        "text": "How high is it?",
        "references": {"claims": CLAIMS, "answer": "It is a peak of 2,962 m in Bavaria."},
    }
    rows = [response(f"{name}: it is high [1].", system=name) for name in ("Amber", "Bronze")]
    load(made, [row | {"question": about} for row in rows])
    load(made, [response("Nobody knows.", question_id="q2", question="Why?")])

    def answer(told, schema):
        assert "It is a peak of 2,962 m in Bavaria." in told
        assert "it is high" not in told
        whole = "all claims made of the reference" in told
        assert all(claim in told for claim in CLAIMS) is whole
        return {"value": "partial" if whole else "yes", "reason": "It says so."}

    server = serve(answer)
    run = finished(made, judge="model", connection="lab", by_operator=True)
    assert run.state == "done", run.error
    assert len(server.calls) == 3  # the same of both systems
    found = Judgment.objects.values_list("unit__response__system__name", "unit__key", "value")
    assert sorted(found) == [
        (name, *said)
        for name in ("Amber", "Bronze")
        for said in (("k1", "yes"), ("k2", "yes"), ("r", "partial"))
    ]
