"""A divided sentence as plain data, and back: what is stored of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluation.claims.atomic import claims_from_tree
from evaluation.claims.cleaning import clean_sentence
from evaluation.claims.sentences import Parse, ParsedSentence, Parser


def kept(key: str, division: ParsedSentence) -> dict[str, Any]:
    """What is needed to make the division again without a parser; `key` names the statement."""
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


def made_again(data: Mapping[str, Any]) -> ParsedSentence:
    """The division that was kept. Its claims follow from the tree."""
    parse = _tree(data)
    marks = {int(word): tuple(numbers) for word, numbers in data["marks"].items()}
    claims = claims_from_tree(parse.words, parse.heads, parse.deps, marks) if parse.words else []
    return ParsedSentence(data["sentence"], parse, marks, tuple(claims))


def _tree(data: Mapping[str, Any]) -> Parse:
    names = ("words", "starts", "heads", "deps", "tags")
    return Parse(*(tuple(data[name]) for name in names))


class RememberingParser:
    """A parser that is asked only for texts whose trees were not kept."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self._trees: dict[str, Parse] = {}

    @property
    def fingerprint(self) -> str:
        return self.parser.fingerprint

    def remember(self, kept: Iterable[Mapping[str, Any]]) -> None:
        """These trees, which it made, and no longer those before them."""
        self._trees = {clean_sentence(data["sentence"]).text: _tree(data) for data in kept}

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        fresh = [text for text in texts if text not in self._trees]
        made = dict(zip(fresh, self.parser.parse(fresh), strict=True)) if fresh else {}
        return [made[text] if text in made else self._trees[text] for text in texts]
