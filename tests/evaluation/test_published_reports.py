"""Files of the published shapes, loaded as users load them: their reports have the figures.

The texts are made up; how often each answer occurs is as published.
"""

import csv
import io
import json
from statistics import mean

import pytest
from django.core.management import call_command

from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from tests.evaluation.judges.items import PARITY
from tests.evaluation.reports.published import AIS_SYSTEMS, PRECISION, RECALL

pytestmark = pytest.mark.django_db

UTILITY = PARITY.parent / "data" / "alce" / "human_eval_utility.json"
QUESTIONS = 250
SCORE = {"no": 0, "yes": 2}


def report_of(name, preset, file):
    call_command("create_study", name, "--preset", preset, stdout=io.StringIO())
    call_command("import_outputs", name, str(file), stdout=io.StringIO())
    from annotate.models import Study

    return build(gather(Study.objects.get(slug=name)), Filters(resamples=200))


def shown(number, digits):
    return round(number["value"], digits)


def test_attributed_qa_ratings(tmp_path):
    """Format 5: which answers are attributable is drawn along one order, hardest questions last."""
    file = tmp_path / "ratings.csv"
    columns = "system_name,question,answer,attribution,passage,human_rating,auto_ais,nli_score"
    with file.open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(columns.split(","))
        for name, (_, autoais, ais) in AIS_SYSTEMS.items():
            for n in range(QUESTIONS):
                human = "Y" if n < QUESTIONS * ais / 100 else "N"
                automatic = "Y" if (n * 7) % QUESTIONS < QUESTIONS * autoais / 100 else "N"
                score = 0.9 if automatic == "Y" else 0.1
                passage = f"Passage {n}."
                said = (passage, human, automatic, score)
                rows.writerow([name, f"Question {n}?", f"Answer {n}", f"p{n}", *said])
    report = report_of("aqa", "ais", file)
    assert report["counts"]["systems"] == 16
    assert report["counts"]["responses"] == 16 * QUESTIONS
    (correlation,) = report["correlations"]["systems"]
    assert shown(correlation["of_means"], 2) == 0.97
    assert correlation["of_means"]["n"] == 16
    assert correlation["pearson"]["low"] < 0.97 < correlation["pearson"]["high"]
    by_people = {row["system"]: row["people"]["attributable"] for row in report["systems"]["rows"]}
    assert abs(by_people["RTR-10"]["value"] - 0.702) < 1 / QUESTIONS
    assert report["labels"]["sources"] == ["majority of 5 (published)"]
    assert report["judges"][0]["title"] == "AutoAIS (published)"
    assert report["thresholds"][0]["fixed"]["threshold"] == 0.5


def statement(n, by_people, by_metric, citations):
    marks = "".join(f"[{place}]" for place in range(1, len(citations) + 1))
    passages = [
        {"title": f"T{n}", "text": f"Passage {n}.{place}", "citation_precision_score": SCORE[human]}
        for place, (human, _) in enumerate(citations, start=1)
    ]
    return {
        "text": f"Statement {n} {marks}.",
        "citations": passages,
        "sentence_recall_score": int(by_people == "yes"),
        "automatic": int(by_metric == "yes"),
        "automatic_citations": [SCORE[metric] for _, metric in citations],
    }


def statements():
    """Statements and citations by the published tables; the citations hang on those that both call
    supported, three on each."""
    answers = ("no", "yes")
    citations = [
        (answers[row], answers[column])
        for row in (0, 1)
        for column in (0, 1)
        for _ in range(PRECISION[row][column])
    ]
    number = 0
    for row in (1, 0):
        for column in (1, 0):
            for _ in range(RECALL[row][column]):
                number += 1
                some, citations = (
                    (citations[:3], citations[3:]) if row and column else ([], citations)
                )
                yield statement(number, answers[row], answers[column], some)
    assert not citations


