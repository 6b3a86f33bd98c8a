"""Entailment pairs in a second: Attest's way, the plain way, and the bare model.

Run by `make bench`. Three ways through the same pairs, taking turns in every round, because other
work on the machine slows all of them:

- *plain*, as published scripts do it: one pair at a time, `generate` for a model that writes,
  nothing remembered; in the precision that Attest chooses, and in 32 bits where that is another,
  which is what a script gets that does not choose;
- *Attest*: an `Asker` with an empty cache;
- *bare*: the model alone on random tokens, as many as Attest computed, in batches without padding;
  once with all cores on one batch, as the library does it, once with a batch on each core.

Weights are random, sizes those of T5-small and MiniLM (on a GPU: T5-XXL). An item is a question
with five passages of about 100 words and an answer of four statements of about 20 words that cite
one to three of them. Which questions the protocol asks depends on the answers; since those of
random weights mean nothing, a draw decides: six statements in ten are supported, half of the
single passages support theirs.
"""

import argparse
import copy
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from bench.figures import keep
from evaluation.judges.entailment import Asker, Pair
from evaluation.judges.entailment.classifier import Classifier
from evaluation.judges.entailment.rows import PairTokens
from evaluation.judges.entailment.seq2seq import Seq2Seq
from evaluation.judges.entailment.words import RARITY

ITEMS = 1_000
PEAKS = {"H200": 989e12, "H100": 989e12, "A100": 312e12}
"""What a GPU can compute in a second in bfloat16, by its maker's data sheet."""

T5_SMALL: dict[str, Any] = {
    "d_model": 512,
    "d_kv": 64,
    "d_ff": 2_048,
    "num_layers": 6,
    "num_heads": 8,
}
T5_XXL: dict[str, Any] = {
    "d_model": 4_096,
    "d_kv": 64,
    "d_ff": 10_240,
    "num_layers": 24,
    "num_heads": 64,
    "feed_forward_proj": "gated-gelu",
    "tie_word_embeddings": False,
}
MINILM: dict[str, Any] = {
    "vocab_size": 30_522,
    "hidden_size": 384,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 1_536,
    "num_labels": 2,
    "id2label": {0: "not_entailment", 1: "entailment"},
}


# What is asked -----------------------------------------------------------------------------------


def vocabulary() -> tuple[list[str], list[float]]:
    """English words, and how often each is to be drawn."""
    found: list[str] = []
    shares: list[float] = []
    for line in RARITY.read_text(encoding="utf-8").splitlines()[1:]:
        step, _, words = line.partition("\t")
        for word in words.split():
            found.append(word)
            shares.append(2.718 ** -float(step))
    return found, shares


def text(draw: random.Random, words: list[str], shares: list[float], length: int) -> str:
    """Sentences of about 20 words."""
    drawn = draw.choices(words, cum_weights=shares, k=length)
    parts = [drawn[n : n + 20] for n in range(0, length, 20)]
    return " ".join(f"{' '.join(part).capitalize()}." for part in parts)


def items(count: int, seed: int = 0) -> list[list[Pair]]:
    """For each item what the plain protocol asks, in its order and with its repetitions."""
    draw = random.Random(seed)
    words, weights = vocabulary()
    shares, total = [], 0.0
    for weight in weights:
        total += weight
        shares.append(total)
    made = []
    for _ in range(count):
        passages = [
            f"Title: {text(draw, words, shares, 3)}\n"
            + text(draw, words, shares, round(draw.gauss(100, 8)))
            for _ in range(5)
        ]
        asked: list[Pair] = []
        for _ in range(4):
            statement = text(draw, words, shares, max(5, round(draw.gauss(20, 6))))
            cited = draw.sample(passages, draw.choice((1, 1, 2, 3)))
            asked.append(("\n".join(cited), statement))
            if len(cited) == 1 or draw.random() > 0.6:
                continue
            for one in cited:
                asked.append((one, statement))
                if draw.random() < 0.5:
                    others = [other for other in cited if other is not one]
                    asked.append(("\n".join(others), statement))
        made.append(asked)
    return made


