"""The network while it is trained: a base with one number on top, its word vectors at rest."""

from collections.abc import Iterable, Mapping, Sequence
from logging import ERROR
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors.torch import load_file
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from transformers.utils import logging

from evaluation.entailment.batching import Batches, padded
from evaluation.entailment.premises import Spans
from evaluation.entailment.rows import Encoded, PairTokens, Rows
from training.scorer.windows import MOST, TrainingRow

DType = Literal["auto", "float32", "bfloat16"]
"""What is computed with; sums, weights and their changes always have 32 bits."""

SHARPEST = 15.0
"""Logits are cut off here: a probability tells no more."""


class Network:
    """Base, tokenizer and device; computes logits of rows, and the best of a pair's windows."""

    def __init__(
        self, base: Path, *, seed: int, device: str = "auto", dtype: DType = "auto"
    ) -> None:
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        self.device = torch.device(device)
        self._half = dtype == "bfloat16" or (dtype == "auto" and fits_bf16(self.device))
        self.tokenizer: Any = AutoTokenizer.from_pretrained(base)
        torch.manual_seed(seed)
        loud = logging.get_verbosity()
        logging.set_verbosity(ERROR)  # that the number on top is new is no news
        try:
            self.model: Any = AutoModelForSequenceClassification.from_pretrained(
                base,
                num_labels=1,
                ignore_mismatched_sizes=True,  # what a base has on top is put away
                # Both are slow on a CPU, above all backwards; eager attention is not.
                attention_probs_dropout_prob=0.0,
                attn_implementation="eager",
                dtype=torch.float32,
            )
        finally:
            logging.set_verbosity(loud)
        self.model.to(self.device)
        self._words = self.model.get_input_embeddings().weight
        self._words.requires_grad_(False)

    def learned(self) -> dict[str, torch.nn.Parameter]:
        """What is trained and shipped: everything but the word vectors."""
        named: Iterable[tuple[str, torch.nn.Parameter]] = self.model.named_parameters()
        return {name: one for name, one in named if one is not self._words}

    def rest(self, layers: int) -> None:
        """So many of the lowest layers, and what is below them, learn nothing from now on."""
        resting = {id(one) for one in self.model.base_model.embeddings.parameters()}
        for layer in self.model.base_model.encoder.layer[:layers]:
            resting |= {id(one) for one in layer.parameters()}
        for one in self.learned().values():
            one.requires_grad_(not layers or id(one) not in resting)

    def moving(self) -> dict[str, torch.nn.Parameter]:
        """What does not rest."""
        return {name: one for name, one in self.learned().items() if one.requires_grad}

    def take(self, weights: Mapping[str, torch.Tensor]) -> None:
        """Put these in the place of what was learned."""
        learned = self.learned()
        if missing := sorted(learned.keys() ^ weights.keys()):
            raise ValueError(
                f"Expected weights with the names of the base's, found “{missing[0]}”."
            )
        with torch.no_grad():
            for name, parameter in learned.items():
                parameter.copy_(weights[name])

    def begin_with(self, weights: Path) -> None:
        """Put the weights of a trained scorer's file in the place of what was learned."""
        self.take({name: one.float() for name, one in load_file(weights).items()})

    def copied(self) -> dict[str, torch.Tensor]:
        """What has been learned so far."""
        return {name: one.detach().cpu().clone() for name, one in self.learned().items()}

    def drop(self, part: float) -> None:
        """How much is left out by chance while learning; never of the attention."""
        for name, module in self.model.named_modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0 if name.endswith("attention.self.dropout") else part

    def encode(self, pairs: Sequence[tuple[str, str]]) -> list[Encoded]:
        """Tokens of pairs, nothing cut off."""
        found = self.tokenizer(
            [premise for premise, _ in pairs],
            [hypothesis for _, hypothesis in pairs],
            return_attention_mask=False,
            verbose=False,
        )
        kinds = found.get("token_type_ids") or [None] * len(pairs)
        return [Encoded(*one) for one in zip(found["input_ids"], kinds, strict=True)]

    def spans(self, texts: Sequence[str]) -> list[Spans]:
        """Where the tokens of each text stand."""
        found = self.tokenizer(
            list(texts), add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        return [[(a, b) for a, b in offsets if a < b] for offsets in found["offset_mapping"]]

    def logits(self, batch: Sequence[PairTokens]) -> torch.Tensor:
        """A number for each row, in 16 bits where that is fast, the sum always in 32."""
        inputs = padded(
            batch, filler=self.tokenizer.pad_token_id or 0, multiple=8, device=self.device
        )
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self._half):
            found: torch.Tensor = self.model(**inputs).logits
        return found.float().squeeze(-1)

    def loss(self, batch: Sequence[TrainingRow]) -> torch.Tensor:
        """Weighed cross-entropy of a batch."""
        rows = [PairTokens(number, one.tokens, one.kinds) for number, one in enumerate(batch)]
        labels = torch.tensor([one.label for one in batch], device=self.device)
        weights = torch.tensor([one.weight for one in batch], device=self.device)
        return torch.nn.functional.binary_cross_entropy_with_logits(
            self.logits(rows), labels, weights
        )

    def scores(self, pairs: Sequence[tuple[str, str]], tokens: int) -> list[float]:
        """The logit of each pair's best window."""
        self.model.eval()
        rows = Rows(
            encode=self.encode,
            spans=self.spans,
            limit=tokens,
            window=tokens,
            policy="window",
            most=MOST,
        )
        batches = Batches(
            lambda batch: self.logits(batch).clamp(-SHARPEST, SHARPEST).double().sigmoid(),
            4_096 if self.device.type == "cpu" else 65_536,
        )
        found = torch.tensor(batches.probabilities(pairs, rows), dtype=torch.float64)
        return [float(one) for one in torch.logit(found, eps=1e-7)]


def fits_bf16(device: torch.device) -> bool:
    """Does the hardware count with 16 bits?"""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16") or able.get("bf16"))
