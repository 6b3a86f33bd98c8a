"""Files of published analyses: read, written and read again."""

import csv
import io
import json

import pytest

from annotate.formats.alce_human import AUTOMATIC as ALCE_AUTOMATIC
from annotate.formats.alce_human import HUMAN
from annotate.formats.attributed_qa import AUTOMATIC, MAJORITY, RATING_COLUMNS
from tests.evaluation.published import answers, outputs, read, text_of

pytestmark = pytest.mark.django_db


# Round trips of published files ------------------------------------------------------------------

CITED = [
    {"title": "T1", "text": "Passage 1.", "citation_precision_score": 2},
    {"title": "T3", "text": "=Passage\r\n3.", "citation_precision_score": 1, "id": "p3", "rank": 4},
]
CITATIONS = {
    "asqa": {
        "model-a.json": {
            "q1": {
                "id": "q1",
                "question": "How high?",
                "output": "High [1][3]. Very high [1].\nNot read [2].",
                "overall_recall_score": 0.5,
                "overall_precision_score": 0.9,
                "note": "kept",
                "sentences": [
                    {
                        "text": "High [1][3].",
                        "citations": CITED,
                        "sentence_recall_score": 1,
                        "sentence_precision_score": 1,
                        "seen": True,
                    },
                    {
                        "text": "Very high [1].",
                        "citations": [{**CITED[0], "citation_precision_score": 0}],
                        "sentence_recall_score": 0,
                        "sentence_precision_score": 0,
                    },
                ],
                "automatic_recall_scores": [1, 1.0],
                "automatic_citation_precision_scores": [[2, 0], [1]],
                "automatic_precision_scores": [0, 1],
            },
            "q2": {
                "id": "q2",
                "question": "How deep?",
                "output": "Deep [1][2][3][4].",
                "sentences": [
                    {
                        "text": "Deep [1][2][3][4].",
                        "citations": [
                            {"title": "T", "text": f"Deep {n}.", "citation_precision_score": None}
                            for n in (1, 2, 3)
                        ],
                        "sentence_recall_score": None,
                    }
                ],
                "automatic_recall_scores": [0],
                "automatic_citation_precision_scores": [[]],
            },
        },
        "model-b.json": {
            "q1": {
                "id": "q1",
                "question": "How high?",
                "output": "I do not know.",
                "sentences": [
                    {"text": "I do not know.", "citations": [], "sentence_recall_score": 0}
                ],
            }
        },
    },
    "eli5": {
        "model-a.json": {
            "q1": {
                "id": "q1",
                "question": "Why?",
                "output": "Because. [2] So it is.",
                "sentences": [
                    {"text": "Because.", "citations": [], "sentence_recall_score": 0},
                    {
                        "text": "[2] So it is.",
                        "citations": [{**CITED[0]}],
                        "sentence_recall_score": 1,
                    },
                ],
            }
        }
    },
}


def test_alce_citations_are_the_same_when_read_again(new):
    first, second = new("first"), new("second")
    read(first, "alce-citations", json.dumps(CITATIONS))
    written = text_of(first, "alce-citations")
    read(second, "alce-citations", written)
    assert outputs(second) == outputs(first)
    assert {"asqa/q1", "asqa/q2", "eli5/q1"} == {key for _, key in outputs(second)}
    assert answers(second) == answers(first)
    assert {judge for *_, judge in answers(second)} == {HUMAN, ALCE_AUTOMATIC}
    assert text_of(second, "alce-citations") == written


def test_alce_scores_are_made_of_the_labels(new):
    study = new("first")
    read(study, "alce-citations", json.dumps(CITATIONS))
    written = json.loads(text_of(study, "alce-citations"))
    assert list(written) == ["asqa", "eli5"]
    assert list(written["asqa"]) == ["model-a.json", "model-b.json"]
    item = written["asqa"]["model-a.json"]["q1"]
    # One of two sentences is supported; the citations of the other one are not precise.
    assert (item["overall_recall_score"], item["overall_precision_score"]) == (0.5, 2 / 3)
    assert [s["sentence_precision_score"] for s in item["sentences"]] == [1, 0]
    assert item["automatic_recall_scores"] == [1, 1]
    assert item["automatic_precision_scores"] == [0, 1]
    assert item["automatic_citation_precision_scores"] == [[2, 0], [1]]
    assert (item["note"], item["sentences"][0]["seen"]) == ("kept", True)
    assert item["sentences"][0]["citations"][1] == CITED[1]
    unjudged = written["asqa"]["model-a.json"]["q2"]
    assert unjudged["overall_recall_score"] is None
    assert unjudged["automatic_citation_precision_scores"] == [[]]


def test_alce_utility_is_the_same_when_read_again(new):
    first, second = new("first"), new("second")
    items = {
        f"q{n}": {
            "id": f"q{n}",
            "question": f"Question {n}?",
            "output": f"Answer\n {n}. ",
            "utility_score": score,
            "automatic_correctness_scores": [True, False],
        }
        for n, score in enumerate((5, 1, None))
    }
    read(first, "alce-utility", json.dumps({"asqa": {"m.json": items}}))
    written = text_of(first, "alce-utility")
    assert json.loads(written) == {"asqa": {"m.json": items}}
    read(second, "alce-utility", written)
    assert answers(second) == answers(first)
    assert len(answers(second)) == 2


AQA = [
    ("A", "who, then", '=1+1 "quoted"', "p1", "Said\r\nhere.", "Y", "Y", "0.97"),
    ("A", "when", "-then\r", "p2", " Spaced, too ", "N", "", "0.25"),
    ("B", "who, then", "@nobody", "p9", "", "N", "N", "0.0"),
    ("B", "when", "", "", "Untitled.", "", "Y", ""),
]


def ratings(rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([RATING_COLUMNS, *rows])
    return out.getvalue()


def test_attributed_qa_ratings_are_the_same_when_read_again(new):
    first, second = new("first", "ais"), new("second", "ais")
    read(first, "aqa-ratings", ratings(AQA))
    written = text_of(first, "aqa-ratings")
    assert written == ratings(AQA)
    read(second, "aqa-ratings", written)
    assert outputs(second) == outputs(first)
    assert answers(second) == answers(first)
    assert {judge for *_, judge in answers(second)} == {MAJORITY, AUTOMATIC}
