"""Attest's own studies in the formats of published analyses."""

import csv
import io
import json

import pytest

from annotate.formats.alce_human import AUTOMATIC as ALCE_AUTOMATIC
from annotate.models import Judge, Question, System
from annotate.rating.standing import change_standing
from annotate.web.errors import Refused
from evaluation.labels.export.answers import system_names
from evaluation.labels.export.published import judges_of, published
from evaluation.labels.study_labels import Method
from tests.annotate.loading import SKY, judgment, load, load_judgments, response
from tests.evaluation.published import answers, read, text_of
from tests.evaluation.test_published_round_trips import AQA, ratings
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


# Attest's own studies ----------------------------------------------------------------------------


def people(unit, dimension, *values, **more):
    return [
        judgment(unit, dimension, value, judge=f"Rater {n}", **more)
        for n, value in enumerate(values)
    ]


def automatic(unit, dimension, value, *, judge="alce|scorer:tiny", **more):
    return judgment(unit, dimension, value, judge=judge, judge_kind="automatic", **more)


@shared_rows
def rated(peaks):
    """Three raters and an automatic judge beside what the study has."""
    load_judgments(
        peaks,
        [
            *people("s1", "citation_recall", "no", "no"),
            *people("s2", "citation_recall", "yes", "yes", "no"),
            *people("s2.c1", "citation_support", "full", "none"),
            *people("s2.c2", "citation_support", "none", "partial", "partial"),
            automatic("s1", "citation_recall", "yes"),
            automatic("s1.c1", "citation_support", "needed"),
            automatic("s2", "citation_recall", "yes"),
            automatic("s2.c1", "citation_support", "not_needed"),
            automatic("s2.c2", "citation_support", "needed"),
        ],
    )
    return peaks


def test_votes_become_one_label_and_needed_is_two(rated, new):
    written = json.loads(text_of(rated, "alce-citations"))
    assert list(written) == ["peaks"]
    item = written["peaks"]["Vermilion.json"]["q1"]
    first, second = item["sentences"]
    assert first["text"] == "The Zugspitze is 2,962 metres high [1]."
    assert (first["sentence_recall_score"], second["sentence_recall_score"]) == (0, 1)
    scores = [citation["citation_precision_score"] for citation in second["citations"]]
    # full, none and partial once each: the lowest; then partial by two of three.
    assert scores == [0, 1]
    assert second["sentence_precision_score"] == 0
    assert first["citations"][0]["citation_precision_score"] is None
    assert item["overall_precision_score"] is None
    assert item["automatic_citation_precision_scores"] == [[2], [0, 2]]
    again = new("again")
    read(again, "alce-citations", json.dumps(written))
    values = {
        (key, unit): value for (_, key, unit, _, judge), (value, _) in answers(again).items()
        if judge == ALCE_AUTOMATIC
    }  # fmt: skip
    assert values["peaks/q1", "s2.c1"] == "none"
    assert values["peaks/q1", "s2.c2"] == "full"


def test_systems_that_use_autoais_have_no_automatic_scores(rated):
    System.objects.filter(study=rated, name="Vermilion").update(uses_autoais=True)
    item = json.loads(text_of(rated, "alce-citations"))["peaks"]["Vermilion.json"]["q1"]
    assert "automatic_recall_scores" not in item
    assert item["sentences"][1]["sentence_recall_score"] == 1


def test_the_judge_is_chosen_by_name(rated):
    names = [judge.name for judge in judges_of(rated, "alce-citations")]
    assert names == ["alce|scorer:tiny", "autoais|scorer:tiny"]
    item = json.loads(text_of(rated, "alce-citations", judge="autoais|scorer:tiny"))
    assert item["peaks"]["Vermilion.json"]["q1"]["automatic_recall_scores"] == [0, None]
    load_judgments(rated, [automatic("s1", "citation_recall", "yes", judge="alce|other:7")])
    assert text_of(rated, "alce-citations", judge="alce|other:7")
    assert {judge.title for judge in judges_of(rated, "alce-citations")} == {"ALCE", "AutoAIS"}
    with pytest.raises(Refused, match="Several automatic judges are called “ALCE”"):
        published(rated, "alce-citations", judge="ALCE")
    with pytest.raises(Refused, match=r"No automatic judge “nobody”.*“alce\|scorer:tiny”"):
        published(rated, "alce-citations", judge="nobody")


def test_excluded_raters_have_no_vote_and_adjudicators_the_last_word(rated):
    careless = Judge.objects.get(study=rated, name="Rater 1")
    change_standing(careless, Judge.Standing.EXCLUDED, reason="Careless")
    load_judgments(
        rated, [judgment("s1", "citation_recall", "yes", judge="Ada", judge_kind="adjudicated")]
    )

    def recall(**options):
        item = json.loads(text_of(rated, "alce-citations", **options))
        sentences = item["peaks"]["Vermilion.json"]["q1"]["sentences"]
        return [sentence["sentence_recall_score"] for sentence in sentences]

    assert recall() == [0, 0]
    assert recall(method=Method.ADJUDICATED) == [1, 0]


