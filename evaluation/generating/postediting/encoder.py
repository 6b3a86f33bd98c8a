"""A sentence encoder from a local folder: the mean of the last layer's vectors, at length 1."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModel

from evaluation.judges.entailment import ScorerError
from evaluation.judges.entailment.pretrained import Pretrained

BATCH = 32
MOST_TOKENS = 512


class Encoder:
    """Encode texts as vectors. Longer texts than the model takes are cut."""

    def __init__(self, folder: str) -> None:
        path = Path(folder).expanduser()
        if not path.is_dir():
            raise ScorerError(
                f"There is no folder “{folder}”. Give the folder of a sentence encoder that was "
                "downloaded before, or leave --encoder away: then words decide (BM25)."
            )
        _refuse_other_pooling(path)
        self._pretrained = Pretrained(AutoModel, str(path), dtype="float32")

    @property
    def signature(self) -> str:
        """Identify the model by its weights."""
        named = "|".join(f"{name}:{value}" for name, value in self._pretrained.identity())
        return f"embeddings|pooling:mean|{named}"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector of length 1 for each text, in order."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        made: dict[int, NDArray[np.float32]] = {}
        for first in range(0, len(order), BATCH):
            places = order[first : first + BATCH]
            rows = self._batch([texts[place] for place in places])
            made.update(zip(places, rows, strict=True))
        return np.stack([made[place] for place in range(len(texts))])

    def _batch(self, texts: list[str]) -> NDArray[np.float32]:
        model = self._model()
        tokens = self._pretrained.tokenizer(
            texts, padding=True, truncation=True, max_length=self._longest(), return_tensors="pt"
        ).to(self._pretrained.device)
        mask = tokens["attention_mask"]
        with torch.inference_mode():
            vectors = model(input_ids=tokens["input_ids"], attention_mask=mask).last_hidden_state
            weights = mask.unsqueeze(-1).to(vectors.dtype)
            means = (vectors * weights).sum(1) / weights.sum(1).clamp(min=1)
            unit = torch.nn.functional.normalize(means, dim=1)
        found: NDArray[np.float32] = unit.float().cpu().numpy()
        return found

    def _model(self) -> Any:
        model = self._pretrained.model
        return model.get_encoder() if self._pretrained.config.is_encoder_decoder else model

    def _longest(self) -> int:
        positions = getattr(self._pretrained.config, "max_position_embeddings", None)
        limits = (MOST_TOKENS, self._pretrained.tokenizer.model_max_length, positions)
        return min(int(limit) for limit in limits if limit)


def _refuse_other_pooling(folder: Path) -> None:
    """Refuse encoders whose files require more than the mean."""
    pooling = _read(folder / "1_Pooling" / "config.json")
    mean = not isinstance(pooling, dict) or pooling.get("pooling_mode_mean_tokens", True)
    modules = _read(folder / "modules.json")
    kinds = [str(m.get("type")) for m in modules or () if isinstance(m, dict)]
    if not mean or any(kind.endswith("Dense") for kind in kinds):
        raise ScorerError(
            f"The encoder in “{folder}” needs more than the mean of its vectors (see its "
            "modules.json and 1_Pooling/config.json). Choose one with mean pooling alone."
        )


def _read(path: Path) -> Any:
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise ScorerError(f"The file {path} cannot be read: it is no JSON.") from None
