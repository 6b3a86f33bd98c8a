"""An automatic judge's signature as people read it: `ALCE, built-in coverage`.

The signature stays the judge's name; this says what is most worth knowing of it.
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

JUDGES: Final = {
    "autoais": "AutoAIS",
    "alce": "ALCE",
    "aliice": "ALiiCE",
    "correctness": "Correctness",
    "fluency": "Fluency",
}
SCORERS: Final = {
    "coverage": "built-in coverage",
    "trained": "network",
    "containment": "containment",
    "classifier": "",
    "seq2seq": "",
    "http": "",
}
"""What is said of a scorer; of an empty one its model or address."""

USUAL_THRESHOLDS: Final = {"", "0.5"}


def readable(signature: str) -> str:
    """The judge, its scorer, and where they are not the usual ones threshold and variant.

    What is not written as Attest writes signatures is given back as it is.
    """
    name, *rest = signature.split("|")
    if name not in JUDGES or not rest:
        return signature
    parts: dict[str, str] = {}
    for part in rest:
        key, sign, value = part.partition(":")
        if sign:
            parts.setdefault(key, value)
    said = [JUDGES[name]]
    scorer = next((key for key in parts if key in SCORERS), "")
    if scorer:
        said.append(SCORERS[scorer] or f"{scorer} {_model(scorer, parts)}".strip())
    threshold = parts.get("thr", "")
    if threshold not in USUAL_THRESHOLDS and scorer != "trained":
        said.append(f"threshold {threshold}")
    if parts.get("variant") == "paper":
        said.append("as in the paper")
    return ", ".join(said)


def _model(scorer: str, parts: Mapping[str, str]) -> str:
    """The model; of one behind an address that was not asked for by name, whose address it is."""
    model = parts.get("model", "")
    if scorer != "http" or model not in {"", "default"}:
        return model
    try:
        return urlsplit(parts.get("url", "")).hostname or ""
    except ValueError:
        return ""
