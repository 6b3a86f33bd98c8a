"""Divide sentences with marks into atomic claims; store the divisions and restore them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from evaluation.claims.atomic import Claim, claims_from_tree
from evaluation.claims.cleaning import CLEANING_VERSION, clean_sentence

CLAIMS_VERSION = "claims:2"


class Parse(NamedTuple):
    """A parsed text: by word its text, offset, head (its own index for a root), label and tag.

    Tags are parts of speech, `""` if the parser gives none.
    """

    words: tuple[str, ...] = ()
    starts: tuple[int, ...] = ()
    heads: tuple[int, ...] = ()
    deps: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class Parser(Protocol):
    """A source of dependency trees with the labels of spaCy's English pipelines."""

    @property
    def fingerprint(self) -> str:
        """Identify everything that can change a tree."""
        ...

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Return a tree for each text, in order."""
        ...


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """A parsed sentence, the numbers cited after each word, and its claims."""

    sentence: str
    parse: Parse
    marks: Mapping[int, Sequence[int]]
    claims: tuple[Claim, ...]


def divide(sentences: Iterable[str], parser: Parser) -> list[ParsedSentence]:
    """Divide sentences, given with their marks, into claims; each text is parsed once.

    A sentence without a word has no claim, even if it has citations: there is nothing to support.
    """
    given = list(sentences)
    clean = {sentence: clean_sentence(sentence) for sentence in dict.fromkeys(given)}
    texts = list(dict.fromkeys(one.text for one in clean.values() if one.has_word))
    parses = dict(zip(texts, parser.parse(texts), strict=True)) if texts else {}
    made: dict[str, ParsedSentence] = {}
    for sentence, one in clean.items():
        parse = parses.get(one.text, Parse())
        marks = one.by_word(parse.words, parse.starts)
        claims = (
            claims_from_tree(parse.words, parse.heads, parse.deps, marks) if parse.words else []
        )
        made[sentence] = ParsedSentence(sentence, parse, marks, tuple(claims))
    return [made[sentence] for sentence in given]


def claims_of_sentences(sentences: Iterable[str], parser: Parser) -> list[list[Claim]]:
    """Return the atomic claims of each sentence, given with its marks, in their order."""
    return [list(division.claims) for division in divide(sentences, parser)]


def claims_signature(parser: Parser) -> str:
    """Identify everything that can change the claims of a sentence."""
    return f"{CLAIMS_VERSION}|{CLEANING_VERSION}|{parser.fingerprint}"


def kept(key: str, division: ParsedSentence) -> dict[str, Any]:
    """Return a division as plain data, to restore it without a parser."""
    parse = division.parse
    return {
        "key": key,
        "sentence": division.sentence,
        "words": list(parse.words),
        "starts": list(parse.starts),
        "heads": list(parse.heads),
        "deps": list(parse.deps),
        "tags": list(parse.tags),
        "marks": {str(word): list(numbers) for word, numbers in division.marks.items()},
    }


def restored(data: Mapping[str, Any]) -> ParsedSentence:
    """Restore a stored division. Its claims follow from the tree."""
    parse = _tree(data)
    marks = {int(word): tuple(numbers) for word, numbers in data["marks"].items()}
    claims = claims_from_tree(parse.words, parse.heads, parse.deps, marks) if parse.words else []
    return ParsedSentence(data["sentence"], parse, marks, tuple(claims))


def _tree(data: Mapping[str, Any]) -> Parse:
    names = ("words", "starts", "heads", "deps", "tags")
    return Parse(*(tuple(data[name]) for name in names))


class CachingParser:
    """A parser that is only asked for texts without a stored tree."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self._trees: dict[str, Parse] = {}

    @property
    def fingerprint(self) -> str:
        return self.parser.fingerprint

    def remember(self, kept: Iterable[Mapping[str, Any]]) -> None:
        """Use these stored trees instead of the present ones."""
        self._trees = {clean_sentence(data["sentence"]).text: _tree(data) for data in kept}

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        fresh = [text for text in texts if text not in self._trees]
        made = dict(zip(fresh, self.parser.parse(fresh), strict=True)) if fresh else {}
        return [made[text] if text in made else self._trees[text] for text in texts]
