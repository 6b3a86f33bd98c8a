"""Reading treebanks in CoNLL-U, the format of Universal Dependencies."""

import gzip
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

COLUMNS = 10


class TreebankError(Exception):
    """A treebank that cannot be read; the message says where and why."""


class Word(NamedTuple):
    """A word of a treebank; `head` counts from 1, and the root's head is 0."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    rel: str
    spaced: bool
    """Whether a space follows."""


@dataclass(frozen=True, slots=True)
class TreebankSentence:
    """A sentence of a treebank."""

    words: tuple[Word, ...]
    document: str
    """The name of the document that it belongs to."""
    begins_paragraph: bool = False


def read_treebank(path: Path) -> Iterator[TreebankSentence]:
    """The sentences of a file, which may be compressed with gzip."""
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rt", encoding="utf-8") as stream:
                yield from sentences(stream, str(path))
        else:
            with path.open(encoding="utf-8") as stream:
                yield from sentences(stream, str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise TreebankError(f"The treebank {path} could not be read: {error}") from error


def sentences(lines: Iterable[str], name: str = "") -> Iterator[TreebankSentence]:
    """The sentences of CoNLL-U text; `name` says in messages where it came from."""
    document = ""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r\n")
        if line:
            block.append((number, line))
            continue
        if block:
            sentence = _sentence(block, document, name)
            document = sentence.document
            yield sentence
            block = []
    if block:
        yield _sentence(block, document, name)


def _sentence(block: Sequence[tuple[int, str]], document: str, name: str) -> TreebankSentence:
    """Comments and words of one sentence. Empty nodes are passed over.

    Where several words are written as one (`don't`), no space follows but after the last.
    """
    words: list[Word] = []
    begins_paragraph = False
    joined_until, spaced_after = 0, True
    for number, line in block:
        if line.startswith("#"):
            if line.startswith("# newdoc"):
                document = line.partition("=")[2].strip() or f"{document}+"
                begins_paragraph = True
            elif line.startswith("# newpar"):
                begins_paragraph = True
            continue
        fields = line.split("\t")
        place = f"{name}, line {number}"
        if len(fields) != COLUMNS:
            raise TreebankError(
                f"{place}: expected {COLUMNS} fields parted by tabs, as in CoNLL-U, found "
                f"{len(fields)}."
            )
        index, misc = fields[0], fields[9]
        if "." in index:
            continue
        spaced = "SpaceAfter=No" not in misc
        if "-" in index:
            joined_until, spaced_after = int(index.partition("-")[2]), spaced
            continue
        position = len(words) + 1
        if index != str(position) or not fields[6].isdecimal():
            raise TreebankError(
                f"{place}: expected word {position} and its head as numbers, found “{index}” and "
                f"“{fields[6]}”."
            )
        if position <= joined_until:
            spaced = position == joined_until and spaced_after
        form, lemma, upos, xpos, feats = fields[1:6]
        words.append(Word(form, lemma, upos, xpos, feats, int(fields[6]), fields[7], spaced))
    beyond = [word for word in words if word.head > len(words)]
    if beyond or not words:
        raise TreebankError(
            f"{name}, line {block[0][0]}: expected a sentence whose heads are its words; found "
            + (f"the head {beyond[0].head} of {len(words)} words." if beyond else "no words.")
        )
    return TreebankSentence(tuple(words), document, begins_paragraph)
