"""`train_scorer`, as somebody types it: from files, and further with a study's own judgments."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
import torch
from django.core.management import CommandError, call_command
from django.urls import reverse
from safetensors.torch import load_file

from annotate.models import Judge
from annotate.services.errors import Refused
from evaluation.claims import claims_signature
from evaluation.entailment import Asker, load_scorer
from evaluation.entailment.trained import Trained
from evaluation.entailment.weights import open_folder
from evaluation.judges import load_judge
from evaluation.judges.settings import JudgeSettings
from evaluation.models import ClaimDivision, Making, TrainedOn, TrainedScorer
from evaluation.outside.allowed import refuse_foreign
from evaluation.reading.trained_on import WARNING, units_left_out
from evaluation.running import making
from evaluation.running.claims import make_claims
from tests.annotate.loading import load, response
from tests.annotate.pages import policy_faults, visible
from tests.beginnings import beginning
from tests.evaluation.desk import exclude, rater, says, unit
from tests.evaluation.judged import judge_study
from tests.evaluation.services.test_judging import Flat
from tests.training.scorer.conftest import one_core  # noqa: F401 used by all
from tests.training.scorer.small import SUBJECTS, base, pairs, write
from training.from_study import study_pairs

MACHINE = ("--device", "cpu", "--dtype", "float32", "--threads", 1)
SOURCES = ("ab-lfqa", "wice", "fever", "xquad-qa", "snli")


def run(*words):
    out, err = StringIO(), StringIO()
    call_command("train_scorer", *map(str, words), stdout=out, stderr=err)
    return out.getvalue()


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return base(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    train = [pair for source in SOURCES for pair in pairs(24, source, long=source == "wice")]
    dev = [pair for source in SOURCES for pair in pairs(16, source, seed=2)]
    return write(tmp_path_factory.mktemp("data"), train=train, dev=dev)


@pytest.fixture(scope="module")
def trained(tmp_path_factory, encoder, data):
    """A folder that the command wrote, and what it said."""
    folder = tmp_path_factory.mktemp("trained")
    said = run("--data", data, "--base", encoder, "--out", folder, "--passes", 1, 1, 1, *MACHINE)
    return folder, said


def test_it_makes_a_scorer_with_its_card(trained, encoder):
    folder, said = trained
    files = {path.name for path in folder.iterdir()}
    assert {"weights.safetensors", "scorer.json", "manifest.json", "card.md"} <= files
    scorer = load_scorer(
        "trained", weights=str(folder), base=str(encoder), device="cpu", dtype="float32"
    )
    assert all(0 < one < 1 for one in scorer.probabilities([("rain falls", "snow falls")]))
    card = (folder / "card.md").read_text()
    assert card in said
    for heading in ("### coverage", "### network", "### combination", "## The gate"):
        assert heading in card
    for part in ("ab-*", "wice", "fever", "xquad-qa"):
        assert card.count(f"| {part} |") == 5
    assert "no TRUE" in card
    details = json.loads((folder / "scorer.json").read_text())
    assert details["training"]["seed"] == 1
    assert len(details["training"]["data"]) == 64
    assert [stage["passes"] for stage in details["training"]["recipe"]["stages"]] == [1, 1, 1]


def test_the_gate_is_said(trained):
    folder, said = trained
    met = "**not met**" not in (folder / "card.md").read_text()
    assert f"the default scorer is: {'trained' if met else 'coverage'}" in said


def test_what_is_trained_is_not_trained_again(trained, encoder, data):
    folder, _ = trained
    before = (folder / "weights.safetensors").read_bytes()
    run("--data", data, "--base", encoder, "--out", folder, "--passes", 1, 1, 1, *MACHINE)
    assert (folder / "weights.safetensors").read_bytes() == before


def test_the_same_seed_gives_the_same_weights(trained, encoder, data, tmp_path):
    folder, _ = trained
    common = ("--data", data, "--base", encoder, "--passes", 1, 1, 1, *MACHINE)
    run(*common, "--out", tmp_path / "same")
    run(*common, "--out", tmp_path / "other", "--seed", 2)
    weights = [
        (one / "weights.safetensors").read_bytes()
        for one in (folder, tmp_path / "same", tmp_path / "other")
    ]
    assert weights[0] == weights[1] != weights[2]


def test_it_goes_on_from_weights_with_claims_that_people_judged(trained, encoder, data, tmp_path):
    folder, _ = trained
    judged = tmp_path / "judged.jsonl"
    claim = {"claim": "The rain was found in the town.", "evidence": ["The rain was in the town."]}
    lines = [json.dumps({**claim, "support": one}) for one in ("complete", "partial", "incomplete")]
    judged.write_text("\n".join(lines), encoding="utf-8")
    common = ("--data", data, "--attribution", judged, "--base", encoder, "--passes", 1, *MACHINE)
    card = run(*common, "--weights", folder, "--out", tmp_path / "on")
    digest = open_folder(folder).digest
    assert f"| went on from | {digest} |" in card
    training = open_folder(tmp_path / "on").details.training
    assert [stage["name"] for stage in training["recipe"]["stages"]] == ["cited answers"]
    # Half of the base's two layers and more rest; what is on top learned.
    one, other = (load_file(path / "weights.safetensors") for path in (folder, tmp_path / "on"))
    changed = {name for name in one if not torch.equal(one[name], other[name])}
    assert "classifier.weight" in changed
    assert not [name for name in changed if ".embeddings." in name or ".layer.0." in name]
    # Other weights are another training.
    with pytest.raises(CommandError, match="another recipe"):
        run(*common, "--weights", tmp_path / "on", "--out", tmp_path / "on")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Expected --data DIR, --from-study STUDY or both"),
        (["--data", "DATA"], "Expected --out DIR"),
        (["--data", "EMPTY", "--out", "OUT"], "Expected train.jsonl.gz or train.jsonl in"),
        (["--data", "DATA", "--out", "OUT", "--passes", "1"], "Expected 3 numbers of passes"),
        (["--data", "DATA", "--out", "OUT", "--base", "OUT"], "Expected the base's folder"),
    ],
)
def test_what_is_missing_is_said(words, message, data, tmp_path):
    (tmp_path / "empty").mkdir()
    known = {"DATA": data, "EMPTY": tmp_path / "empty", "OUT": tmp_path / "out"}
    with pytest.raises(CommandError) as refused:
        run(*(known.get(word, word) for word in words))
    assert message in str(refused.value)


# With a study's own judgments ---------------------------------------------------------------------

QUESTIONS = 60


@beginning
def judged(study):
    """A statement for each question; three people say whether its passage supports it."""
    lines = []
    for number in range(QUESTIONS):
        subject = SUBJECTS[number % len(SUBJECTS)]
        other = SUBJECTS[(number + 1) % len(SUBJECTS)]
        passage = ("Weather", f"{subject} was found in the coast town number {number}.")
        said = subject if number % 2 else other
        lines.append(
            response(
                f"{said} was found in the coast town [1].",
                question=f"What was found, {number}?",
                question_id=f"q{number}",
                passages=(passage,),
            )
        )
    load(study, lines)
    people = [rater(study, f"rater-{number}") for number in (1, 2, 3)]
    for number in range(QUESTIONS):
        where = unit(study, "s1", question=f"q{number}")
        for person in people[:2]:
            says(person, where, "citation_recall", "yes" if number % 2 else "no")
        says(people[2], where, "citation_recall", "no")
    return study


def further(trained, encoder, *words):
    folder, _ = trained
    common = ("--weights", folder, "--base", encoder, "--folds", 2, *MACHINE)
    return run("--from-study", "peaks", "--anyway", *common, *words)


def test_pairs_are_what_the_judge_asks_and_labels_the_majority(judged):
    found = study_pairs(judged)
    assert len(found) == QUESTIONS
    by_question = {one.question: one for one in found}
    pair = by_question["q3"].pair
    assert pair.premise == "Title: Weather\nsnow was found in the coast town number 3.".replace(
        "snow", SUBJECTS[3]
    )
    assert pair.hypothesis == f"{SUBJECTS[3]} was found in the coast town."
    assert [by_question[f"q{n}"].pair.label for n in range(4)] == [0, 1, 0, 1]
    assert by_question["q3"].unit == unit(judged, "s1", question="q3").pk


def test_the_excluded_have_no_say(judged):
    exclude(Judge.objects.get(name="rater-1"))
    # Of two, one says yes and one no: a tie is a no.
    assert {one.pair.label for one in study_pairs(judged)} == {0}


def test_answers_about_whole_responses_and_claims_are_pairs_too(judged):
    person = rater(judged, "fourth")
    whole = unit(judged, "r", question="q0")
    says(person, whole, "attributable", "yes")
    make_claims(judged, Flat())
    claim = unit(judged, "s1.a1", question="q0")
    says(person, claim, "claim_recall", "yes")
    without = study_pairs(judged)
    found = study_pairs(judged, parser=Flat())
    assert (len(without), len(found)) == (QUESTIONS + 1, QUESTIONS + 2)
    by_unit = {one.unit: one.pair for one in found}
    assert by_unit[whole.pk].hypothesis.startswith(
        "The answer to the question 'What was found, 0?'"
    )
    assert by_unit[claim.pk].label == 1
    signatures = ClaimDivision.objects.values_list("signature", flat=True).distinct()
    assert list(signatures) == [claims_signature(Flat())]


@pytest.fixture
def scorer(judged, trained, encoder, tmp_path):
    said = further(trained, encoder, "--out", tmp_path / "own")
    return TrainedScorer.objects.get(), said, tmp_path / "own"


def test_it_compares_before_and_after_on_other_questions(scorer, judged):
    kept, said, folder = scorer
    before, after = kept.agreement["before"], kept.agreement["after"]
    assert before["number"] == after["number"] == 18
    assert kept.units.count() == QUESTIONS - 18
    training = json.loads((folder / "scorer.json").read_text())["training"]
    parts = training["questions"]
    assert {name: len(some) for name, some in parts.items()} == {
        "train": 33,
        "dev": 9,
        "held out": 18,
    }
    held_out = {unit(judged, "s1", question=name).pk for name in parts["held out"]}
    assert not held_out & set(training["units"])
    assert set(kept.units.values_list("unit", flat=True)) == set(training["units"])
    assert "42 units may not be used to evaluate it" in said
    assert f"--scorer trained --option weights={folder}" in said


def test_its_judge_is_another_and_leaves_out_what_it_was_trained_with(
    scorer, judged, trained, encoder
):
    kept, _, folder = scorer
    judges = []
    for weights in (trained[0], folder):
        asker = Asker(
            load_scorer(
                "trained", weights=str(weights), base=str(encoder), device="cpu", dtype="float32"
            )
        )
        judge = judge_study(judged, load_judge("alce", asker=asker)).judge
        assert judge is not None
        judges.append(judge)
    shipped, own = judges
    assert shipped.name != own.name
    assert units_left_out(shipped) == frozenset()
    assert units_left_out(own) == set(TrainedOn.objects.values_list("unit", flat=True))
    assert len(units_left_out(own)) == 42
    person = Judge.objects.create(study=judged, name=f"|weights:{kept.fingerprint}", kind="human")
    assert units_left_out(person) == frozenset()


def test_another_study_leaves_nothing_out(scorer, elsewhere):
    kept, _, _ = scorer
    judge = Judge.objects.create(
        study=elsewhere, name=f"alce|trained:1|weights:{kept.fingerprint}|thr:0.5", kind="automatic"
    )
    assert units_left_out(judge) == frozenset()


def test_its_page_shows_both_and_warns(scorer, judged, signed_in, bob):
    kept, _, _ = scorer
    html = signed_in(bob).get(reverse("scorers", args=["peaks"])).content.decode()
    text = visible(html)
    assert policy_faults(html) == []
    assert WARNING in text
    assert kept.fingerprint in text
    assert "42 units" in text
    assert "Before" in text
    assert "After" in text
    assert f"{kept.agreement['after']['accuracy']:.0%}".rstrip("%") in text


def test_its_page_before_there_is_one(peaks, signed_in, bob):
    client = signed_in(bob)
    data_page = client.get(reverse("data", args=["peaks"])).content.decode()
    assert reverse("scorers", args=["peaks"]) in data_page
    page = client.get(reverse("scorers", args=["peaks"])).content.decode()
    assert reverse("making-new", args=["peaks", "scorer"]) in page


def test_a_folder_that_is_taken_is_refused(scorer, trained, encoder):
    _, _, folder = scorer
    with pytest.raises(CommandError, match="There is a trained scorer in"):
        further(trained, encoder, "--out", folder)


def test_without_out_it_is_kept_with_the_data(judged, trained, encoder, settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    further(trained, encoder, "--seed", 4)
    kept = TrainedScorer.objects.get()
    assert kept.folder == str(tmp_path / "data" / "scorers" / "peaks-seed-4")
    assert kept.seed == 4


def test_too_few_judgments_are_refused(peaks, trained, encoder, tmp_path):
    with pytest.raises(CommandError, match="Expected judgments of both kinds"):
        further(trained, encoder, "--out", tmp_path / "own")
    assert not TrainedScorer.objects.exists()


def test_what_is_no_better_is_not_made(judged, trained, encoder, tmp_path):
    """Nor does its judge come into being: nobody takes it by mistake."""
    common = ("--weights", trained[0], "--base", encoder, "--folds", 2, *MACHINE)
    with pytest.raises(CommandError, match="not better than chance of the sample"):
        run("--from-study", "peaks", "--out", tmp_path / "own", *common)
    assert not TrainedScorer.objects.exists()
    assert not (tmp_path / "own" / "scorer.json").exists()


def test_what_is_made_anyway_is_not_to_be_used(scorer, signed_in, bob):
    kept, said, folder = scorer
    gate = kept.agreement["gate"]
    assert not gate["passed"]
    assert f"{gate['said']} That is not better than chance of the sample: do not use it." in said
    assert gate["units"] == QUESTIONS
    text = visible(signed_in(bob).get(reverse("scorers", args=["peaks"])).content.decode())
    assert "That is not better than chance of the sample: do not use it." in text
    details = json.loads((folder / "scorer.json").read_text())
    assert not details["training"]["gate"]["passed"]


@pytest.fixture
def small(trained, encoder, monkeypatch):
    """What a worker trains begins with the small network."""
    start = Trained(str(trained[0]), base=str(encoder), device="cpu", dtype="float32", threads=1)
    monkeypatch.setattr("evaluation.entailment.trained.Trained", lambda _: start)
    monkeypatch.setattr("evaluation.entailment.base.base_folder", lambda _: encoder)


def test_a_worker_trains_it(judged, small, signed_in, bob, settings, tmp_path):
    """Asked for on a page; killed in between, it goes on in the same folder and is one scorer."""
    settings.DATA_DIR = tmp_path / "data"
    client = signed_in(bob)
    asked = {"seed": "1", "folds": "2", "anyway": "on"}
    answer = client.post(reverse("making-new", args=["peaks", "scorer"]), asked)
    made = Making.objects.get()
    assert answer.url == reverse("making", args=["peaks", made.pk])
    assert made.queue == "entailment"

    def stop(phase, done, total):
        if phase == "Training 2 of 3":
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            making.MakingWork, "tell", lambda work, phase, done=0, total=0: stop(phase, 0, 0)
        )
        with pytest.raises(KeyboardInterrupt):
            making.work(made.pk)
    assert making.work(made.pk)
    made.refresh_from_db()
    assert made.error == ""
    kept = TrainedScorer.objects.get()
    assert made.result["key"] == kept.pk
    assert Path(kept.folder).parent == tmp_path / "data" / "scorers"
    page = visible(client.get(reverse("making", args=["peaks", made.pk])).content.decode())
    assert f"Weights: {kept.folder}" in page
    # What was trained here may be judged with here, whatever else the operator listed.
    chosen = JudgeSettings("alce", "trained", options={"weights": kept.folder})
    assert refuse_foreign(chosen, judged, bob) is None
    with pytest.raises(Refused, match="is no model that runs may use here"):
        refuse_foreign(replace(chosen, options={"weights": "/elsewhere"}), judged, bob)


def test_too_little_to_learn_from_is_said(peaks, small, bob):
    made = making.order(peaks, "scorer", {"seed": 1, "folds": 5, "anyway": False}, by=bob)
    making.work(made.pk)
    made.refresh_from_db()
    assert made.state == "failed"
    assert "Judge more questions" in made.error
