"""The files of a treebank, and what is known of the one that the built-in parser learned from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluation.claims.manifest import sha256
from training.parser.conllu import TreebankError, TreebankSentence, read_treebank

TRAIN, DEV = "train", "dev"


@dataclass(frozen=True, slots=True)
class Portion:
    """A part of a treebank."""

    files: tuple[tuple[str, str], ...]
    """Names and hashes."""
    sentences: tuple[TreebankSentence, ...]

    @property
    def words(self) -> int:
        return sum(len(sentence.words) for sentence in self.sentences)


@dataclass(frozen=True, slots=True)
class Credit:
    """Something that must be named where what was made from it is passed on."""

    name: str
    url: str
    licence: str
    authors: str


def read_portion(folder: Path, portion: str, *, limit: int | None = None) -> Portion:
    """The portion's sentences: of all files in the folder whose name ends like `train.conllu`.

    They may be compressed (`train.conllu.gz`). A limit takes the first sentences only.
    """
    paths = sorted(
        path
        for ending in (f"{portion}.conllu", f"{portion}.conllu.gz")
        for path in folder.glob(f"*{ending}")
    )
    if not paths:
        raise TreebankError(
            f"Expected a treebank with files such as {TRAIN}.conllu and {DEV}.conllu (or .gz) in "
            f"{folder}; found none that ends in {portion}.conllu."
        )
    sentences = [sentence for path in paths for sentence in read_treebank(path)][:limit]
    return Portion(tuple((path.name, sha256(path)) for path in paths), tuple(sentences))


def sources_of(files: Sequence[tuple[str, str]]) -> tuple[Credit, ...]:
    """The sources of the training files; empty where they are not known."""
    known = [KNOWN.get(digest, ()) for _, digest in files]
    return tuple(source for sources in known for source in sources) if all(known) else ()


EWT_AND_GUM: Final = (
    Credit(
        name="UD English EWT (annotations; texts: LDC English Web Treebank sources)",
        url="https://github.com/UniversalDependencies/UD_English-EWT",
        licence="CC BY-SA 4.0",
        authors="The Board of Trustees of The Leland Stanford Junior University, 2013-2021",
    ),
    Credit(
        name="Georgetown University Multilayer corpus (GUM), annotations",
        url="https://github.com/amir-zeldes/gum",
        licence="CC BY 4.0",
        authors=(
            "Amir Zeldes and the GUM annotators, Georgetown University (Zeldes 2017, "
            "doi 10.1007/s10579-016-9343-x)"
        ),
    ),
    Credit(
        name="GUM texts: Wikipedia biographies and Wikivoyage",
        url="https://gucorpling.org/gum/",
        licence="CC BY-SA 3.0",
        authors="the contributors of Wikipedia and Wikivoyage",
    ),
    Credit(
        name="GUM texts: academic, court, OpenStax textbooks, vlogs",
        url="https://gucorpling.org/gum/",
        licence="CC BY 4.0 (vlogs: CC BY)",
        authors="the authors named in GUM's documents",
    ),
    Credit(
        name="GUM texts: Wikinews news and interviews; speeches",
        url="https://gucorpling.org/gum/",
        licence="CC BY 2.5 (speeches: public domain)",
        authors="the contributors of Wikinews; the speakers",
    ),
)

KNOWN: Final = {
    "18a0a28cbd4c108f6ae6e220de9d64ce186b9ce368963c43c954265391e52088": EWT_AND_GUM,
}
"""By the SHA-256 of a training file."""
