"""The built-in small network."""

import math
from collections.abc import Sequence
from logging import ERROR
from typing import Any

import torch
from safetensors.torch import load_file
from transformers import AutoModelForSequenceClassification
from transformers.utils import logging

from evaluation.judges.entailment.coverage import Coverage, evidence
from evaluation.judges.entailment.loading import ScorerError, Threads, Tokens
from evaluation.judges.entailment.pretrained import DType, Pretrained, WindowedScorer
from evaluation.judges.entailment.rows import PairTokens, Rows, policy_signature
from evaluation.judges.entailment.scorer import Pair, fingerprint_of
from evaluation.judges.entailment.weights import (
    BASE_PACKAGE,
    WEIGHTS,
    base_digest,
    base_folder,
    read_details,
    weights_digest,
)

SHARPEST = 15.0
"""The largest logit: beyond it a probability tells no more."""


class Trained(WindowedScorer):
    """A logistic regression on the best window's logit and on the features of `coverage`."""

    def __init__(
        self,
        *,
        batch_tokens: Tokens = 0,
        dtype: DType = "auto",
        device: str = "auto",
        threads: Threads = 0,
    ) -> None:
        self.details = read_details()
        self.threshold = self.details.threshold
        base = base_folder()
        if base_digest(base) != self.details.base:
            raise ScorerError(
                f"The built-in network was trained on another version of {BASE_PACKAGE}. Install "
                "the one that requirements.txt names."
            )
        self._pretrained = Pretrained(
            _WithWeights, str(base), dtype=dtype, device=device, threads=threads
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
        """Name the weights, their use, and the precision."""
        counted = dict(self._pretrained.identity())
        return fingerprint_of(
            [
                ("trained", 1),
                ("weights", weights_digest()),
                ("base", self.details.base[:16]),
                ("dtype", counted["dtype"]),
                ("transformers", counted["transformers"]),
                ("long", policy_signature("window")),
                ("with", Coverage().fingerprint.replace(":", "")),
            ]
        )

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        """Return a probability for each pair, in order."""
        return [
            _sigmoid(self._total(pair, logit))
            for pair, logit in zip(pairs, self.logits(pairs), strict=True)
        ]

    def logits(self, pairs: Sequence[Pair]) -> list[float]:
        """Return the network's raw logit of each pair's best window."""
        found = super().probabilities(pairs)
        return [math.log(one / (1 - one)) if one == one else one for one in found]

    def _total(self, pair: Pair, logit: float) -> float:
        values = {"logit": logit, **evidence(*pair)._asdict(), "bias": 1.0}
        weights = self.details.combination
        return math.fsum(weight * values[name] for name, weight in weights.items())

    def _forward(self, batch: Sequence[PairTokens]) -> torch.Tensor:
        logits: torch.Tensor = (
            self._pretrained.model(**self._pretrained.inputs(batch)).logits[:, 0].double()
        )
        return logits.clamp(-SHARPEST, SHARPEST).sigmoid()


class _WithWeights:
    """Loads a base model, then replaces the trained weights."""

    @staticmethod
    def from_pretrained(base: Any, **options: Any) -> Any:
        loud = logging.get_verbosity()
        logging.set_verbosity(ERROR)  # the base is known to have no classification layer
        try:
            model = AutoModelForSequenceClassification.from_pretrained(
                base, num_labels=1, ignore_mismatched_sizes=True, **options
            )
        finally:
            logging.set_verbosity(loud)
        model.load_state_dict(load_file(WEIGHTS), strict=False)
        return model


def _sigmoid(total: float) -> float:
    if total < 0:
        return math.exp(total) / (1 + math.exp(total))
    return 1 / (1 + math.exp(-total))
