"""Sentence encoders, as tiny models made here."""

import json

import numpy as np
import pytest
import torch

from evaluation.generating.postediting.encoder import Encoder
from evaluation.judges.entailment import ScorerError
from tests.evaluation.entailment.tiny_models import bert

TEXTS = ["rain falls on the old town", "snow", "the first people see a cold river in the north"]


def test_the_vector_is_the_mean_over_the_tokens(tmp_path):
    from transformers import AutoModel, AutoTokenizer

    folder = bert(tmp_path)
    model = AutoModel.from_pretrained(folder).eval()
    tokens = AutoTokenizer.from_pretrained(folder)(TEXTS[0], return_tensors="pt")
    with torch.inference_mode():
        mean = model(**tokens).last_hidden_state[0].mean(0)
    expected = (mean / mean.norm()).numpy()
    assert np.abs(Encoder(str(folder)).encode(TEXTS[:1])[0] - expected).max() < 1e-5


def test_unusable_encoder_is_refused(tmp_path):
    with pytest.raises(ScorerError, match="There is no folder “nowhere”"):
        Encoder("nowhere")
    folder = bert(tmp_path)
    (folder / "modules.json").write_text(json.dumps([{"type": "x.models.Dense"}]))
    with pytest.raises(ScorerError, match="more than the mean"):
        Encoder(str(folder))
