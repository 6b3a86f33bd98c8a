"""Any sequence-classification model for natural language inference, from a folder or the
hub."""

import re
from collections.abc import Sequence
from typing import Any

import torch
from transformers import AutoModelForSequenceClassification

from evaluation.judges.entailment.loading import Length, ScorerError, Share, Threads, Tokens
from evaluation.judges.entailment.pretrained import DType, Pretrained, WindowedScorer
from evaluation.judges.entailment.rows import (
    LongPolicy,
    PairTokens,
    Rows,
    limit_of,
    policy_signature,
)
from evaluation.judges.entailment.scorer import fingerprint_of

FROM_PADDING_ON = ("camembert", "mpnet")
"""More models that count positions from the padding token's number."""

ENTAILS = re.compile(r"(?:entail(?:s|ed|ment)?|support(?:s|ed)?)$", re.IGNORECASE)


class Classifier(WindowedScorer):
    """Softmax probability of the label “entailment”. The label is found by its name in the
    model's config (`entailment`, `supported`), or given by name or number as `label`."""

    def __init__(
        self,
        model: str,
        *,
        revision: str = "",
        label: str | int = "",
        long: LongPolicy = "window",
        window: Length = 0,
        max_tokens: Length = 0,
        batch_tokens: Tokens = 0,
        dtype: DType = "auto",
        device: str = "auto",
        device_map: str = "",
        eight_bit: bool = False,
        threads: Threads = 0,
        threshold: Share = 0.5,
    ) -> None:
        self.threshold = threshold
        self._pretrained = Pretrained(
            AutoModelForSequenceClassification,
            model,
            revision=revision,
            dtype=dtype,
            device=device,
            device_map=device_map,
            eight_bit=eight_bit,
            threads=threads,
        )
        self._label = _label(self._pretrained.config, label)
        positions = _positions(self._pretrained.config)
        usual = int(min(positions or 512, self._pretrained.tokenizer.model_max_length))
        # DeBERTa may use relative positions; its config then has a limit without a table.
        relative = not getattr(self._pretrained.config, "position_biased_input", True)
        limit = limit_of(max_tokens, usual=usual, most=None if relative else positions)
        self._rows = Rows(
            encode=self._pretrained.encode,
            spans=self._pretrained.spans,
            limit=limit,
            window=min(window or limit, limit),
            policy=long,
        )
        self._batches = self._pretrained.batches(self._forward, batch_tokens)

    @property
    def fingerprint(self) -> str:
        """Name the model, its label, and the policy for long premises."""
        return fingerprint_of(
            [
                ("classifier", 1),
                *self._pretrained.identity(),
                ("label", self._label),
                ("long", policy_signature(self._rows.policy)),
                ("tokens", f"{self._rows.window}/{self._rows.limit}"),
            ]
        )

    def _forward(self, batch: Sequence[PairTokens]) -> torch.Tensor:
        logits: torch.Tensor = self._pretrained.model(
            **self._pretrained.inputs(batch)
        ).logits.float()
        if logits.shape[1] == 1:
            return logits.sigmoid()[:, 0]
        return logits.softmax(dim=1)[:, self._label]


def _label(config: Any, wanted: str | int) -> int:
    names = {int(number): str(name) for number, name in config.id2label.items()}
    listed = ", ".join(f"{number} = {name}" for number, name in sorted(names.items()))
    if wanted == "":
        found = [number for number, name in names.items() if ENTAILS.match(name)]
        if len(names) == 1:
            return 0
        if len(found) != 1:
            raise ScorerError(
                "The names of the model's labels do not show which one means “entailed” "
                f"({listed}). Name it with the option label."
            )
        return found[0]
    for number, name in names.items():
        if str(wanted).lower() in (str(number), name.lower()):
            return number
    raise ScorerError(f"The model has no label “{wanted}”; it has {listed}.")


def _positions(config: Any) -> int | None:
    """Return the number of positions in the model's config, or None."""
    positions: int | None = getattr(config, "max_position_embeddings", None)
    if positions and ("roberta" in config.model_type or config.model_type in FROM_PADDING_ON):
        return positions - (config.pad_token_id or 0) - 1
    return positions or None