def test_alce_human_evaluation_of_citations(tmp_path):
    """Format 2."""
    every = list(statements())
    models: dict[str, dict] = {f"model-{n}.json": {} for n in range(4)}
    for n in range(0, len(every), 5):
        some = every[n : n + 5]
        models[f"model-{n % 4}.json"][f"q{n}"] = {
            "id": f"q{n}",
            "question": f"Question {n}?",
            "output": " ".join(each["text"] for each in some),
            "sentences": [
                {key: each[key] for key in ("text", "citations", "sentence_recall_score")}
                for each in some
            ],
            "automatic_recall_scores": [each["automatic"] for each in some],
            "automatic_citation_precision_scores": [each["automatic_citations"] for each in some],
        }
    file = tmp_path / "citations.json"
    file.write_text(json.dumps({"asqa": models}), encoding="utf-8")
    report = report_of("alce-people", "alce", file)
    recall, precision = (
        next(one for one in report["agreement"] if one["item"] == item)
        for item in ("citation_recall", "citation_precision")
    )
    assert (shown(recall["kappa"], 3), shown(recall["accuracy"], 3)) == (0.698, 0.851)
    assert (shown(precision["kappa"], 3), shown(precision["accuracy"], 3)) == (0.525, 0.776)
    found = recall["detects"]
    assert found["name"] == "insufficient citation"
    assert (shown(found["recall"], 3), shown(found["precision"], 3)) == (0.823, 0.842)
    found = precision["detects"]
    assert found["name"] == "irrelevant citation"
    assert (shown(found["recall"], 3), shown(found["precision"], 3)) == (0.756, 0.661)
    assert recall["confusion"]["table"] == [list(row) for row in RECALL]
    assert precision["confusion"]["table"] == [list(row) for row in PRECISION]


def test_alce_human_evaluation_of_utility(tmp_path):
    """Format 3: 1 to 5 by one person, of two systems."""
    given = {"a": [5, 4, 5, 3, 4], "b": [1, 2, 1, 3, 2]}
    models = {
        f"{name}.json": {
            f"q{n}": {
                "id": f"q{n}",
                "question": f"Question {n}?",
                "output": f"Answer {n}.",
                "utility_score": score,
                "automatic_correctness_scores": [n % 2 == 0],
            }
            for n, score in enumerate(scores)
        }
        for name, scores in given.items()
    }
    file = tmp_path / "utility.json"
    file.write_text(json.dumps({"asqa": models}), encoding="utf-8")
    report = report_of("alce-utility", "alce", file)
    by_system = {row["system"]: row["people"]["utility"] for row in report["systems"]["rows"]}
    assert (by_system["a"]["value"], by_system["b"]["value"]) == (4.2, 1.8)
    (people,) = report["people"]
    assert {one["value"]: one["count"] for one in people["distribution"]} == {
        "1": 2, "2": 2, "3": 2, "4": 2, "5": 2,
    }  # fmt: skip
    assert people["alpha"]["reason"] == "nothing has two ratings yet"
    (compared,) = (one for one in report["comparisons"] if one["column"]["key"] == "utility")
    assert compared["pairs"][0]["difference"]["value"] == 2.4
    assert report["judges"] == []
    assert any("No automatic judge" in line["text"] for line in report["headline"])


@pytest.mark.skipif(
    not UTILITY.exists(),
    reason="the published file of ALCE's human evaluation of utility is not here "
    "(shared/data/alce/human_eval_utility.json): its eight means cannot be computed",
)
def test_the_eight_means_of_alce_s_utility(tmp_path):
    """Of each system on each data set, as plain arithmetic on the file has them."""
    given = json.loads(UTILITY.read_text(encoding="utf-8"))
    found = {}
    for data_set, models in given.items():
        file = tmp_path / f"{data_set}.json"
        file.write_text(json.dumps({data_set: models}), encoding="utf-8")
        report = report_of(f"alce-{data_set}", "alce", file)
        for row in report["systems"]["rows"]:
            found[data_set, row["system"]] = row["people"]["utility"]["value"]
    expected = {
        (data_set, model.removesuffix(".json")): pytest.approx(mean(scores), abs=1e-6)
        for data_set, models in given.items()
        for model, items in models.items()
        if (scores := [s for one in items.values() if (s := one["utility_score"]) is not None])
    }
    assert len(expected) == 8
    assert found == expected
