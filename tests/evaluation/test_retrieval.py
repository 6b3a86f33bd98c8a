"""How good retrieval is in a study: by the command, on a page, and for programs."""

import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.models import System
from evaluation.generating.retrieval.effects import MeasuredResponse, effect
from evaluation.generating.retrieval_numbers import measure_systems
from evaluation.models import Corpus, Making
from evaluation.runs import making
from evaluation.statistics.ratings import undefined
from tests.annotate.loading import PASSAGES, SKY, load, response
from tests.annotate.pages import visible
from tests.evaluation.corpora import a_corpus, a_file, lines
from tests.shared_rows import shared_rows

HIGH = {"qa_pairs": [{"short_answers": ["2962 m", "2,962 m"]}, {"short_answers": ["Germany"]}]}
BLUE = {"answer": ["short waves", "blue light"]}
CORPUS = [
    {"id": "far", "text": "The Zugspitze is a peak that many climb, and high it is."},
    {"id": "near", "text": "How high the Zugspitze is: 2,962 m. How high!"},
    {"id": "land", "text": "Germany has mountains; the Zugspitze is one."},
    {"id": "sky", "text": "The sky: short waves are scattered."},
]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, settings):
    settings.ATTEST_CORPORA_DIR = tmp_path / "corpora"


@shared_rows
def asked(study):
    """Two systems, two questions with answers, one without."""
    rows = []
    for system, high, blue in (
        ("Umber", "It is 2,962 m high [1].", "By magic [1]."),
        ("Vermilion", "Nobody knows [1].", "Short waves scatter [1]."),
    ):
        given = PASSAGES[:1] if system == "Umber" else PASSAGES[1:2]
        rows += [
            response(high, system=system, passages=given) | of("q1", "How high is it?", HIGH),
            response(blue, system=system, question=SKY, question_id="q2", passages=PASSAGES[2:4])
            | of("q2", SKY, BLUE),
            response("Yes [1].", system=system, question_id="q3") | of("q3", "Why?", {}),
        ]
    load(study, rows)
    return study


def of(key, text, references):
    return {"question": {"id": key, "text": text, "references": references}}


def told(capsys, *words):
    call_command("retrieval", "peaks", "--json", *words)
    return json.loads(capsys.readouterr().out)


def test_systems_by_what_they_were_given(asked, capsys):
    found = told(capsys)["systems"]
    rows = {row["of"]: row for row in found["by_passages"]}
    assert list(rows) == ["Umber, k = 1", "Umber, k = 2", "Vermilion, k = 1", "Vermilion, k = 2"]
    # Umber's passage holds both answers to q1, of which it tells one.
    assert rows["Umber, k = 1"]["answer_recall"]["value"] == 1.0
    assert rows["Umber, k = 1"]["correctness"]["value"] == 0.5
    assert rows["Umber, k = 1"]["explained"]["value"] == 0.0
    # Vermilion's holds none, and it lacks both.
    assert rows["Vermilion, k = 1"]["explained"]["value"] == 1.0
    qualities = {row["of"]: row["responses"] for row in found["by_quality"]}
    assert qualities == {"none": 1, "all": 3}
    # Umber lacks an answer to q1 and that to q2, both held; Vermilion two to q1, held by none.
    assert found["all"]["errors"] == 4
    assert found["all"]["explained"]["value"] == 0.5
    assert found["all"]["recall_of_citations"]["reason"] == "no run of ALCE has judged it"


def test_intervals_of_systems_hold_the_truth():
    """Hard questions have more errors, in both systems, and passages hold less of them."""
    truth = {"answer_recall": 0.575, "correctness": 0.5, "explained": 0.62}
    held = dict.fromkeys(truth, 0)
    draw = np.random.default_rng(4)
    for _ in range(300):
        some = []
        for question in range(80):
            hard = draw.random() < 0.5
            for system in "AB":
                told = np.flatnonzero(draw.random(4) < (0.2 if hard else 0.8))
                found = np.flatnonzero(draw.random(4) < (0.25 if hard else 0.9))
                holds = frozenset(found.tolist())
                some.append(
                    MeasuredResponse(
                        system,
                        str(question),
                        5,
                        4,
                        holds,
                        frozenset(told.tolist()),
                        undefined("none"),
                        undefined("none"),
                    )
                )
        row = effect("all", some)
        for key, number in zip(
            truth, (row["answer_recall"], row["correctness"], row["explained"]), strict=True
        ):
            held[key] += (number.low or 0) <= truth[key] <= (number.high or 1)
    assert all(0.92 <= count / 300 <= 0.98 for count in held.values()), held


