"""An automatic judge's signature as people read it: `ALCE, word coverage`.

The signature stays the judge's name; this says what is most worth knowing of it. What judges and
scorers are called stands with each of them, in packages that build on this one: they are made known
here when the program starts (`name_by`). Nothing is called anything before that.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol
from urllib.parse import urlsplit

USUAL_THRESHOLDS: Final = {"", "0.5"}
PLAIN_STYLE: Final = "direct"
"""How language models are asked where nobody says otherwise."""


class JudgeNamed(Protocol):
    """A judge, as far as its title goes."""

    @property
    def title(self) -> str: ...


class ScorerNamed(Protocol):
    """A scorer, as far as the titles of judges go."""

    @property
    def said(self) -> str:
        """What is said of it; of an empty one its name and its model or address."""
        ...

    @property
    def own_threshold(self) -> bool:
        """Whether its threshold is its own affair."""
        ...

    @property
    def caution(self) -> str:
        """What must be known of its numbers wherever they stand, if anything."""
        ...


OF_MODELS: Final = "model"
"""With it begin the signatures of language models that judge."""

VARIED: Final[Mapping[str, str]] = {
    "choices": "choices reversed",
    "passages": "passages reversed",
    "padded": "answer padded",
    "system": "system named",
    "repeat": "asked again",
}
"""What a language model that judges is told otherwise, as titles say it."""

JURY: Final = "jury"
"""With it begin the signatures of judges that are made of judges."""

LEARNED: Final = ("chosen", "shown", "weighed")
"""Before the digest of the labels of the study that a judge learned from: for its thresholds or
calibration, in its prompt, and for a jury's weights."""

METHODS: Final[Mapping[str, str]] = {
    "majority": "by majority",
    "weighted": "weighted by labels",
    "dawid-skene": "by Dawid-Skene",
}
"""How a jury makes one verdict of several, as titles say it."""

SIMULATED: Final = "simulated"
"""Stands in the signature of a judge that is made up."""

SIMULATED_CAUTION: Final = (
    "Simulated: no model was asked. Fixed rules make its answers, with known errors and biases."
)

_known: list[tuple[Mapping[str, JudgeNamed], Mapping[str, ScorerNamed]]] = []


def name_by(judges: Mapping[str, JudgeNamed], scorers: Mapping[str, ScorerNamed]) -> None:
    """Titles come from these from now on."""
    _known[:] = [(judges, scorers)]


def readable(signature: str) -> str:
    """The judge, its scorer or model, and where they are not the usual ones threshold, variant and
    the style of asking.

    What is not written as Attest writes signatures is given back as it is.
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


def plain_and_varied(signature: str) -> tuple[str, tuple[str, ...]]:
    """That of the plain judge, and what a judge with this signature varies; of others nothing."""
    judge, *rest = signature.split("|")
    count = 0
    while judge == OF_MODELS and count < len(rest) and rest[count].partition(":")[0] in VARIED:
        count += 1
    return "|".join([judge, *rest[count:]]), tuple(rest[:count])


def is_jury(signature: str) -> bool:
    """Whether the judge with this signature is made of judges."""
    return signature.startswith(f"{JURY}|")


def learned(signature: str) -> bool:
    """Whether the judge with this signature learned from labels of its study."""
    return any(part.partition(":")[0] in LEARNED for part in signature.split("|")[1:])


def family(signature: str) -> str:
    """Whose model judges, as far as somebody said."""
    judge, *rest = signature.split("|")
    return _parts(rest).get("family", "") if judge == OF_MODELS else ""


def caution(signature: str) -> str:
    """What must be known of this judge's numbers; empty for most judges."""
    judges, scorers = _named()
    name, *rest = signature.split("|")
    parts = _parts(rest)
    if (name in judges or name == JURY) and SIMULATED in parts:
        return SIMULATED_CAUTION
    scorer = next((key for key in parts if key in scorers), "")
    return scorers[scorer].caution if scorer and name in judges else ""


def _varied(words: str, value: str) -> str:
    """Repeats are counted: all are of the same words."""
    return f"{words} ({value})" if value.isdecimal() and words == VARIED["repeat"] else words


def _parts(given: Sequence[str]) -> dict[str, str]:
    """The settings of a signature; of one that is named twice, the first."""
    found: dict[str, str] = {}
    for part in given:
        key, sign, value = part.partition(":")
        if sign:
            found.setdefault(key, value)
    return found


def _named() -> tuple[Mapping[str, JudgeNamed], Mapping[str, ScorerNamed]]:
    """An error where nothing was made known: every judge would be shown by its signature."""
    if not _known:
        raise LookupError(
            "No judge has a title yet. Without Django, call "
            "name_by(evaluation.judges.JUDGES, evaluation.judges.entailment.SCORERS) first."
        )
    return _known[0]


def _model(parts: Mapping[str, str]) -> str:
    """The model; of one behind an address that was not asked for by name, whose address it is, or
    the connection that leads there."""
    model = parts.get("model", "")
    if not {"url", "connection"} & parts.keys() or model not in {"", "default"}:
        return model
    if "connection" in parts:
        return parts["connection"]
    try:
        return urlsplit(parts["url"]).hostname or ""
    except ValueError:
        return ""
