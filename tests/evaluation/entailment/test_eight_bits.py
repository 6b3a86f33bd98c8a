"""A BERT in 8 bits against the same one in 32: near it, whatever stands beside a text."""

import math
from typing import Any

import pytest
import torch
from torch import nn

from evaluation.entailment import ScorerError, eight_bits, load_scorer
from evaluation.entailment.eight_bits import EightBitLinear
from tests.evaluation.entailment import tiny_models

pytestmark = pytest.mark.skipif(
    not torch.cpu.get_capabilities().get("avx2"), reason="another processor"
)

PAIRS = [
    ("It is cold on the coast in the first year.", "The coast is cold."),
    ("Rain falls on the lake.", "Snow falls."),
    ("The old town is green and the river is warm. " * 4, "The town is old."),
]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return str(tiny_models.bert(tmp_path_factory.mktemp("bert")))


def linear(inputs, outputs):
    torch.manual_seed(0)
    return nn.Linear(inputs, outputs)


@pytest.mark.parametrize("after_gelu", [False, True])
def test_a_layer_by_hand(after_gelu):
    layer = linear(2, 1)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[0.63, -0.21]]))
        layer.bias.fill_(0.5)
    states = torch.tensor([[0.2, 1.0]])
    # Weights in steps of .01: 63 and -21. Both are met exactly.
    if after_gelu:  # from -.17 up, in 255 steps of what the largest is above it
        step = 1.17 / 255
        seen = [round(0.37 / step) * step - 0.17, 1.0]
    else:
        step = 1 / 127
        seen = [round(0.2 / step) * step, 1.0]
    expected = 0.63 * seen[0] - 0.21 * seen[1] + 0.5
    found = EightBitLinear(layer, after_gelu=after_gelu)(states)
    assert found.item() == pytest.approx(expected, abs=1e-5)


def test_a_token_with_large_values_takes_nothing_from_the_others():
    layer = EightBitLinear(linear(64, 32))
    quiet = torch.randn(4, 64)
    loud = torch.cat([quiet, 1_000 * torch.randn(1, 64)])
    assert torch.equal(layer(loud)[:4], layer(quiet))


def test_layers_that_read_the_same_are_one():
    first, second = linear(8, 4), linear(8, 6)
    states = torch.randn(3, 8)
    apart = [EightBitLinear(one)(states) for one in (first, second)]
    assert torch.equal(EightBitLinear(first, second)(states), torch.cat(apart, -1))


def test_nothing_at_all_gives_the_bias():
    layer = linear(8, 4)
    assert torch.allclose(EightBitLinear(layer)(torch.zeros(1, 8)), layer.bias)


def test_a_model_is_near_itself_in_32_bits(bert):
    exact, fast = (
        load_scorer("classifier", model=bert, dtype=dtype, device="cpu").probabilities(PAIRS)
        for dtype in ("float32", "int8")
    )
    assert 1e-6 < max(abs(a - b) for a, b in zip(exact, fast, strict=True)) < 0.1


def test_what_stands_beside_a_pair_does_not_matter(bert):
    scorer = load_scorer("classifier", model=bert, dtype="int8", device="cpu")
    alone = [scorer.probabilities([pair])[0] for pair in PAIRS]
    assert scorer.probabilities(PAIRS) == pytest.approx(alone, abs=1e-6)


def test_what_is_no_number_stays_none(bert):
    scorer = load_scorer("classifier", model=bert, dtype="int8", device="cpu")
    with torch.no_grad():
        inside: Any = scorer
        inside._pretrained.model._layers[0]._norm.weight[0] = math.nan
    assert all(math.isnan(one) for one in scorer.probabilities(PAIRS))


def test_the_fingerprint_names_the_format(bert):
    scorer = load_scorer("classifier", model=bert, dtype="int8", device="cpu")
    assert f"|dtype:{eight_bits.SIGNATURE}|" in scorer.fingerprint


@pytest.mark.parametrize(
    ("able", "chosen"),
    [
        (("avx2", "avx512_bf16", "amx_bf16"), "bfloat16"),
        (("avx2", "avx512_bf16"), eight_bits.SIGNATURE),
        (("avx2",), eight_bits.SIGNATURE),
    ],
)
def test_the_built_in_network_is_computed_as_is_fastest(monkeypatch, able, chosen):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: dict.fromkeys(able, True))
    assert f"|dtype:{chosen}|" in load_scorer("trained", device="cpu").fingerprint
    exact = load_scorer("trained", device="cpu", dtype="float32").fingerprint
    assert "|dtype:float32|" in exact


def test_other_processors_and_other_models_do_without(bert, tmp_path, monkeypatch):
    roberta = str(tiny_models.roberta(tmp_path))
    with pytest.raises(ScorerError, match="cannot be computed in 8 bits here"):
        load_scorer("classifier", model=roberta, dtype="int8", device="cpu")
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {})
    with pytest.raises(ScorerError, match="auto or float32"):
        load_scorer("classifier", model=bert, dtype="int8", device="cpu")
    assert "|dtype:float32|" in load_scorer("trained", device="cpu").fingerprint
