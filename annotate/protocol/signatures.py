"""Titles of automatic judges, made from their signatures: `ALCE, word coverage`.

The signature remains the judge's name; the title has its most important parts. Packages that build
on this one know the titles of judges and scorers and register them at start (`register_titles`).
"""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol
from urllib.parse import urlsplit

USUAL_THRESHOLDS: Final = {"", "0.5"}
PLAIN_STYLE: Final = "direct"
"""The default style of prompts."""


class JudgeNamed(Protocol):
    @property
    def title(self) -> str: ...


class ScorerNamed(Protocol):
    @property
    def said(self) -> str:
        """Its title; if empty, titles show its name with its model or address."""
        ...

    @property
    def own_threshold(self) -> bool:
        """Whether titles omit its threshold."""
        ...

    @property
    def caution(self) -> str:
        """A warning that is shown with its numbers, if any."""
        ...


OF_MODELS: Final = "model"
"""The first part of language models' signatures."""

VARIED: Final[Mapping[str, str]] = {
    "choices": "choices reversed",
    "passages": "passages reversed",
    "padded": "answer padded",
    "system": "system named",
    "repeat": "asked again",
}
"""Variations of a language model's prompt, in the words of titles."""

JURY: Final = "jury"
"""The first part of juries' signatures."""

LEARNED: Final = ("chosen", "shown", "weighed")
"""Keys of the digest of the study's labels that a judge learned from: for its thresholds or
calibration, in its prompt, and for a jury's weights."""

METHODS: Final[Mapping[str, str]] = {
    "majority": "by majority",
    "weighted": "weighted by labels",
    "dawid-skene": "by Dawid-Skene",
}
"""How a jury combines verdicts, in the words of titles."""

SIMULATED: Final = "simulated"
"""Part of the signature of a simulated judge."""

SIMULATED_CAUTION: Final = (
    "Simulated: no model was asked. Fixed rules make its answers, with known errors and biases."
)

_known: list[tuple[Mapping[str, JudgeNamed], Mapping[str, ScorerNamed]]] = []


def register_titles(judges: Mapping[str, JudgeNamed], scorers: Mapping[str, ScorerNamed]) -> None:
    """Register the judges and scorers with their titles."""
    _known[:] = [(judges, scorers)]


def judge_title(signature: str) -> str:
    """Return a judge's title: its scorer or model, and any unusual threshold, variant and style.

    A signature in another format is returned unchanged.
    """
    judges, scorers = _named()
    name, *rest = signature.split("|")
    parts = _parts(rest)
    if name == JURY and parts.get("by") in METHODS:
        count = len(parts.get("judges", "").split("."))
        return f"Jury of {count} judges, {METHODS[parts['by']]}"
    if not rest or name not in judges:
        return signature
    said = [judges[name].title]
    scorer = next((key for key in parts if key in scorers), "")
    if scorer:
        said.append(scorers[scorer].said or f"{scorer} {_model(parts)}".strip())
    if "style" in parts:
        said.append(parts.get("model", ""))
        style, _, edition = parts["style"].partition(":")
        version = edition.partition(".")[0]
        later = f" {version}" if version not in ("", "1") else ""
        said += [style.replace("_", " ") + later] * (style != PLAIN_STYLE or bool(later))
        said += [f"effort {parts.get('effort')}"] * ("effort" in parts)
        said += [f"{parts.get('samples')} samples"] * ("samples" in parts)
        said += ["log-probabilities"] * ("logprobs" in rest)
        said += [_varied(words, parts[key]) for key, words in VARIED.items() if key in parts]
    if "examples" in parts:
        said.append(f"{parts['examples']} examples")
    if "guideline-examples" in rest:
        said.append("examples of the guidelines")
    threshold = parts.get("thr", "")
    if threshold not in USUAL_THRESHOLDS and not (scorer and scorers[scorer].own_threshold):
        said.append(f"threshold{'s' * ('/' in threshold)} {threshold}")
    if "calibrated" in parts:
        said.append(f"calibrated ({parts['calibrated']})")
    if parts.get("variant") == "paper":
        said.append("as in the paper")
    return ", ".join(said)


def split_variations(signature: str) -> tuple[str, tuple[str, ...]]:
    """Return the signature without variations of the prompt, and these variations."""
    judge, *rest = signature.split("|")
    count = 0
    while judge == OF_MODELS and count < len(rest) and rest[count].partition(":")[0] in VARIED:
        count += 1
    return "|".join([judge, *rest[count:]]), tuple(rest[:count])


def is_jury(signature: str) -> bool:
    return signature.startswith(f"{JURY}|")


def has_learned(signature: str) -> bool:
    """Whether the judge with this signature learned from labels of its study."""
    return any(part.partition(":")[0] in LEARNED for part in signature.split("|")[1:])


def model_family(signature: str) -> str:
    """Return the family of a language model, if it is given."""
    judge, *rest = signature.split("|")
    return _parts(rest).get("family", "") if judge == OF_MODELS else ""


def judge_caution(signature: str) -> str:
    """Return a warning about this judge's numbers; empty for most judges."""
    judges, scorers = _named()
    name, *rest = signature.split("|")
    parts = _parts(rest)
    if (name in judges or name == JURY) and SIMULATED in parts:
        return SIMULATED_CAUTION
    scorer = next((key for key in parts if key in scorers), "")
    return scorers[scorer].caution if scorer and name in judges else ""


def _varied(words: str, value: str) -> str:
    """Return the name of a variation. Repeats are numbered, because they share a name."""
    return f"{words} ({value})" if value.isdecimal() and words == VARIED["repeat"] else words


def _parts(given: Sequence[str]) -> dict[str, str]:
    """Return the settings of a signature. The first of two equal names counts."""
    found: dict[str, str] = {}
    for part in given:
        key, sign, value = part.partition(":")
        if sign:
            found.setdefault(key, value)
    return found


def _named() -> tuple[Mapping[str, JudgeNamed], Mapping[str, ScorerNamed]]:
    """Return the registered judges and scorers. Without any, all titles would be wrong."""
    if not _known:
        raise LookupError(
            "No judge has a title yet. Without Django, call "
            "register_titles(evaluation.judges.JUDGES, evaluation.judges.entailment.SCORERS) first."
        )
    return _known[0]


def _model(parts: Mapping[str, str]) -> str:
    """Return the model, or else the connection or host of a server whose model has no name."""
    model = parts.get("model", "")
    if not {"url", "connection"} & parts.keys() or model not in {"", "default"}:
        return model
    if "connection" in parts:
        return parts["connection"]
    try:
        return urlsplit(parts["url"]).hostname or ""
    except ValueError:
        return ""
