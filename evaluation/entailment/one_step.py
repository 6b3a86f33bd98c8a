"""A T5 decoder's first step without keys and values of the whole premise.

A layer of cross-attention projects every state h of the encoder to a key K h and a value V h,
which is as much work as a third of an encoder layer. One query q needs neither:

    q · (K h) = (Kᵀ q) · h      and      Σ a V h = V (Σ a h)

so the query is projected instead, once for each head, and so is the weighted mean of the states.
"""

from typing import Any

import torch
from torch import nn


class OneQueryAttention(nn.Module):
    """T5's cross-attention for a single query, with the weights of the module it replaces."""

    def __init__(self, original: Any) -> None:
        super().__init__()
        self.original = original
        self.heads = original.n_heads
        self.width = original.key_value_proj_dim

    def forward(
        self,
        hidden_states: torch.Tensor,
        mask: torch.Tensor | None = None,
        key_value_states: torch.Tensor | None = None,
        position_bias: torch.Tensor | None = None,
        past_key_values: object = None,
        **options: Any,
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]:
        """What the original gives, without weights. More than one query goes to the original."""
        if key_value_states is None or past_key_values is not None or hidden_states.shape[1] != 1:
            found: tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]
            found = self.original(
                hidden_states,
                mask=mask,
                key_value_states=key_value_states,
                position_bias=position_bias,
                past_key_values=past_key_values,
                **options,
            )
            return found
        states = key_value_states
        rows, _, model_width = states.shape
        keys = self.original.k.weight.view(self.heads, self.width, model_width)
        values = self.original.v.weight.view(self.heads, self.width, model_width)
        query = self.original.q(hidden_states).view(rows, self.heads, self.width)
        query = torch.einsum("bhw,hwm->bhm", query, keys)
        scores = torch.matmul(query, states.transpose(1, 2)).float()
        if mask is not None:
            mask = mask.reshape(rows, 1, -1)
            if mask.dtype == torch.bool:
                scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
            else:
                scores = scores + mask
        weights = scores.softmax(dim=-1).to(states.dtype)
        mean = torch.matmul(weights, states)
        value = torch.einsum("bhm,hwm->bhw", mean, values)
        return self.original.o(value.reshape(rows, 1, -1)), None, None


def fold_cross_attention(model: Any) -> int:
    """Replace a T5 model's cross-attention in place; how many layers were replaced.

    Others, and weights that are not plain floating-point numbers, are left as they are.
    """
    replaced = 0
    for block in getattr(getattr(model, "decoder", None), "block", ()):
        layer: Any = block.layer[1] if len(block.layer) == 3 else None
        original = getattr(layer, "EncDecAttention", None)
        if original is None or type(original).__name__ != "T5Attention":
            continue
        linear = (original.q, original.k, original.v, original.o)
        if all(type(one) is nn.Linear and one.weight.is_floating_point() for one in linear):
            layer.EncDecAttention = OneQueryAttention(original)
            replaced += 1
    return replaced
