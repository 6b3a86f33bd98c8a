"""The model card of a pipeline."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from training.parser.scoring import ClaimScores, TreeScores

LIMITS_AND_FILES = (
    "## Limits",
    "",
    "- English only, and edited prose and web text more than anything else.",
    "- About one label in six or seven is wrong, often where a phrase could hang on two "
    "words (`saw the man with a telescope`), and more of them in long sentences.",
    "- A claim can be wrong although most of its sentence's tree is right: the table above "
    "says how often.",
    "- Trees are projective: arcs do not cross.",
    "- Names are not found, nor base forms: it only tags and parses.",
    "",
    "## Files",
    "",
    "`manifest.json` lists the SHA-256 of every file, and Attest checks them when it loads "
    "the pipeline. All files are JSON, MessagePack, NumPy arrays without objects, or text; "
    "none is a pickle.",
)


@dataclass(frozen=True, slots=True)
class ParserScores:
    """All that was measured on the development portion."""

    files: tuple[str, ...]
    sentences: int
    passages: TreeScores
    bare: TreeScores
    claims: ClaimScores
    without_trees: ClaimScores


def model_card(meta: Mapping[str, Any], scores: ParserScores, *, megabytes: float) -> str:
    """In Markdown; `meta` is the pipeline's meta.json."""
    return "\n".join(
        [
            "# Attest's built-in parser",
            "",
            f"{meta['description']} A spaCy pipeline (`{meta['lang']}_{meta['name']}` "
            f"{meta['version']}): words as hashed features, a tagger, a dependency parser. "
            f"{megabytes:.1f} MB. Its labels are those of spaCy's own English pipelines.",
            "",
            "## Licence",
            "",
            f"{meta['license']}, with this attribution. Some of what it learned from is under that "
            "licence, and whether the licence reaches a model is not settled: treat it as if it "
            "did. The weights were made for Attest; the treebank's sentences are not in it, apart "
            "from single words.",
            "",
            *_sources(meta["sources"]),
            "",
            *_training(meta["training"]),
            "",
            *_scores(scores),
            "",
            *LIMITS_AND_FILES,
            "",
        ]
    )


def _training(made: Mapping[str, Any]) -> list[str]:
    return [
        "## Training",
        "",
        f"Made by `manage.py train_parser` with seed {made['seed']} and {made['steps']:,} "
        f"steps (the best pipeline was that of step {made['best_step']:,}), spaCy "
        f"{made['spacy']}, from {made['sentences']:,} sentences ({made['words']:,} words):",
        "",
        *(f"- `{name}`, SHA-256 `{digest}`" for name, digest in made["files"].items()),
        "",
        "Universal Dependencies were converted to the labels of spaCy's English pipelines "
        f"(rules `{made['conversion']}`). The texts are passages of one to eight sentences "
        "and, once more, each sentence without signs, in some of which the words of names are "
        "others.",
    ]


def _scores(scores: ParserScores) -> list[str]:
    return [
        "## Scores",
        "",
        f"On {scores.sentences:,} sentences of the development portion "
        f"({', '.join(f'`{name}`' for name in scores.files)}), converted in the same way; of "
        "the pipelines met in training, the one that is best on it was kept. The official test "
        "portions were not looked at.",
        "",
        "| texts | UAS | LAS | tags | sentences, F1 |",
        "|---|---|---|---|---|",
        _row("passages of 1, 2, 4 or 8 sentences", scores.passages, True),
        _row("sentences without signs, as claims are parsed", scores.bare, False),
        "",
        f"Claims of {scores.claims.sentences:,} of these sentences, with a mark before a comma "
        "or conjunction and one at the end, beside the claims from the right trees:",
        "",
        "| made from | claims the same | F1 of words | sentences with all claims the same |",
        "|---|---|---|---|",
        _claims_row("the parser's trees", scores.claims),
        _claims_row("the text since the last mark", scores.without_trees),
    ]


def _sources(sources: list[dict[str, str]]) -> list[str]:
    if not sources:
        return ["The treebank is not one that Attest knows: name its sources and licences here."]
    return [f"- [{s['name']}]({s['url']}): {s['authors']}; {s['licence']}" for s in sources]


def _row(texts: str, scores: TreeScores, divided: bool) -> str:
    sentences = _percent(scores.sentences) if divided else "given"
    figures = (_percent(scores.uas), _percent(scores.las), _percent(scores.tags), sentences)
    return f"| {texts} | {' | '.join(figures)} |"


def _claims_row(made_from: str, scores: ClaimScores) -> str:
    figures = (_percent(scores.same), _percent(scores.f1), _percent(scores.sentences_same))
    return f"| {made_from} | {' | '.join(figures)} |"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
