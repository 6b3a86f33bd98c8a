"""A BERT whose matrices are multiplied in 8 bits, for processors without fast 16-bit arithmetic.

PyTorch's own dynamic quantisation finds one scale for a whole batch. A few marks, such as the one
between the two texts, have values thirty times as large as words have, and so little is left of the
words. Here every token has its own scale s, and every row of a matrix W:

    W x + b  =  s · (W (x / s)) + b

so it does not matter either what else stands in a batch. Weights have seven of the eight bits:
processors without VNNI add two products in 16 bits, which overflow otherwise. What comes out of a
GELU is never below -.17: it is counted from there up, in all steps that there are.

The last layer is computed for the first token alone: nothing else of it is read.
"""

from typing import Any

import torch
from torch import nn
from torch.nn import functional
from transformers.modeling_outputs import SequenceClassifierOutput

SIGNATURE = "int8/tokens/2"
"""What stands in a fingerprint; the number changes whenever what is computed does."""

LEAST = -0.17
"""The lowest value that GELU has, rounded down."""

WEIGHT_STEPS = 63
SMALLEST = 1e-6


def fits(config: Any, device: torch.device) -> bool:
    """Whether this processor has the arithmetic, and the model is a BERT."""
    return (
        device.type == "cpu"
        and torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        and bool(torch.cpu.get_capabilities().get("avx2"))
        and config.model_type == "bert"
        and config.hidden_act == "gelu"
    )


class EightBitLinear(nn.Module):
    """A linear layer, or several that read the same, one below the other."""

    def __init__(self, *layers: nn.Linear, after_gelu: bool = False) -> None:
        super().__init__()
        weight = torch.cat([one.weight.detach() for one in layers])
        bias = torch.cat([one.bias.detach() for one in layers])
        self._steps = weight.abs().amax(1).clamp(min=SMALLEST) / WEIGHT_STEPS
        self._zeros = torch.zeros(len(weight), dtype=torch.int32)
        rounded = (weight / self._steps[:, None]).round().to(torch.int8)
        self._packed = torch.ops.onednn.qlinear_prepack(rounded, None)
        self._after_gelu = after_gelu
        sums = rounded.sum(1) * self._steps
        self._bias = bias + LEAST * sums if after_gelu else bias

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """What the layers give, one after the other."""
        if self._after_gelu:
            largest, zero = 255, 0
            top = states.amax(-1, keepdim=True).sub_(LEAST)
        else:
            largest, zero = 127, 128
            ends = states.amax(-1, keepdim=True), states.amin(-1, keepdim=True).neg_()
            top = torch.maximum(*ends).clamp_(min=SMALLEST)
        steps = largest / top
        # What is behind the point is cut off, so a half rounds.
        half = 0.5 - LEAST * steps if self._after_gelu else zero + 0.5
        counted = torch.mul(states, steps).add_(half).to(torch.uint8)
        found: torch.Tensor = torch.ops.onednn.qlinear_pointwise(
            counted, 1 / largest, zero, self._packed, self._steps, self._zeros, None,
            1.0, 0, torch.float32, "none", [], "",
        )  # fmt: skip
        return found.mul_(top).add_(self._bias)  # in its place: to find room costs as much


class _Layer(nn.Module):
    """One of the encoder's, for all tokens or for the first alone."""

    def __init__(self, original: Any, *, first_alone: bool) -> None:
        super().__init__()
        attention = original.attention.self
        self._heads = attention.num_attention_heads
        inputs = (attention.query, attention.key, attention.value)
        self._query = EightBitLinear(inputs[0]) if first_alone else None
        self._read = EightBitLinear(*inputs[first_alone:])
        self._joined = EightBitLinear(original.attention.output.dense)
        self._norm = original.attention.output.LayerNorm
        self._wide = EightBitLinear(original.intermediate.dense)
        self._narrow = EightBitLinear(original.output.dense, after_gelu=True)
        self._last_norm = original.output.LayerNorm

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """States of the tokens, from those of the layer below."""
        parts = self._read(states)
        *query, key, value = parts.split(states.shape[-1], -1)
        if self._query is not None:
            states = states[:, :1]
            query = [self._query(states)]
        found = functional.scaled_dot_product_attention(
            self._by_head(query[0]), self._by_head(key), self._by_head(value), attn_mask=mask
        )
        found = found.transpose(1, 2).flatten(2)
        states = self._norm(self._joined(found) + states)
        given: torch.Tensor = self._last_norm(
            self._narrow(functional.gelu(self._wide(states))) + states
        )
        return given

    def _by_head(self, states: torch.Tensor) -> torch.Tensor:
        return states.view(*states.shape[:-1], self._heads, -1).transpose(1, 2)


class EightBitBert(nn.Module):
    """A BERT classifier in 8 bits; word vectors, norms and what is on top keep 32."""

    def __init__(self, original: Any) -> None:
        super().__init__()
        self._embeddings = original.bert.embeddings
        layers = original.bert.encoder.layer
        self._layers = nn.ModuleList(
            _Layer(layer, first_alone=layer is layers[-1]) for layer in layers
        )
        self._pooler = original.bert.pooler
        self._classifier = original.classifier

    @property
    def device(self) -> torch.device:
        """Where inputs are expected."""
        return torch.device("cpu")

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
    ) -> SequenceClassifierOutput:
        """As the original answers."""
        states = self._embeddings(input_ids=input_ids, token_type_ids=token_type_ids)
        mask = attention_mask.bool()[:, None, None]
        for layer in self._layers:
            states = layer(states, mask)
        return SequenceClassifierOutput(logits=self._classifier(self._pooler(states)))
