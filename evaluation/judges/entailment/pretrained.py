"""A model and its tokenizer, from a folder or the hub."""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import torch
from transformers import AutoConfig, AutoTokenizer

from evaluation.judges.entailment.batching import Batches, Forward
from evaluation.judges.entailment.loading import ScorerError
from evaluation.judges.entailment.rows import Encoded, PairTokens, PremiseLengths, Rows, Spans
from evaluation.judges.entailment.scorer import Pair

DType = Literal["auto", "float32", "bfloat16", "float16"]

CPU_TOKENS = 2_048
GPU_TOKENS = 65_536
"""Tokens in a batch: what fits into a CPU's cache, or keeps a GPU busy."""

MOST_USUAL = 16
"""Largest multiple of these that an option may request."""

HASHED = (".json", ".txt", ".model", ".safetensors", ".bin", ".spm", ".jinja")


class Pretrained:
    """The parts of a model that do not depend on its answers. The weights are loaded when
    first needed: a study whose pairs are all in the cache needs none."""

    def __init__(
        self,
        kind: Any,
        model: str,
        *,
        revision: str = "",
        dtype: DType = "auto",
        device: str = "auto",
        device_map: str = "",
        eight_bit: bool = False,
        threads: int = 0,
    ) -> None:
        self._kind = kind
        self._folder = _folder(model)
        self.name = model
        self._revision = _revision(revision)
        self.device = _device(device)
        self.dtype = _dtype(dtype, self.device)
        self._device_map = device_map
        self._eight_bit = eight_bit
        self._threads = threads
        if eight_bit and self.device.type != "cuda":
            raise ScorerError("8-bit weights need a GPU. Leave the option eight_bit away.")

    @cached_property
    def config(self) -> Any:
        """Return the model's configuration."""
        return self._load(AutoConfig)

    @cached_property
    def tokenizer(self) -> Any:
        """Return the tokenizer, which must know the offsets of tokens."""
        found = self._load(AutoTokenizer)
        if not found.is_fast:
            raise ScorerError(
                f"The tokenizer of “{self.name}” does not say where in the text its tokens stand. "
                "Attest needs one in the format of the package tokenizers (tokenizer.json)."
            )
        return found

    @cached_property
    def model(self) -> Any:
        """Return the weights on their device, ready to compute."""
        options: dict[str, Any] = {"dtype": self.dtype}
        if self._eight_bit:
            options |= {"quantization_config": _eight_bit(), "device_map": self._device_map or 0}
        elif self._device_map:
            options["device_map"] = self._device_map
        made = self._load(self._kind, **options)
        if not self._eight_bit and not self._device_map:
            made = made.to(self.device)
        return made.eval()

    def batches(self, forward: Forward, tokens: int) -> Batches:
        """Return batches for this device, at first of `tokens` tokens; 0 is the default.

        On a CPU each usable core computes one. The size is limited, since the machine kills a
        process that needs too much memory.
        """
        on_cpu = self.device.type == "cpu"
        usual = CPU_TOKENS if on_cpu else GPU_TOKENS
        cores = len(os.sched_getaffinity(0))
        workers = min(self._threads or cores, cores) if on_cpu else 1
        return Batches(forward, min(tokens or usual, MOST_USUAL * usual), workers=workers)

    def encode(self, pairs: Sequence[Pair]) -> list[Encoded]:
        """Return the tokens of pairs, untruncated."""
        found = self.tokenizer(
            [premise for premise, _ in pairs],
            [hypothesis for _, hypothesis in pairs],
            return_attention_mask=False,
            verbose=False,
        )
        kinds = found.get("token_type_ids") or [None] * len(pairs)
        return [Encoded(*one) for one in zip(found["input_ids"], kinds, strict=True)]

    def inputs(self, batch: Sequence[PairTokens]) -> dict[str, torch.Tensor]:
        """Return a batch as the model's input, padded to the longest row."""
        longest = max(len(row.tokens) for row in batch)
        if self.device.type != "cpu":
            longest += -longest % 8  # a GPU computes multiples of 8 as fast
        gaps = [longest - len(row.tokens) for row in batch]
        filler = self.tokenizer.pad_token_id or 0
        inputs = {
            "input_ids": [
                row.tokens + [filler] * gap for row, gap in zip(batch, gaps, strict=True)
            ],
            "attention_mask": [
                [1] * len(row.tokens) + [0] * gap for row, gap in zip(batch, gaps, strict=True)
            ],
        }
        if batch[0].kinds is not None:
            inputs["token_type_ids"] = [
                (row.kinds or []) + [0] * gap for row, gap in zip(batch, gaps, strict=True)
            ]
        device = self.model.device
        return {name: torch.tensor(values).to(device) for name, values in inputs.items()}

    def identity(self) -> list[tuple[str, object]]:
        """Name everything that changes numbers: model, revision and precision."""
        precision = "int8" if self._eight_bit else str(self.dtype).removeprefix("torch.")
        major = version("transformers").partition(".")[0]
        return [
            ("model", self.name if self._folder is None else self._folder.name),
            ("rev", self._own_revision),
            ("dtype", precision),
            ("transformers", major),
        ]

    @cached_property
    def _own_revision(self) -> str:
        if self._folder is not None:
            return f"sha256-{_hash(self._folder)}"
        commit = getattr(self.config, "_commit_hash", None) or self._revision or "unknown"
        return str(commit)

    def spans(self, texts: Sequence[str]) -> list[Spans]:
        """Return the offsets of each text's tokens."""
        found = self.tokenizer(
            list(texts), add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        return [[(a, b) for a, b in offsets if a < b] for offsets in found["offset_mapping"]]

    def _load(self, kind: Any, **options: Any) -> Any:
        try:
            return kind.from_pretrained(
                self.name if self._folder is None else self._folder,
                revision=self._revision,
                trust_remote_code=False,
                **options,
            )
        except (OSError, ValueError, ImportError) as problem:
            raise ScorerError(self._why(problem)) from problem

    def _why(self, problem: Exception) -> str:
        first = str(problem).strip().partition("\n")[0]
        if self._folder is not None:
            return (
                f"The model in the folder “{self.name}” cannot be read: {first} It needs "
                "config.json, the weights (model.safetensors) and the tokenizer (tokenizer.json)."
            )
        return (
            f"The model “{self.name}” could not be loaded: {first} It is no folder here, and it "
            "is not among the models that were downloaded before. Where there is a network, run "
            f"“hf download {self.name}” once, or download it elsewhere, copy the folder to this "
            "machine and give its path."
        )


class WindowedScorer:
    """A scorer that reads long premises in windows."""

    _pretrained: Pretrained
    _rows: Rows
    _batches: Batches

    @property
    def lengths(self) -> PremiseLengths:
        """Return counts of too long premises."""
        return self._rows.lengths

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        """Return a probability for each pair, in order."""
        if pairs:
            self._pretrained.model  # noqa: B018 loaded before the threads start
        return self._batches.probabilities(pairs, self._rows)


def _folder(model: str) -> Path | None:
    with suppress(RuntimeError):  # “~name” of an unknown user
        path = Path(model).expanduser()
        if model and path.is_dir():
            return path.resolve()
    if not model or model.startswith((".", "/", "~")) or model.count("/") > 1:
        raise ScorerError(f"There is no folder “{model}”; give a model's folder or its hub name.")
    return None


def _revision(name: str) -> str | None:
    """Return a branch, tag or commit; refuse paths and proposed changes (`refs/pr/1`). The
    hub's library reads a file of that name."""
    if name.startswith(("/", "refs/pr/")) or ".." in name or "\\" in name:
        raise ScorerError(f"“{name}” is no revision; expected a branch, a tag or a commit.")
    return name or None


def _device(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ScorerError(f"There is no device “{name}”; expected auto, cpu or cuda.") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ScorerError("No GPU was found on this machine. Choose the device cpu or auto.")
    return device


def _dtype(name: DType, device: torch.device) -> torch.dtype:
    """Return bfloat16 if the hardware computes with it, else float32."""
    if name != "auto":
        return getattr(torch, name)  # type: ignore[no-any-return]
    if device.type == "cuda":
        fits = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        able = torch.cpu.get_capabilities()
        fits = bool(able.get("avx512_bf16") or able.get("amx_bf16") or able.get("bf16"))
    return torch.bfloat16 if fits else torch.float32


def _eight_bit() -> Any:
    from transformers import BitsAndBytesConfig

    try:
        version("bitsandbytes")
    except ModuleNotFoundError:
        raise ScorerError("8-bit weights need a package: pip install bitsandbytes") from None
    return BitsAndBytesConfig(load_in_8bit=True)  # type: ignore[no-untyped-call]


def _hash(folder: Path) -> str:
    """Return a digest of all files of a model's folder that could change its numbers."""
    made = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.suffix in HASHED:
            made.update(f"{path.name}:{path.stat().st_size}:".encode())
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    made.update(block)
    return made.hexdigest()[:16]
