"""Files of the field in a study: topics that are known by their ids, and sources without a text."""

import json

from annotate.models import Judgment, Question, Response, Source
from tests.uploads.files import lines
from tests.uploads.steps import State, check, loaded, problems

RUN = {
    "run_id": "ours",
    "topic_id": "t1",
    "references": ["d1", "d2"],
    "answer": [
        {"text": "It is high.", "citations": [0]},
        {"text": "It is cold.", "citations": [1]},
    ],
}


def run(**changes):
    return json.dumps({**RUN, **changes}).encode()


def warned(upload):
    return {w["kind"]: (w["count"], w["message"]) for w in upload.findings["warnings"]}


def test_a_topic_without_text_is_the_one_that_is_here(study):
    loaded(study, run(topic="How high?"), "first.jsonl")
    loaded(study, run(run_id="theirs"), "second.jsonl")
    assert Question.objects.get().text == "How high?"
    assert Response.objects.filter(question__external_id="t1").count() == 2


def test_missing_topic_is_a_problem(study):
    upload = check(study, run(), "first.jsonl")
    assert upload.state == State.INVALID
    assert "expected the text of the question" in problems(upload)[0]
    assert "the id “t1” alone" in problems(upload)[0]


def test_a_topic_may_be_said_earlier_in_the_file(study):
    upload = loaded(study, run(topic="How high?") + b"\n" + run(run_id="theirs"), "both.jsonl")
    assert upload.result["responses"] == 2


def test_sources_without_text_are_kept_and_counted(study):
    upload = loaded(
        study, run(topic="Q"), "run.jsonl", passages=lines({"docid": "d2", "segment": "Cold."})
    )
    count, message = warned(upload)["no_text"]
    assert (count, message.split(";")[0]) == (1, "source without a text")
    texts = Source.objects.order_by("n").values_list("external_id", "passage__text")
    assert list(texts) == [("d1", ""), ("d2", "Cold.")]


ENTRIES = [
    {"answer": "It is high.", "citations": [0], "eval_scores": ["FS"]},
    {"answer": "It is cold.", "citations": [1], "eval_scores": ["PS"]},
]
NUGGETS = [
    {"text": "It is high", "importance": "vital", "assignment": "support"},
    {"text": "It is far", "importance": "okay", "assignment": "not_support"},
]


def answers(judge):
    rows = Judgment.objects.filter(judge__name=judge).order_by("pk")
    return list(rows.values_list("unit__key", "dimension", "value"))


def test_support_labels_land_on_the_citations_of_the_run(study):
    loaded(study, run(topic="Q"), "ours.jsonl")
    upload = loaded(study, run(support_eval=ENTRIES), "nist.jsonl")
    assert (upload.format, upload.result["judgments"]) == ("trec-support", 4)
    assert answers("nist") == [
        ("s1.c1", "citation_support", "full"),
        ("s1", "trec_support", "full"),
        ("s2.c1", "citation_support", "partial"),
        ("s2", "trec_support", "partial"),
    ]


def test_nuggets_and_then_what_was_assigned(study):
    loaded(study, run(topic="Q"), "ours.jsonl")
    assigned = {"qid": "t1", "run_id": "ours", "nuggets": NUGGETS}
    loaded(study, json.dumps(assigned).encode(), "nuggets.jsonl", format="trec-nuggets")
    assert Question.objects.get().references["claims"] == ["It is high", "It is far"]
    loaded(study, json.dumps(assigned).encode(), "assigned.jsonl", system="auto")
    assert answers("auto") == [("k1", "reference_said", "yes"), ("k2", "reference_said", "none")]


def test_assignments_without_nuggets_report_what_is_missing(study):
    loaded(study, run(topic="Q"), "ours.jsonl")
    assigned = {"qid": "t1", "run_id": "ours", "nuggets": NUGGETS}
    upload = check(study, json.dumps(assigned).encode(), "assigned.jsonl")
    assert "one of the 0 claims of the question's reference" in problems(upload)[0]
