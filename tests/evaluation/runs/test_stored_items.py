"""What is counted from stored rows is what the records themselves would give."""

from dataclasses import replace

import pytest

from annotate.export.streams import records_by_key
from annotate.models import Response, Study, Unit
from annotate.services.studies import create_study
from evaluation.entailment import Asker
from evaluation.entailment.coverage import Coverage
from evaluation.judges.alce import Alce
from evaluation.judges.autoais import AutoAIS
from evaluation.running import stored_items
from evaluation.running.judging import item_of_response
from tests.annotate.loading import load, response

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]

OUTPUTS = [
    response(
        "The Zugspitze is high [1][2]. It is 2,962 metres [2, 1]. Nobody lives there [7] [1]."
    ),
    response("", question_id="q2", question="Empty?"),
    response("  No marks at all. Two sentences.\nAnd what is cut [1].", question_id="q3"),
    response("Wetterstein [2], Zugspitze [1][2].", question_id="q4", is_list=True),
    response("It is so [1].", question_id="q5", passages=(("", "It is so."),)),
    response("Nothing is there [1].", question_id="q6", passages=()),
    response(
        "One is given [1]. So is two [2][1].",
        question_id="q7",
        statements=[
            {"text": "One is given [1].", "passages": [1]},
            {"text": "So is two [2][1].", "passages": [2]},
        ],
    ),
    response("Dr. Who is here [1]. He is 3.5 m tall [1-2]! Really? [2]", question_id="q8"),
]


def both(study):
    keys = list(study.responses.current().order_by("pk").values_list("pk", flat=True))
    anew = [item_of_response(study, *each) for each in records_by_key(study, keys)]
    return stored_items.stored_items(study, keys), anew


def without_places(item):
    """Where marks stand is all that rows do not tell; of an answer with all its lines, neither what
    is not judged, nor the text as it was written."""
    made = replace(item, segmentation=replace(item.segmentation, statements=()))
    if not item.segmentation.reads_all_lines:
        return made
    kept = replace(made.segmentation, not_judged=(), styles={}, plain="")
    statements = tuple(replace(each, marked="") for each in item.statements)
    return replace(made, segmentation=kept, statements=statements)


@pytest.fixture(params=["all repaired", "all strict", "first repaired", "first strict"])
def many(request, study):
    lines, reading = request.param.split()
    Study.objects.filter(pk=study.pk).update(lines=lines, reading=reading)
    study.refresh_from_db()
    load(study, OUTPUTS)
    return study


def test_items_are_the_same(many):
    stored, anew = both(many)
    assert [without_places(item) for item in stored] == [without_places(item) for item in anew]
    reads_all = many.lines == "all"
    assert [len(item.statements) for item in stored][:4] == [3, 0, 3 if reads_all else 2, 2]
    assert [item.given for item in stored].count(True) == 1


def test_judges_find_the_same(many):
    stored, anew = both(many)
    for judge in (Alce(Asker(Coverage())), AutoAIS(Asker(Coverage()))):
        found = judge.judge(stored)
        assert found
        assert found == judge.judge(anew)


def test_rows_are_read_and_not_divided(many, monkeypatch):
    """Two of the texts are changed behind the back of the records: one reads the rows."""
    Unit.objects.filter(response__question__external_id="q1", key="s1").update(text="Changed.")
    stored, anew = both(many)
    assert stored[0].statements[0].text == "Changed."
    assert anew[0].statements[0].text == "The Zugspitze is high."


def test_what_another_version_divided_is_divided_anew(many):
    Unit.objects.filter(key="s1").update(text="Divided by an old version.")
    Response.objects.filter(study=many).update(segmentation="statements:0|mode:sentences|cap:none")
    stored, anew = both(many)
    assert stored == anew
    assert [item.key for item in stored] == [item.key for item in anew]


def test_so_is_what_the_study_did_not_divide(alice):
    study = create_study(name="Short", slug="short", preset="ais", owner=alice)
    load(study, [response("The Zugspitze [1]. It is high.")])
    stored, anew = both(study)
    assert stored == anew
    assert len(stored[0].statements) == 2


def test_it_takes_as_many_queries_for_any_number(many, django_assert_num_queries):
    keys = list(many.responses.values_list("pk", flat=True))
    for some in (keys[:1], keys):
        with django_assert_num_queries(4):
            stored_items.stored_items(many, some)
