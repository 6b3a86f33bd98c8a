"""TRUE (`google/t5_xxl_true_nli_mixture`) and similar models, which write “1” for
entailed.

O. Honovich et al. (2022), TRUE: Re-evaluating Factual Consistency Evaluation. The published scripts
generate the answer; here the probability of the label's token as the first word is used: one pass
through the encoder, one step of the decoder.
"""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import AutoModelForSeq2SeqLM

from evaluation.judges.entailment.loading import Length, ScorerError, Share, Threads, Tokens
from evaluation.judges.entailment.pretrained import DType, Pretrained, WindowedScorer
from evaluation.judges.entailment.rows import (
    Encoded,
    LongPolicy,
    PairTokens,
    Rows,
    limit_of,
    policy_signature,
)
from evaluation.judges.entailment.scorer import Pair, fingerprint_of

PROMPT = "premise: {premise} hypothesis: {hypothesis}"
MOST_TOKENS = 2_048
"""For models with relative positions, which have no limit: ALCE's premises fit whole."""


class Seq2Seq(WindowedScorer):
    """Probability of the label's token (`1`) at the first step of the decoder."""

    def __init__(
        self,
        model: str,
        *,
        revision: str = "",
        prompt: str = PROMPT,
        label: str = "1",
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
        self._prompt = _parts(prompt)
        self._pretrained = Pretrained(
            AutoModelForSeq2SeqLM,
            model,
            revision=revision,
            dtype=dtype,
            device=device,
            device_map=device_map,
            eight_bit=eight_bit,
            threads=threads,
        )
        self._label = label
        self._token = self._label_token(label)
        positions = _positions(self._pretrained.config)
        limit = limit_of(max_tokens, usual=positions or MOST_TOKENS, most=positions)
        self._rows = Rows(
            encode=self._encode,
            spans=self._pretrained.spans,
            limit=limit,
            window=min(window or limit, limit),
            policy=long,
        )
        self._batches = self._pretrained.batches(self._forward, batch_tokens)

    @property
    def fingerprint(self) -> str:
        """Name the model, the prompt, the label, and the policy for long premises."""
        return fingerprint_of(
            [
                ("seq2seq", 1),
                *self._pretrained.identity(),
                self._prompt_part(),
                ("label", self._label),
                ("long", policy_signature(self._rows.policy)),
                ("tokens", f"{self._rows.window}/{self._rows.limit}"),
            ]
        )

    def _prompt_part(self) -> tuple[str, str]:
        before, between, after = self._prompt
        if "…" in before + between + after:
            return "whole prompt", f"{before}{{premise}}{between}{{hypothesis}}{after}"
        return "prompt", f"{before}…{between}…{after}"

    def _encode(self, pairs: Sequence[Pair]) -> list[Encoded]:
        before, between, after = self._prompt
        texts = [f"{before}{premise}{between}{hypothesis}{after}" for premise, hypothesis in pairs]
        found = self._pretrained.tokenizer(texts, return_attention_mask=False, verbose=False)
        return [Encoded(tokens) for tokens in found["input_ids"]]

    def _forward(self, batch: Sequence[PairTokens]) -> torch.Tensor:
        model = self._pretrained.model
        inputs = self._pretrained.inputs(batch)
        start = torch.full((len(batch), 1), self._start(), device=model.device)
        logits: torch.Tensor = model(**inputs, decoder_input_ids=start, use_cache=False).logits
        return logits[:, -1].float().softmax(dim=-1)[:, self._token]

    def _start(self) -> int:
        """Return the first token of the decoder."""
        config = self._pretrained.config
        start = getattr(config, "decoder_start_token_id", None)
        return int(config.pad_token_id or 0) if start is None else int(start)

    def _label_token(self, label: str) -> int:
        tokens = self._pretrained.tokenizer(label, add_special_tokens=False)["input_ids"]
        unknown = self._pretrained.tokenizer.unk_token_id
        if len(tokens) != 1 or tokens[0] == unknown:
            raise ScorerError(
                f"The label “{label}” is {len(tokens) or 'no'} tokens to this model, or one that "
                "it does not know; a label must be one token. Say another with the option label."
            )
        return int(tokens[0])


def _positions(config: Any) -> int | None:
    """Return the number of positions, or None if they are relative."""
    if hasattr(config, "relative_attention_num_buckets"):
        return None
    return getattr(config, "max_position_embeddings", None) or None


def _parts(prompt: str) -> tuple[str, str, str]:
    """Return the text before the premise, between it and the hypothesis, and after."""
    before, premise, rest = prompt.partition("{premise}")
    between, hypothesis, after = rest.partition("{hypothesis}")
    if not (premise and hypothesis):
        raise ScorerError(
            f"The prompt “{prompt}” must hold {{premise}} and, after it, {{hypothesis}}."
        )
    return before, between, after
