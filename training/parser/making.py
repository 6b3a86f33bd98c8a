"""From a treebank to a pipeline: reading, data, fitting. Scores and card: `finishing`."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from evaluation.claims.cleaning import CLEANING_VERSION
from training.parser.clear.conversion import CONVERSION_VERSION
from training.parser.conllu import TreebankError
from training.parser.fitting import FittingProgress, english_tokenizer, fit, write_texts
from training.parser.gold import Gold
from training.parser.passages import evaluation_passages, training_texts, unusable
from training.parser.treebank import DEV, TRAIN, Portion, read_portion, sources_of

NAME: Final = "attest"
VERSION: Final = "1.0.0"
LICENCE: Final = "CC BY-SA 4.0"
FEWEST_OF_A_LABEL: Final = 30
"""As `min_action_freq` in config.cfg."""


def make_parser(
    treebank: Path,
    out: Path,
    *,
    seed: int,
    steps: int,
    limit: int | None = None,
    say: Callable[[str], None],
    report: Callable[[FittingProgress], None],
) -> None:
    """Fit a pipeline to the treebank's training portion, and keep the best one in `out`.

    It lies there from the first trial on, so an interrupted training leaves the best so far. A
    limit takes only that many sentences of each portion.
    """
    train = read_portion(treebank, TRAIN, limit=limit)
    dev = read_portion(treebank, DEV, limit=limit)
    for name, portion in ((TRAIN, train), (DEV, dev)):
        say(
            f"{name}: {len(portion.sentences):,} sentences, {portion.words:,} words, "
            f"{unusable(portion.sentences):,} left out"
        )
    tokenizer = english_tokenizer()
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as made:
        work = Path(made)
        golds = list(training_texts(train.sentences, tokenizer, seed=seed))
        _refuse_too_little(treebank, golds)
        texts = write_texts(golds, work / "train.spacy")
        passages = write_texts(
            evaluation_passages(dev.sentences, tokenizer, seed=seed), work / "dev.spacy"
        )
        say(f"{texts:,} texts to learn from, {passages:,} to try the pipeline on")
        fit(
            work / "train.spacy",
            work / "dev.spacy",
            out,
            seed=seed,
            steps=steps,
            meta=_meta(train, seed=seed, steps=steps),
            report=report,
        )


def _refuse_too_little(treebank: Path, golds: Iterable[Gold]) -> None:
    """spaCy leaves rare labels out, and without this one trees are of no use for claims."""
    found = sum(gold.deps.count("prep") for gold in golds)
    if found < FEWEST_OF_A_LABEL:
        raise TreebankError(
            f"Expected at least {FEWEST_OF_A_LABEL} prepositions to learn from in the training "
            f"portion in {treebank}, found {found}. Give a larger treebank."
        )


def _meta(train: Portion, *, seed: int, steps: int) -> dict[str, Any]:
    """What meta.json says of the pipeline."""
    from spacy.about import __version__ as spacy_version

    return {
        "name": NAME,
        "version": VERSION,
        "license": LICENCE,
        "description": "Tags and dependency trees of English sentences, for dividing them into "
        "atomic claims.",
        "sources": [asdict(source) for source in sources_of(train.files)],
        "training": {
            "seed": seed,
            "steps": steps,
            "files": dict(train.files),
            "sentences": len(train.sentences),
            "words": train.words,
            "conversion": CONVERSION_VERSION,
            "cleaning": CLEANING_VERSION,
            "spacy": spacy_version,
        },
    }
