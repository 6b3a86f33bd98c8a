"""Fitting a spaCy pipeline to the texts."""

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from training.parser.gold import Gold
from training.parser.merging import Tokenizer

if TYPE_CHECKING:
    from spacy.language import Language

CONFIG: Final = Path(__file__).with_name("config.cfg")
STEPS: Final = 8400
CHECKS: Final = 14
"""How often the pipeline is tried on the development texts, after its first step and the last."""
WARM_UP: Final = 250


@dataclass(frozen=True, slots=True)
class FittingProgress:
    """How far the fitting has come; shares from 0 to 1 on the development texts."""

    step: int
    steps: int
    seconds: int
    uas: float
    las: float
    tags: float
    best: bool


def english_tokenizer() -> Tokenizer:
    """Where the tokens of spaCy's English tokenizer begin and end."""
    import spacy

    tokenize = spacy.blank("en").make_doc

    def tokens(text: str) -> Iterator[tuple[int, int]]:
        for token in tokenize(text):
            yield token.idx, token.idx + len(token)

    return tokens


def write_texts(golds: Iterable[Gold], path: Path) -> int:
    """Write texts as spaCy reads them; how many there were."""
    import spacy
    from spacy.tokens import DocBin

    vocab = spacy.blank("en").vocab
    docs = DocBin(attrs=["ORTH", "TAG", "HEAD", "DEP", "SENT_START", "SPACY"])
    for gold in golds:
        docs.add(gold.doc(vocab))
    docs.to_disk(path)
    return len(docs)


def fit(
    train: Path,
    dev: Path,
    out: Path,
    *,
    seed: int,
    steps: int = STEPS,
    meta: Mapping[str, Any],
    report: Callable[[FittingProgress], None],
) -> None:
    """Fit a pipeline and keep the best one in `out`, replacing it whenever a better one is met.

    The learning rate falls to nothing over `steps`, so the last pipelines are usually the best.
    `meta` goes into the pipeline's meta.json.
    """
    from spacy.training.initialize import init_nlp
    from spacy.util import load_config

    every = max(1, steps // CHECKS)
    last = every * max(1, steps // every)
    config = load_config(
        CONFIG,
        overrides={
            "paths.train": str(train),
            "paths.dev": str(dev),
            "system.seed": seed,
            "training.max_steps": last,
            "training.eval_frequency": every,
            "training.optimizer.learn_rate.total_steps": last,
            "training.optimizer.learn_rate.warmup_steps": min(WARM_UP, max(1, last // 10)),
        },
        interpolate=False,
    )
    nlp = init_nlp(config)
    nlp.meta |= {**meta, "training": dict(meta.get("training", {}))}
    for info, best, save in _steps(nlp):
        scores: dict[str, float] = info["other_scores"]
        report(
            FittingProgress(
                step=info["step"],
                steps=last,
                seconds=info["seconds"],
                uas=scores["dep_uas"] or 0.0,
                las=scores["dep_las"] or 0.0,
                tags=scores["tag_acc"] or 0.0,
                best=best,
            )
        )
        if best:
            nlp.meta["training"]["best_step"] = info["step"]
            _replace(out, save)


def _steps(
    nlp: "Language",
) -> Iterator[tuple[dict[str, Any], bool, Callable[[Path], None]]]:
    """Each time the pipeline is tried: what came of it, whether it is the best, how to save it."""
    from spacy.schemas import ConfigSchemaTraining
    from spacy.training.loop import (
        create_evaluation_callback,
        create_train_batches,
        train_while_improving,
    )
    from spacy.util import registry, resolve_dot_names
    from thinc.api import fix_random_seed

    config = nlp.config.interpolate()
    settings = registry.resolve(config["training"], schema=ConfigSchemaTraining)
    fix_random_seed(settings["seed"])
    train, dev = resolve_dot_names(config, [settings["train_corpus"], settings["dev_corpus"]])
    optimizer = settings["optimizer"]
    nlp.config["paths"] = dict.fromkeys(nlp.config["paths"])  # of no use to others

    def save(folder: Path) -> None:
        with nlp.use_params(optimizer.averages):
            nlp.to_disk(folder)

    for _, info, best in train_while_improving(
        nlp,
        optimizer,
        create_train_batches(nlp, train, settings["batcher"], settings["max_epochs"]),
        create_evaluation_callback(nlp, dev, settings["score_weights"]),
        dropout=settings["dropout"],
        accumulate_gradient=settings["accumulate_gradient"],
        patience=settings["patience"],
        max_steps=settings["max_steps"],
        eval_frequency=settings["eval_frequency"],
        exclude=[],
        annotating_components=[],
        before_update=None,
    ):
        if best is not None:
            yield info, best, save


def _replace(folder: Path, save: Callable[[Path], None]) -> None:
    """Save beside the folder first, so that a whole pipeline lies there whenever one is stopped."""
    fresh = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    save(fresh)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
