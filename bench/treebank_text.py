"""Running text with known sentence starts, rebuilt from a treebank in CoNLL-U."""

import gzip
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

PRINTED_MARK = re.compile(r"\s*\[\s?\d+(?:\s?[,–-]\s?\d+)*\s?\]")
FINAL_STOP = re.compile(r"(?<=\w)([.!?]\s*)$")


class Sentence(NamedTuple):
    """A sentence as printed, white space after it included."""

    document: str
    opens_paragraph: bool
    text: str


class Paragraph(NamedTuple):
    """A paragraph and where its sentences start."""

    text: str
    starts: list[int]


def read_sentences(path: Path) -> Iterator[Sentence]:
    """Rebuild each sentence from FORM and SpaceAfter=No."""
    document = ""
    opens_paragraph = False
    printed: list[str] = []
    inside_token = 0
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if line.startswith("# newdoc"):
                document, opens_paragraph = line.partition("=")[2].strip(), True
            elif line.startswith("# newpar"):
                opens_paragraph = True
            elif len(fields) == 10:
                first, _, last = fields[0].partition("-")
                if "." in first or (not last and int(first) <= inside_token):
                    continue
                inside_token = int(last or first)
                printed.append(fields[1] + ("" if "SpaceAfter=No" in fields[9] else " "))
            elif not line.strip() and printed:
                yield Sentence(document, opens_paragraph, "".join(printed))
                printed, inside_token, opens_paragraph = [], 0, False


Marking = Callable[[str, random.Random], str]


def _marks(chance: random.Random) -> str:
    return "".join(f"[{chance.randint(1, 5)}]" for _ in range(chance.choice([1, 1, 2, 3])))


def _mark_before_stop(text: str, chance: random.Random) -> str:
    return FINAL_STOP.sub(lambda stop: f" {_marks(chance)}{stop[1]}", text)


def _mark_after_stop(text: str, chance: random.Random) -> str:
    return FINAL_STOP.sub(lambda stop: f"{stop[1].rstrip()}{_marks(chance)} ", text)


def _mark_after_space(text: str, chance: random.Random) -> str:
    return FINAL_STOP.sub(lambda stop: f"{stop[1].rstrip()} {_marks(chance)} ", text)


MARKINGS: dict[str, Marking | None] = {
    "no marks": None,
    "text [n].": _mark_before_stop,
    "text.[n]": _mark_after_stop,
    "text. [n]": _mark_after_space,
}


def paragraphs(
    path: Path, wanted: Callable[[str], bool], marking: Marking | None = None
) -> list[Paragraph]:
    """The paragraphs of the documents that are `wanted`.

    With a `marking`, marks printed in the source are taken out and seven sentences in ten get
    citation marks from a fixed seed.
    """
    chance = random.Random(0)
    made: list[Paragraph] = []
    text, starts = "", list[int]()
    for sentence in read_sentences(path):
        if sentence.opens_paragraph and starts:
            made.append(Paragraph(text.rstrip(), starts))
            text, starts = "", []
        if not wanted(sentence.document):
            continue
        printed = sentence.text
        if marking is not None:
            printed = PRINTED_MARK.sub("", printed)
            if chance.random() < 0.7:
                printed = marking(printed, chance)
        if printed.strip():
            starts.append(len(text))
            text += printed
    if starts:
        made.append(Paragraph(text.rstrip(), starts))
    return made
