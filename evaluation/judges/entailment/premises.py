"""Premises that are longer than a model takes: cut off, or read through overlapping windows."""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from annotate.text import SPLITTERS, splitter_signature

LongPolicy = Literal["window", "truncate"]
Spans = list[tuple[int, int]]

_LINE = re.compile(r"[^\n]+")
_SPLITTER = "rules"


@dataclass(slots=True)
class PremiseLengths:
    """How often a premise was too long, and what was done. Counted where a pair is computed."""

    pairs: int = 0
    windowed: int = 0
    """Pairs read in several parts, and how many parts those were."""
    windows: int = 0
    truncated: int = 0
    """Pairs of which something was left out: a premise's end, or the hypothesis' own."""


def policy_signature(policy: LongPolicy) -> str:
    """What could change where a premise is cut."""
    return f"window/{splitter_signature(_SPLITTER)}/half/1" if policy == "window" else "truncate/1"


def sentences(text: str) -> Spans:
    """Where the sentences of a text lie, line by line, without the white space around them."""
    found: Spans = []
    for line in _LINE.finditer(text):
        starts = SPLITTERS[_SPLITTER](line[0])
        for start, end in pairwise([*starts, len(line[0])]):
            piece = line[0][start:end]
            first = line.start() + start + len(piece) - len(piece.lstrip())
            last = line.start() + start + len(piece.rstrip())
            if first < last:
                found.append((first, last))
    return found


def windows(text: str, tokens: Spans, room: int) -> list[str]:
    """Parts of a text of at most `room` tokens, each beginning halfway through the one before.

    `tokens` are the offsets of the text's tokens. A window begins and ends at the border of a
    sentence; a sentence that is too long for a window is cut between tokens.
    """
    pieces = _pieces(sentences(text), tokens, room)
    found: list[str] = []
    first = 0
    while first < len(pieces):
        last, filled = first, 0
        while last < len(pieces) and (last == first or filled + pieces[last][2] <= room):
            filled += pieces[last][2]
            last += 1
        found.append(text[pieces[first][0] : pieces[last - 1][1]])
        if last == len(pieces):
            break
        following, left = last, 0
        # Half a window again, or as much as leaves room for something new.
        most = min(room // 2, room - pieces[last][2])
        while following - 1 > first and left + pieces[following - 1][2] <= most:
            following -= 1
            left += pieces[following][2]
        first = following
    return found


def _pieces(spans: Spans, tokens: Spans, room: int) -> list[tuple[int, int, int]]:
    """Sentences, the long ones in parts, with their number of tokens."""
    found: list[tuple[int, int, int]] = []
    at = 0
    for start, end in spans:
        while at < len(tokens) and tokens[at][1] <= start:
            at += 1
        inside = []
        while at < len(tokens) and tokens[at][0] < end:
            inside.append(tokens[at])
            at += 1
        if len(inside) <= room:
            found.append((start, end, len(inside)))
            continue
        # A part ends where the next begins, so that nothing of the sentence is lost.
        cuts = [start, *(inside[n][0] for n in range(room, len(inside), room)), end]
        found += [
            (one, other, min(room, len(inside) - room * n))
            for n, (one, other) in enumerate(pairwise(cuts))
            if one < other
        ]
    return found


def cut(text: str, tokens: Spans, room: int) -> str:
    """The first `room` tokens of a text."""
    return text if len(tokens) <= room else text[: tokens[room - 1][1] if room else 0].rstrip()