def test_runs_are_model_files_of_their_own(new):
    study, again = new("first", "ais"), new("second", "ais")
    load(
        study,
        [
            response("Two runs.", run="1"),
            response("Two runs, other.", run="2"),
            response("One run.", system="Umber", run="7"),
            response("Taken.", system="Vermilion (run 2)"),
        ],
    )
    assert sorted(system_names(study).values()) == [
        "Umber",
        "Vermilion (run 1)",
        "Vermilion (run 2)",
        "Vermilion (run 2) (2)",
    ]
    load_judgments(study, people("r", "attributable", "yes", "yes", "no", run="1"))
    read(again, "aqa-ratings", text_of(study, "aqa-ratings"))
    (only,) = answers(again)
    assert only[0] == "Vermilion (run 1)"


def test_the_longest_names_can_be_read_again(new):
    study, again = new("first"), new("second")
    long = "L" * 200
    load(study, [response("A.", system=long), response("B.", run="1"), response("C.", run="2")])
    load(study, [response("D.", system="M" * 200, run=run) for run in ("1", "2")])
    load_judgments(study, people("s1", "citation_recall", "yes", run="1"))
    read(again, "alce-citations", text_of(study, "alce-citations"))
    names = set(System.objects.filter(study=again).values_list("name", flat=True))
    cut = {"M" * 196 + " (2)", "M" * 196 + " (3)"}
    assert names == {long, "Vermilion (run 1)", "Vermilion (run 2)", *cut}


def test_a_published_majority_counts_where_no_rater_voted(new):
    study = new("first", "ais")
    read(study, "aqa-ratings", ratings(AQA))
    key = Question.objects.get(study=study, text="when").external_id
    rows = people("r", "attributable", "yes", system="A", question_id=key)
    load_judgments(study, rows)
    assert [
        row["human_rating"]
        for row in csv.DictReader(io.StringIO(text_of(study, "aqa-ratings"), newline=""))
    ] == ["Y", "Y", "N", ""]


def test_an_id_loses_its_data_set_unless_another_question_has_the_rest(new):
    study = new("first")
    about = {"text": SKY, "metadata": {"dataset": "asqa"}}
    load(
        study,
        [
            response("A.") | {"question": {**about, "id": "asqa/q1"}},
            response("B.") | {"question": {**about, "id": "q1", "text": "Why?"}},
            response("C.") | {"question": {**about, "id": "asqa/q2", "text": "Who?"}},
            response("D.") | {"question": {"id": "x" * 200, "text": "When?"}},
        ],
    )
    load_judgments(study, people("s1", "citation_recall", "yes"))
    written = text_of(study, "alce-citations")
    keys = {name: list(models["Vermilion.json"]) for name, models in json.loads(written).items()}
    assert keys["asqa"] == ["asqa/q1", "q1", "q2"]
    assert keys["first"][0].startswith("q-")
    read(new("second"), "alce-citations", written)


@pytest.mark.parametrize(
    ("preset", "form", "message"),
    [
        ("alce", "aqa-ratings", "Nobody has answered “attributable”"),
        ("alce", "alce-utility", "Nobody has answered “utility”"),
        ("ais", "alce-citations", "“citation_recall” or “citation_support”"),
        ("alce", "xlsx", "Known: alce-citations, alce-utility, aqa-ratings"),
    ],
)
def test_study_without_the_answers_of_a_format_is_not_exported(new, preset, form, message):
    study = new("first", preset)
    load(study, [response("High [1].")])
    with pytest.raises(Refused, match=message):
        published(study, form)


def test_two_questions_with_one_text_are_no_ratings(new):
    study = new("first", "ais")
    load(study, [response("A."), response("B.", question_id="q2")])
    load_judgments(study, people("r", "attributable", "yes"))
    with pytest.raises(Refused, match="knows questions by their text"):
        published(study, "aqa-ratings")


# Doors -------------------------------------------------------------------------------------------


def test_a_file_is_streamed_to_researchers(rated, bob, rita, signed_in):
    address = "/studies/peaks/data/exchange/alce-citations/"
    answer = signed_in(bob).get(address, {"judge": "autoais|scorer:tiny", "labels": "adjudicated"})
    assert answer["Content-Disposition"] == 'attachment; filename="peaks-alce-citations.json"'
    written = b"".join(answer.streaming_content).decode()
    assert written == text_of(
        rated, "alce-citations", judge="autoais|scorer:tiny", method=Method.ADJUDICATED
    )
    assert signed_in(rita).get(address).status_code == 403


def test_refused_export_shows_its_reason(rated, bob, signed_in):
    client = signed_in(bob)
    answer = client.get("/studies/peaks/data/exchange/aqa-ratings/", follow=True)
    assert answer.redirect_chain == [("/studies/peaks/data/exchange/", 302)]
    (said,) = answer.context["messages"]
    assert "Nobody has answered" in str(said)
    for wrong in ("xlsx/", "alce-citations/?labels=dawid-skene"):
        assert client.get(f"/studies/peaks/data/exchange/{wrong}").status_code == 404
