"""The parser that comes with Attest."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
import srsly

from evaluation.claims.manifest import MANIFEST, check_manifest
from evaluation.claims.parsing import BUILT_IN, EMBEDDED, load_parser
from tests.evaluation.claims.trees import CRASH, CUPS, PACKS, QUEENS, claims_of_sentence

TREEBANK = Path(__file__).parents[4] / "shared" / "data" / "treebank"
FILES = sorted(path for path in EMBEDDED.rglob("*") if path.is_file())

CRASHED = "In the plane crash on Greys Anatomy , the characters who die are"
CONJUNCTIONS = ("and", "or", "but")


@pytest.fixture(scope="module")
def parser():
    return load_parser(BUILT_IN)


def claims(sentence, parser):
    """Claims without the conjunction that one may end in."""
    found = []
    for claim in claims_of_sentence(sentence, parser):
        words = claim.text.split()
        found.append(
            (" ".join(words[:-1] if words[-1] in CONJUNCTIONS else words), claim.citations)
        )
    return found


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            CUPS,
            [("Cups can be made of glass", (1,)), ("Cups can be made of plastic", (2, 3))],
        ),
        (
            CRASH,
            [(f"{CRASHED} Dr Lexie Grey", (1, 2)), (f"{CRASHED} Dr Mark Sloan", (3, 4, 5))],
        ),
        (
            PACKS,
            [
                ("Some brands , such as Export As , come in packs of 25", (2,)),
                ("while standard packs typically contain 20 cigarettes", (4,)),
            ],
        ),
        (
            QUEENS,
            [
                ("Queen Victoria became Queen of the United Kingdom on 20 June 1837", (3,)),
                (
                    "while Queen Anne became Queen of England , Scotland , and Ireland "
                    "on 8 March 1702",
                    (1,),
                ),
            ],
        ),
    ],
)
def test_the_published_examples(sentence, expected, parser):
    assert claims(sentence, parser) == expected


def test_it_is_named(parser):
    assert parser.label == "built-in parser 1.0.0"
    assert parser.fingerprint.startswith("parser:en_attest|version:1.0.0|spacy:")


def test_it_is_small():
    assert sum(path.stat().st_size for path in FILES) <= 12_000_000


def test_every_file_is_listed_and_whole():
    listed = json.loads((EMBEDDED / MANIFEST).read_text(encoding="utf-8"))
    assert set(listed) == {
        path.relative_to(EMBEDDED).as_posix() for path in FILES if path.name != MANIFEST
    }
    check_manifest(EMBEDDED)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(EMBEDDED).as_posix())
def test_no_file_is_a_pickle(path):
    data = path.read_bytes()
    if data.startswith(b"\x93NUMPY"):
        np.load(io.BytesIO(data), allow_pickle=False)
        return
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        srsly.msgpack_loads(data)


def test_what_the_card_says():
    meta = json.loads((EMBEDDED / "meta.json").read_text(encoding="utf-8"))
    scores = meta["performance"]["passages"]
    assert scores["uas"] >= 0.87
    assert scores["las"] >= 0.84
    card = (EMBEDDED / "README.md").read_text(encoding="utf-8")
    assert f"| {100 * scores['uas']:.1f} | {100 * scores['las']:.1f} |" in card
    assert f"seed {meta['training']['seed']} " in card
    for named in ("CC BY-SA 4.0", "UD_English-EWT", "GUM", "Zeldes", "Wikivoyage", "## Limits"):
        assert named in card


@pytest.mark.skipif(not TREEBANK.exists(), reason="the treebank shared/data/treebank is not here")
def test_the_scores_are_those_of_the_card():
    from training.parser.fitting import english_tokenizer
    from training.parser.passages import evaluation_passages
    from training.parser.scoring import tree_scores
    from training.parser.treebank import read_portion

    meta = json.loads((EMBEDDED / "meta.json").read_text(encoding="utf-8"))
    dev = read_portion(TREEBANK, "dev")
    passages = evaluation_passages(
        dev.sentences, english_tokenizer(), seed=meta["training"]["seed"]
    )
    scores = tree_scores(load_parser(BUILT_IN).nlp, passages, one_sentence=False)
    said = meta["performance"]["passages"]
    assert scores.uas == pytest.approx(said["uas"], abs=0.001)
    assert scores.las == pytest.approx(said["las"], abs=0.001)
    assert scores.tags == pytest.approx(said["tags"], abs=0.001)
