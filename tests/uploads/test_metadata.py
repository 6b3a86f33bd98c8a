"""What files say of questions beside their text: read, and changed without retiring answers."""

import pytest

from annotate import uploads
from annotate.models import Judgment, Response
from tests.cases import each
from tests.uploads.files import alce, item, judged, judgments, lines, response
from tests.uploads.steps import State, check, loaded, outputs, warnings, work

QUESTION = {"id": "q1", "text": "What is thing 1?"}


def own(**question):
    return response(1, question={**QUESTION, **question})


def known(study):
    return dict(study.questions.values_list("external_id", "metadata"))


def test_format_6_names_the_data_set_and_metadata(study):
    loaded(study, lines(own(dataset="asqa", metadata={"hops": 2, "kind": "who"})), "r.jsonl")
    assert known(study) == {"q1": {"dataset": "asqa", "hops": 2, "kind": "who"}}
    assert '"metadata": {"hops": 2, "kind": "who", "dataset": "asqa"}' in outputs(study)


@each(
    ("args", "name", "dataset"),
    [
        ({"model": "m", "dataset_name": "eli5"}, "asqa-m.json", "eli5"),
        ({"model": "m"}, "asqa-gpt-3.5-turbo-shot2.json", "asqa"),
        ({"model": "m"}, "outputs-of-asqa.json", None),
    ],
)
def test_alce_says_the_data_set_in_its_arguments_or_its_name(study, args, name, dataset):
    loaded(study, alce(item(1), args=args), name)
    assert known(study)["q1"].get("dataset") == dataset


@pytest.mark.usefixtures("small_chunks")
def test_other_metadata_change_the_question_and_retire_nothing(study):
    loaded(study, lines(own(dataset="asqa", metadata={"kind": "who"}), response(2)), "r.jsonl")
    loaded(study, judgments(judged(1, "s1", "citation_recall", "yes")), "j.csv")
    before = list(Response.objects.values()), list(Judgment.objects.values())
    other = lines(own(dataset="eli5", metadata={"hops": 3}), response(2))

    upload = check(study, other, "r.jsonl")
    assert warnings(upload)["metadata"] == 1
    assert upload.findings["unchanged"] == 2
    assert known(study)["q1"]["dataset"] == "asqa", "checking changes nothing"

    uploads.accept(upload)
    work(upload)
    assert upload.state == State.DONE, upload.error
    assert known(study) == {"q1": {"dataset": "eli5", "kind": "who", "hops": 3}, "q2": {}}
    assert uploads.outcome(upload) == "1 question's data set or metadata changed, 2 unchanged."
    assert (list(Response.objects.values()), list(Judgment.objects.values())) == before