def test_systems_that_used_the_metric_have_no_figures_of_it(asked):
    call_command("run_judge", "peaks", "alce", "--scorer", "coverage")
    before = {one["of"]: one for one in measure_systems(asked)["by_passages"]}
    assert before["Umber, k = 1"]["recall_of_citations"].value is not None
    System.objects.filter(name="Umber").update(uses_autoais=True)
    found = measure_systems(asked)
    after = {one["of"]: one for one in found["by_passages"]}
    for figure in ("recall_of_citations", "precision_of_citations"):
        of_umber = after["Umber, k = 1"][figure]
        assert (of_umber.value, of_umber.reason) == (None, "the system used the metric itself")
        assert after["Vermilion, k = 1"][figure] == before["Vermilion, k = 1"][figure]
        both = [after[f"Vermilion, k = {k}"][figure].value or 0.0 for k in (1, 2)]
        assert found["all"][figure].value == sum(both) / 2
    assert after["Umber, k = 1"]["correctness"].value == 0.5


def test_a_corpus_by_answers_and_by_relevant_passages(asked, bob, tmp_path, capsys):
    a_corpus(asked, bob, a_file(lines(CORPUS), "corpus.jsonl"), name="Peaks")
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 0 near 1\nq1 0 land 1\nq2 0 far 0\n")
    found = told(capsys, "--corpus", "Peaks", "--qrels", str(qrels), "--k", "2", "1")["corpus"]
    assert (found["questions"], found["with_answers"], found["with_relevant"]) == (3, 2, 1)
    one, two = found["rows"]
    assert (one["k"], two["k"]) == (1, 2)
    # “How high is it?” finds near, then far; the sky's question its passage.
    assert one["answer_recall"]["value"] == (1 / 2 + 1) / 2
    assert one["relevance_recall"]["value"] == 1 / 2
    assert two["relevance_recall"]["value"] == 1 / 2
    assert one["hit"]["value"] == 1.0
    assert found["oracle"]["value"] == (1 / 2 + 1) / 2
    assert found["oracle_relevance"]["value"] == 1 / 2
    assert found["oracle_claims"]["reason"] == "no question names claims instead of answers"
    assert "bm25s:" in found["signature"]


CLAIMED = {"claims": ["Germany has mountains.", "Foxes climb.", "The Zugspitze is a peak."]}


@pytest.fixture
def claimed(study, bob):
    """One question that names three claims, two of which passages hold word for word."""
    load(study, [response("It is high [1].") | of("q1", "Is the Zugspitze high?", CLAIMED)])
    a_corpus(study, bob, a_file(lines(CORPUS), "corpus.jsonl"), name="Peaks")
    return study


def test_claims_are_found_where_passages_entail_them(claimed, capsys):
    words = ("--corpus", "Peaks", "--k", "1", "3")
    found = told(capsys, *words, "--scorer", "containment")["corpus"]
    assert (found["with_answers"], found["with_claims"]) == (0, 1)
    # “near” is the first, “far” and “land” follow: each holds a claim's words.
    assert [row["recall_of_claims"]["value"] for row in found["rows"]] == [0.0, 2 / 3]
    assert found["oracle_claims"]["value"] == 2 / 3
    assert "containment" in found["scorer"]
    unasked = told(capsys, *words)["corpus"]
    assert unasked["rows"][0]["recall_of_claims"]["reason"].startswith("no scorer was asked")
    assert unasked["scorer"] == ""


def test_a_scorer_that_cannot_run_says_so(claimed, capsys):
    for scorer, why in (("classifier", "needs the option “model”"), ("http", "invalid choice")):
        with pytest.raises(CommandError, match=why):
            told(capsys, "--corpus", "Peaks", "--scorer", scorer)


def test_it_is_printed_as_tables(asked, bob, capsys):
    a_corpus(asked, bob, a_file(lines(CORPUS), "corpus.jsonl"), name="Peaks")
    call_command("retrieval", "peaks", "--corpus", "Peaks", "--k", "1")
    printed = capsys.readouterr().out
    assert "Peaks: 3 questions, 2 with answers, 0 with claims, 0 with relevant passages" in printed
    assert "undefined: no relevant passages were given" in printed
    assert "Vermilion, k = 2" in printed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--corpus", "Nothing"], "no corpus “Nothing”"),
        (["--k", "0"], "from 1 on"),
        (["--qrels", "/nowhere"], "No such file"),
        (["--qrels", "FILE"], "give --corpus"),
    ],
)
def test_invalid_options_of_the_command_are_refused(asked, tmp_path, words, said):
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\n")
    words = [str(tmp_path / "qrels.txt") if word == "FILE" else word for word in words]
    with pytest.raises(CommandError, match=said):
        call_command("retrieval", "peaks", *words)


