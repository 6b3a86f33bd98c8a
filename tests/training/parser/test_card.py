"""The model card."""

from training.parser.card import ParserScores, model_card
from training.parser.scoring import ClaimScores, TreeScores

SCORES = ParserScores(
    files=("dev.conllu",),
    sentences=1234,
    passages=TreeScores(0.871, 0.842, 0.945, 0.91, 9000),
    bare=TreeScores(0.855, 0.822, 0.931, 1.0, 9000),
    claims=ClaimScores(800, 0.64, 0.9, 400, 0.5),
    without_trees=ClaimScores(800, 0.26, 0.8, 400, 0.1),
)
META = {
    "lang": "en",
    "name": "attest",
    "version": "1.0.0",
    "description": "Trees.",
    "license": "CC BY-SA 4.0",
    "sources": [
        {"name": "EWT", "url": "https://example.org", "licence": "CC BY-SA 4.0", "authors": "Anna"}
    ],
    "training": {
        "seed": 7,
        "steps": 8400,
        "best_step": 7800,
        "files": {"train.conllu": "ab12"},
        "sentences": 18_341,
        "words": 317_008,
        "conversion": "clear:1",
        "cleaning": "words-and-commas:1",
        "spacy": "3.8.18",
    },
}


def test_licence_and_attribution():
    card = model_card(META, SCORES, megabytes=11.2)
    assert "CC BY-SA 4.0, with this attribution" in card
    assert "- [EWT](https://example.org): Anna; CC BY-SA 4.0" in card
    assert "11.2 MB" in card


def test_how_it_was_made():
    card = model_card(META, SCORES, megabytes=11.2)
    assert "with seed 7 and 8,400 steps" in card
    assert "that of step 7,800" in card
    assert "18,341 sentences (317,008 words)" in card
    assert "- `train.conllu`, SHA-256 `ab12`" in card


def test_scores():
    lines = model_card(META, SCORES, megabytes=11.2).splitlines()
    assert "| passages of 1, 2, 4 or 8 sentences | 87.1 | 84.2 | 94.5 | 91.0 |" in lines
    assert "| sentences without signs, as claims are parsed | 85.5 | 82.2 | 93.1 | given |" in lines
    assert "| the parser's trees | 64.0 | 90.0 | 50.0 |" in lines
    assert "| the text since the last mark | 26.0 | 80.0 | 10.0 |" in lines


def test_a_treebank_that_is_not_known():
    card = model_card({**META, "sources": []}, SCORES, megabytes=11.2)
    assert "name its sources and licences here" in card
