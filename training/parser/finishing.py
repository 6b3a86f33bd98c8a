"""Scores, card and manifest of a pipeline that was fitted."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Final

from evaluation.claims.manifest import MANIFEST, write_manifest
from evaluation.claims.parsing import SpacyParser
from training.parser.card import ParserScores, model_card
from training.parser.fitting import english_tokenizer
from training.parser.passages import bare_sentences, evaluation_passages
from training.parser.scoring import claim_scores, marked, scores_without_trees, tree_scores
from training.parser.treebank import DEV, read_portion

CARD: Final = "README.md"
META: Final = "meta.json"


def finish(folder: Path, treebank: Path, *, limit: int | None = None) -> ParserScores:
    """Score the pipeline in `folder` on the treebank, and write what belongs beside it."""
    scores = score(folder, treebank, limit=limit)
    meta = json.loads((folder / META).read_text(encoding="utf-8"))
    meta["performance"] = {
        "passages": _kept(asdict(scores.passages)),
        "bare": _kept(asdict(scores.bare)),
        "claims": _kept(asdict(scores.claims)),
    }
    text = json.dumps(meta, ensure_ascii=False, indent=2)
    (folder / META).write_text(f"{text}\n", encoding="utf-8")
    card = model_card(meta, scores, megabytes=size(folder) / 1e6)
    (folder / CARD).write_text(card, encoding="utf-8")
    write_manifest(folder)
    return scores


def score(folder: Path, treebank: Path, *, limit: int | None = None) -> ParserScores:
    import spacy

    dev = read_portion(treebank, DEV, limit=limit)
    nlp = spacy.load(folder)
    seed = int(nlp.meta["training"]["seed"])
    tokenizer = english_tokenizer()
    bare = bare_sentences(dev.sentences, tokenizer)
    sentences = marked(bare, seed=seed)
    passages = evaluation_passages(dev.sentences, tokenizer, seed=seed)
    return ParserScores(
        files=tuple(name for name, _ in dev.files),
        sentences=len(dev.sentences),
        passages=tree_scores(nlp, passages, one_sentence=False),
        bare=tree_scores(nlp, bare, one_sentence=True),
        claims=claim_scores(sentences, SpacyParser(nlp)),
        without_trees=scores_without_trees(sentences),
    )


def size(folder: Path) -> int:
    """Bytes of the pipeline's files."""
    beside = (CARD, MANIFEST)
    return sum(
        path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and path.name not in beside
    )


def _kept(scores: dict[str, float]) -> dict[str, float]:
    """Without what another machine would measure otherwise."""
    return {name: round(value, 4) for name, value in scores.items() if name != "words_per_second"}