def save_tokenizer(folder: Path, *, pairs: bool) -> None:
    """Word pieces that cut English about as finely as those of the models imitated."""
    words, _ = vocabulary()
    special = ["<pad>", "</s>", "<unk>", "[CLS]", "[SEP]"]
    made = Tokenizer(models.WordPiece(unk_token="<unk>"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.train_from_iterator(
        [*words, "1"], trainers.WordPieceTrainer(vocab_size=16_000, special_tokens=special)
    )
    made.post_processor = (
        processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[("[CLS]", 3), ("[SEP]", 4)],
        )
        if pairs
        else processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    )
    kind: Any = PreTrainedTokenizerFast
    special_tokens = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    kind(tokenizer_object=made, **special_tokens).save_pretrained(folder)


# The three ways ----------------------------------------------------------------------------------


@dataclass
class Ways:
    """One model, and the three ways through it."""

    name: str
    scorer: Any
    model: Any
    plain: Callable[[Any, Pair], object]
    bare: Callable[[torch.Tensor], object]
    flops: Callable[[int], float]
    """Of one row of so many tokens, the padding that nobody needs not counted."""


def fresh(kind: Any, config: Any, pretrained: Any) -> Any:
    """A model with random weights, where it will compute and in the precision it will have."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(pretrained.dtype)
    try:
        with pretrained.device:
            return kind(config).eval()
    finally:
        torch.set_default_dtype(before)


def t5(folder: Path, name: str, shape: dict[str, Any]) -> Ways:
    """A T5 of this shape, asked as TRUE is."""
    numbers: dict[str, Any] = {"vocab_size": 32_128, "pad_token_id": 0, "eos_token_id": 1}
    config = T5Config(**numbers, decoder_start_token_id=0, **shape)  # type: ignore[call-arg]
    config.save_pretrained(folder)
    save_tokenizer(folder, pairs=False)
    scorer = Seq2Seq(str(folder))
    model = fresh(T5ForConditionalGeneration, config, scorer._pretrained)
    # Not read from the folder: the weights of the largest would have to be written first.
    scorer._pretrained.model = model
    tokenizer = scorer._pretrained.tokenizer
    # The published scripts allow ten tokens, of which a trained model writes two, “1” and the end.
    # Random weights would write all ten.
    options = {"min_new_tokens": 2, "max_new_tokens": 2, "do_sample": False}

    def plain(model: Any, pair: Pair) -> object:
        asked = f"premise: {pair[0]} hypothesis: {pair[1]}"
        tokens = tokenizer(asked, return_tensors="pt").input_ids.to(model.device)
        with torch.inference_mode():
            written = model.generate(tokens, **options)
        return tokenizer.decode(written[0], skip_special_tokens=True) == "1"

    def bare(tokens: torch.Tensor) -> object:
        start = torch.zeros(len(tokens), 1, dtype=torch.long, device=tokens.device)
        return original(input_ids=tokens, decoder_input_ids=start, use_cache=False).logits

    # Attest changes the decoder of the model that it gets; the other two ways keep the original.
    original = model
    scorer._pretrained.model = folded(model)
    inner = shape["num_heads"] * shape["d_kv"]
    gates = 3 if "gated" in shape.get("feed_forward_proj", "") else 2
    weights = 4 * shape["d_model"] * inner + gates * shape["d_model"] * shape["d_ff"]

    def flops(length: int) -> float:
        return float(shape["num_layers"] * length * (2 * weights + 4 * length * inner))

    return Ways(name, scorer, model, plain, bare, flops)


def folded(model: Any) -> Any:
    """The same weights under another decoder: the copy costs no memory."""
    shared = {id(parameter): parameter for parameter in model.parameters()}
    return copy.deepcopy(model, memo=dict(shared))


def minilm(folder: Path) -> Ways:
    """A classifier with six narrow layers."""
    config = BertConfig(**MINILM)
    config.save_pretrained(folder)
    save_tokenizer(folder, pairs=True)
    scorer = Classifier(str(folder))
    model = fresh(BertForSequenceClassification, config, scorer._pretrained)
    scorer._pretrained.model = model
    tokenizer = scorer._pretrained.tokenizer

    def plain(model: Any, pair: Pair) -> object:
        tokens = tokenizer(*pair, truncation=True, max_length=512, return_tensors="pt")
        with torch.inference_mode():
            return model(**tokens.to(model.device)).logits.softmax(-1)[0, 1].item() >= 0.5

    def bare(tokens: torch.Tensor) -> object:
        return model(input_ids=tokens).logits

    width, layers = MINILM["hidden_size"], MINILM["num_hidden_layers"]
    weights = 4 * width * width + 2 * width * MINILM["intermediate_size"]

    def flops(length: int) -> float:
        return float(layers * length * (2 * weights + 4 * length * width))

    return Ways("MiniLM-shaped", scorer, model, plain, bare, flops)


def packed(rows: list[PairTokens], tokens: int) -> Iterator[torch.Tensor]:
    """Random tokens, as many as there are in the rows, in full batches without padding."""
    lengths = sorted((len(row.tokens) for row in rows), reverse=True)
    while lengths:
        some = lengths[: max(1, tokens // lengths[0])]
        lengths = lengths[len(some) :]
        yield torch.randint(5, 16_000, (len(some), round(sum(some) / len(some))))


def bare_pass(ways: Ways, tokens: torch.Tensor) -> object:
    with torch.inference_mode():
        return ways.bare(tokens)


def each(act: Callable[[Any], object], things: Iterable[Any]) -> None:
    for thing in things:
        act(thing)


def timed(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - start


def in_32_bits(model: Any) -> Any:
    """The same model in 32 bits; None where it is, or on a GPU, where nobody would."""
    if model.dtype == torch.float32 or model.device.type != "cpu":
        return None
    return copy.deepcopy(model).float()


def measure(ways: Ways, groups: list[list[Pair]], sample: int) -> None:
    """Take turns, a group of pairs in every round, and print what came out."""
    seconds = dict.fromkeys(("plain", "plain in 32 bits", "attest", "bare", "side by side"), 0.0)
    workers = ways.scorer._batches.workers
    asked = computed = sampled = rows_computed = 0
    flops = 0.0
    device = ways.model.device
    exact = in_32_bits(ways.model)
    ways.scorer.probabilities(groups[0][:2])
    ways.plain(ways.model, groups[0][0])
    for group in groups:
        by_length = sorted(group, key=lambda pair: len(pair[0]))
        step = max(1, len(by_length) // sample)
        some = by_length[step // 2 :: step]
        seconds["plain"] += timed(partial(each, partial(ways.plain, ways.model), some))
        if exact is not None:
            alone = partial(ways.plain, exact)
            seconds["plain in 32 bits"] += timed(partial(each, alone, some))
        sampled += len(some)
        asker = Asker(ways.scorer)
        seconds["attest"] += timed(partial(asker.decide, group))
        asked += asker.counts[""].asked
        computed += asker.counts[""].computed
        unique = list(dict.fromkeys(group))
        rows = ways.scorer._rows.of(unique, range(len(unique)))
        batches = list(packed(rows, ways.scorer._batches.tokens))
        alone = partial(bare_pass, ways)
        seconds["bare"] += timed(partial(each, alone, [one.to(device) for one in batches]))
        if workers > 1:
            with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as p:
                seconds["side by side"] += timed(lambda: list(p.map(alone, batches)))  # noqa: B023
        rows_computed += len(rows)
        flops += sum(ways.flops(len(row.tokens)) for row in rows)
    plain = sampled / seconds["plain"]
    attest = asked / seconds["attest"]
    bare = computed / seconds["bare"]
    own = computed / seconds["attest"]
    print(f"{ways.name}, {device.type}, {ways.scorer._pretrained.dtype}")
    print(f"  asked {asked}, different {computed}, rows {rows_computed}; plain timed on {sampled}")
    print(f"  plain  {plain:9.2f} pairs/s")
    print(f"  Attest {attest:9.2f} asked/s, {own:.2f} computed/s: {attest / plain:.1f} × plain")
    if exact is not None:
        slow = sampled / seconds["plain in 32 bits"]
        print(f"  plain in 32 bits {slow:.2f} pairs/s: {attest / slow:.1f} × that")
    keep(f"{ways.name}, against the plain way", attest / plain, "times as fast")
    keep(f"{ways.name}", own, "a second")
    print(f"  bare   {bare:9.2f} pairs/s: Attest reaches {own / bare:.2f} of it")
    if workers > 1:
        best = computed / seconds["side by side"]
        print(f"  bare, a batch on each core {best:.2f} pairs/s: {own / best:.2f} of it")
    if torch.cuda.is_available():
        device_name = torch.cuda.get_device_name()
        peak = next((peak for name, peak in PEAKS.items() if name in device_name), 0.0)
        if peak:
            share = flops / seconds["attest"] / peak
            print(f"  {device_name}: {share:.0%} of what it can compute")


def main() -> None:
    """Measure every model that this machine can hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=24, help=f"of {ITEMS} items, how many")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sample", type=int, default=12, help="pairs a round for the plain way")
    given = parser.parse_args()
    torch.manual_seed(0)
    some = items(ITEMS)[: given.items]
    groups = [
        [pair for asked in some[n :: given.rounds] for pair in asked] for n in range(given.rounds)
    ]
    print(f"entailment: {len(some)} of {ITEMS} items in {given.rounds} rounds")
    with tempfile.TemporaryDirectory() as folder:
        made: list[Callable[[Path], Ways]] = [
            partial(t5, name="T5-small-shaped", shape=T5_SMALL),
            minilm,
        ]
        if torch.cuda.is_available():
            made.append(partial(t5, name="T5-XXL-shaped", shape=T5_XXL))
        for number, make in enumerate(made):
            own = Path(folder) / str(number)
            own.mkdir()
            measure(make(own), groups, given.sample)


if __name__ == "__main__":
    main()
