"""A folder as the scorer “trained” reads it, with a base of two layers and random weights."""

import hashlib
import json
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, BertModel

from evaluation.entailment.weights import FORMAT, MANIFEST, Details
from tests.evaluation.entailment.tiny_models import bert


def base(folder: Path) -> Path:
    """An encoder without anything on top."""
    bert(folder, positions=128)
    BertModel.from_pretrained(folder).save_pretrained(folder)
    return folder


def learned(base: Path) -> dict[str, torch.Tensor]:
    """Return all weights but the word vectors, with a head that says more than .5 of everything."""
    torch.manual_seed(1)
    model = AutoModelForSequenceClassification.from_pretrained(base, num_labels=1)
    words = model.get_input_embeddings().weight
    weights = {
        name: one.detach().clone() for name, one in model.named_parameters() if one is not words
    }
    weights["classifier.weight"].normal_(0, 0.3)
    return {name: one.half() for name, one in weights.items()}


def write_details(folder: Path, details: Details) -> None:
    """Write `scorer.json` and list the files with their hashes."""
    written = {"format": FORMAT, **vars(details)}
    (folder / "scorer.json").write_text(json.dumps(written), encoding="utf-8")
    write_manifest(folder)


def write_manifest(folder: Path) -> None:
    hashes = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != MANIFEST
    }
    (folder / MANIFEST).write_text(json.dumps(hashes), encoding="utf-8")
