"""The small network that comes with Attest, or other weights for it."""

import math
from collections.abc import Sequence
from logging import ERROR
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from transformers import AutoModelForSequenceClassification
from transformers.utils import logging

from evaluation.entailment.coverage import Coverage, Features, evidence
from evaluation.entailment.loading import ScorerError
from evaluation.entailment.options import Threads, Tokens
from evaluation.entailment.premises import PremiseLengths, policy_signature
from evaluation.entailment.pretrained import DType, Pretrained
from evaluation.entailment.rows import PairTokens, Rows
from evaluation.entailment.scorer import Pair, fingerprint_of
from evaluation.entailment.weights import EMBEDDED, Folder, base_digest, base_folder, open_folder

LOGIT = "logit"
FEATURES = (LOGIT, *Features._fields)
"""What a combination may weigh."""

SHARPEST = 15.0
"""Logits are cut off here: a probability tells no more."""


class Trained:
    """The best window's logit, made a probability: alone, or together with what `coverage` sees.

    `weights` is a folder with the files that `weights.py` names; without it the built-in network
    is used.
    `base` is the encoder's folder; without it that of its package.
    """

    def __init__(
        self,
        weights: str = "",
        *,
        base: str = "",
        batch_tokens: Tokens = 0,
        dtype: DType = "auto",
        device: str = "auto",
        threads: Threads = 0,
    ) -> None:
        self.folder = open_folder(Path(weights).expanduser() if weights else EMBEDDED)
        self.details = self.folder.details
        self.threshold = self.details.threshold
        self._combination = _checked(self.folder)
        place = base_folder(base)
        if base_digest(place) != self.details.base:
            raise ScorerError(
                f"The weights in “{self.folder.path}” were trained on another base than that in "
                f"“{place}”. Give the folder of theirs with the option base."
            )
        self._pretrained = Pretrained(
            _WithWeights(self.folder.weights),
            str(place),
            revision="",
            dtype=dtype,
            device=device,
            device_map="",
            eight_bit=False,
            threads=threads,
        )
        self._rows = Rows(
            encode=self._pretrained.encode,
            spans=self._pretrained.spans,
            limit=self.details.window,
            window=self.details.window,
            policy="window",
            most=self.details.most,
        )
        self._batches = self._pretrained.batches(self._forward, batch_tokens)

    @property
    def fingerprint(self) -> str:
        """The weights, what is made of their logits, how exactly they are computed."""
        counted = dict(self._pretrained.identity())
        parts: list[tuple[str, object]] = [
            ("trained", 1),
            ("weights", self.folder.digest),
            ("base", self.details.base[:16]),
            ("dtype", counted["dtype"]),
            ("transformers", counted["transformers"]),
            ("long", policy_signature("window")),
        ]
        if self._combination is not None:
            parts.append(("with", Coverage().fingerprint.replace(":", "")))
        return fingerprint_of(parts)

    @property
    def lengths(self) -> PremiseLengths:
        """How often a premise was too long."""
        return self._rows.lengths

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        """A probability for each pair, in their order."""
        logits = self.logits(pairs)
        if self._combination is None:
            return [_sigmoid(one / self.details.temperature) for one in logits]
        return [
            _sigmoid(self._total(pair, logit)) for pair, logit in zip(pairs, logits, strict=True)
        ]

    def logits(self, pairs: Sequence[Pair]) -> list[float]:
        """What the network says of each pair's best window, before anything is made of it."""
        if not pairs:
            return []
        self._pretrained.model  # noqa: B018 read before the threads start, who would all read it
        found = self._batches.probabilities(pairs, self._rows)
        return [math.log(one / (1 - one)) if one == one else one for one in found]

    def _total(self, pair: Pair, logit: float) -> float:
        assert self._combination is not None
        values = features(pair, logit)
        return self._combination["bias"] + sum(
            weight * values[name] for name, weight in self._combination.items() if name != "bias"
        )

    def _forward(self, batch: Sequence[PairTokens]) -> torch.Tensor:
        logits: torch.Tensor = (
            self._pretrained.model(**self._pretrained.inputs(batch)).logits[:, 0].double()
        )
        return logits.clamp(-SHARPEST, SHARPEST).sigmoid()


def features(pair: Pair, logit: float) -> dict[str, float]:
    """What a combination weighs, by name."""
    return {LOGIT: logit, **evidence(*pair)._asdict()}


class _WithWeights:
    """Loads a base as the library does, then puts what was learned into its place."""

    def __init__(self, weights: Path) -> None:
        self._weights = weights

    def from_pretrained(self, base: Any, **options: Any) -> Any:
        loud = logging.get_verbosity()
        logging.set_verbosity(ERROR)  # that the base has no number on top is no news
        try:
            model = AutoModelForSequenceClassification.from_pretrained(
                base, num_labels=1, ignore_mismatched_sizes=True, **options
            )
        finally:
            logging.set_verbosity(loud)
        learned = load_file(self._weights)
        words = model.get_input_embeddings().weight
        wanted = {name for name, one in model.named_parameters() if one is not words}
        if learned.keys() != wanted:
            other = sorted(learned.keys() ^ wanted)[0]
            raise ValueError(f"the weights do not fit the base: “{other}” has only one of them.")
        model.load_state_dict(learned, strict=False)
        return model


def _checked(folder: Folder) -> dict[str, float] | None:
    found = folder.details.combination
    if found is not None and (unknown := sorted(set(found) - {*FEATURES, "bias"})):
        raise ScorerError(
            f"The weights in “{folder.path}” are combined with “{unknown[0]}”, which this version "
            f"of Attest does not compute; it has {', '.join(FEATURES)}."
        )
    return found


def _sigmoid(total: float) -> float:
    if total < 0:
        return math.exp(total) / (1 + math.exp(total))
    return 1 / (1 + math.exp(-total))