def measured(client, **sent):
    """What a researcher asks for on the page, once a worker has made it."""
    answer = client.post(reverse("making-new", args=["peaks", "retrieval"]), sent)
    assert answer.status_code == 302, visible(answer.content.decode())
    made = Making.objects.get()
    making.work(made.pk)
    made.refresh_from_db()
    assert made.state == "done", made.error
    return made


def test_a_page_has_the_same_numbers(asked, bob, signed_in):
    client = signed_in(bob)
    a_corpus(asked, bob, a_file(lines(CORPUS), "corpus.jsonl"), name="Peaks")
    corpus = client.get(reverse("corpus", args=["peaks", Corpus.objects.get().pk]))
    address = f"{reverse('making-new', args=['peaks', 'retrieval'])}?corpus=Peaks"
    assert address in corpus.content.decode()
    assert 'value="Peaks" selected' in client.get(address).content.decode()
    qrels = "q1 0 near 1\nq1 0 land 1\nq2 0 far 0\n"
    made = measured(client, corpus="Peaks", ks="2 1", qrels=qrels)
    assert made.queue == "default"
    page = visible(client.get(reverse("making", args=["peaks", made.pk])).content.decode())
    assert "Open result" not in page
    assert "Peaks: 3 questions, 2 with answers, 0 with claims, 1 with relevant passages" in page
    assert "k Answer recall Recall-5 Hit Relevance recall" in page
    # As by the command: at 1 half of q1's answers and all of q2's, and one of two relevant ones.
    assert "1 0.750 [0.000, 1.000] 0.750 [0.000, 1.000] 1.000 0.500" in page
    assert "oracle: 5 of 100 0.750 [0.000, 1.000]" in page
    assert "Undefined: no run of ALCE has judged it." in page
    told = client.get(reverse("api-makings-detail", args=["peaks", made.pk])).json()
    corpus_table, by_passages, by_quality = told["tables"]
    k, recall, *_ = corpus_table["rows"][0]
    assert (k, recall["value"], recall["reason"]) == (1, 0.75, "")
    assert recall["low"] < 0.001
    assert by_passages["rows"][0][0] == "Umber, k = 1"
    assert [row[0] for row in by_quality["rows"]] == ["none of them", "all of them", "any number"]


def test_claims_are_counted_on_a_page_by_the_scorer_that_was_chosen(claimed, bob, signed_in):
    client = signed_in(bob)
    made = measured(client, corpus="Peaks", ks="1 3", scorer="containment")
    assert made.queue == "entailment"
    page = visible(client.get(reverse("making", args=["peaks", made.pk])).content.decode())
    assert "1 question, 0 with answers, 1 with claims, 0 with relevant passages" in page
    assert "k Answer recall Recall-5 Hit Claim recall Relevance recall" in page
    of_corpus = made.result["charts"][0]
    points = [(p["x"], p["y"]) for p in points_of(of_corpus) if p["measure"] == "Claim recall"]
    assert points == [(1, 0.0), (3, pytest.approx(2 / 3))]


def test_the_model_of_a_scorer_of_claims_is_one_that_runs_may_use(claimed, bob, signed_in):
    asked = {"corpus": "Peaks", "ks": "1", "scorer": "classifier", "scorer_model": "/elsewhere"}
    address = reverse("making-new", args=["peaks", "retrieval"])
    page = signed_in(bob).post(address, asked).content.decode()
    assert "“/elsewhere” is no model that runs may use here" in page
    assert not Making.objects.exists()


def points_of(chart):
    [points] = chart["spec"]["datasets"].values()
    return points


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"ks": "0"}, "Expected whole numbers from 1"),
        ({"qrels": "q1 near"}, "a question, a passage and a whole number"),
        ({"qrels": "q1 0 near 1"}, "choose one"),
        ({"corpus": "Nothing"}, "Nothing is not one of the available choices"),
    ],
)
def test_invalid_form_is_refused_with_reasons(asked, bob, signed_in, sent, said):
    answer = signed_in(bob).post(reverse("making-new", args=["peaks", "retrieval"]), sent)
    assert answer.status_code == 422
    assert said in visible(answer.content.decode())


def test_a_corpus_that_asks_a_server_is_searched_by_those_who_may(asked, bob, signed_in):
    elsewhere = Corpus.objects.create(
        study=asked, name="There", state="ready", method="opensearch", options={}
    )
    client = signed_in(bob)
    client.post(reverse("making-new", args=["peaks", "retrieval"]), {"corpus": elsewhere.name})
    assert Making.objects.get().queue == "outside"
