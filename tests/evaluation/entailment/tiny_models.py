"""Models of the right architectures with two layers and random weights, and their tokenizers.

torch and transformers take seconds to import, so only who makes a model waits for them.
"""

from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

WORDS = [
    "the", "a", "of", "and", "in", "is", "was", "it", "rain", "snow", "falls", "on", "mount",
    "peak", "high", "coast", "town", "river", "lake", "wind", "north", "south", "old", "new",
    "first", "last", "year", "people", "found", "build", "see", "green", "cold", "warm", "1", "0",
    "2", "premise", "hypothesis", "title", ":", ".", ",", "'", "##s", "##ed", "##ing", "un",
    "##known",
]  # fmt: skip


def _wordpiece(folder: Path, special: dict[str, str], template: processors.TemplateProcessing):
    vocabulary = {word: n for n, word in enumerate([*special.values(), *WORDS])}
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    for letter in letters:
        vocabulary.setdefault(letter, len(vocabulary))
        vocabulary.setdefault(f"##{letter}", len(vocabulary))
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.WordPiece(vocabulary, unk_token=special["unk_token"]))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.post_processor = template
    PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=512, **special).save_pretrained(
        folder
    )
    return len(vocabulary)


def bert(folder: Path, labels=("contradiction", "neutral", "entailment"), positions=64) -> Path:
    """A two-layer BERT classifier."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]"}
    special["sep_token"] = "[SEP]"
    template = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    size = _wordpiece(folder, special, template)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=size,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=positions,
        initializer_range=0.5,
        id2label=dict(enumerate(labels)),
        label2id={label: n for n, label in enumerate(labels)},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def roberta(folder: Path) -> Path:
    """A two-layer RoBERTa classifier, which takes two tokens less than it has positions."""
    import torch
    from transformers import RobertaConfig, RobertaForSequenceClassification

    special = {"bos_token": "<s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    special |= {"eos_token": "</s>"}
    template = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 3)],
    )
    size = _wordpiece(folder, special, template)
    torch.manual_seed(2)
    config = RobertaConfig(
        vocab_size=size,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=50,
        type_vocab_size=1,
        pad_token_id=1,
        initializer_range=0.5,
        id2label={0: "not_entailment", 1: "entailment"},
        label2id={"not_entailment": 0, "entailment": 1},
    )
    RobertaForSequenceClassification(config).save_pretrained(folder)
    return folder


def t5(folder: Path, **changes) -> Path:
    """A two-layer T5 that writes."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    template = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    size = _wordpiece(folder, special, template)
    torch.manual_seed(3)
    settings: dict[str, Any] = {
        "vocab_size": size,
        "d_model": 32,
        "d_kv": 8,
        "d_ff": 64,
        "num_layers": 2,
        "num_decoder_layers": 2,
        "num_heads": 4,
        "decoder_start_token_id": 0,
        "pad_token_id": 0,
        "eos_token_id": 1,
        "initializer_factor": 1.5,
    }
    T5ForConditionalGeneration(T5Config(**(settings | changes))).save_pretrained(folder)
    return folder


def gpt(folder: Path, positions=8_192) -> Path:
    """A two-layer GPT-2 that reads and writes bytes."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    signs = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {sign: n for n, sign in enumerate(["<end>", *signs])}
    made = Tokenizer(models.BPE(vocabulary, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<end>").save_pretrained(folder)
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=len(vocabulary), n_positions=positions, n_embd=16, n_layer=2, n_head=2,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder
