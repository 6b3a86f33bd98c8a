"""Items for judges, made in a line or two, and the worked cases of the published scripts."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from annotate.formats.records import (
    GivenStatement,
    PassageRecord,
    QuestionRecord,
    ResponseRecord,
    Where,
)
from annotate.text import Division
from evaluation.claims import Parse
from evaluation.judges import Item, item_of
from evaluation.judges.entailment import Asker, load_scorer

PARITY = Path(__file__).resolve().parents[3].parent / "shared" / "parity"


def needs(name: str) -> pytest.MarkDecorator:
    """Skips where the worked cases are not at hand."""
    return pytest.mark.skipif(
        not (PARITY / name).exists(), reason=f"the worked cases shared/parity/{name} are not here"
    )


def cases(name: str) -> dict[str, Any]:
    worked: dict[str, Any] = json.loads((PARITY / name).read_text(encoding="utf-8"))
    return worked


def containment(**options: Any) -> Asker:
    return Asker(load_scorer("containment"), **options)


def item(
    output: str,
    passages: Sequence[str | Mapping[str, str]] = (),
    *,
    key: str = "1",
    question: str = "How high?",
    references: Mapping[str, Any] | None = None,
    is_list: bool = False,
    statements: Sequence[tuple[str, Sequence[int]]] | None = None,
    system: str = "A",
    **division: Any,
) -> Item:
    """An item; passage n is the n-th of `passages`, a text or title and text."""
    records = tuple(
        PassageRecord(n, "", p) if isinstance(p, str) else PassageRecord(n, p["title"], p["text"])
        for n, p in enumerate(passages, 1)
    )
    given = None
    if statements is not None:
        given = tuple(
            GivenStatement(text, tuple(records[n - 1] for n in cited)) for text, cited in statements
        )
    record = ResponseRecord(
        where=Where(index=key),
        question=QuestionRecord(question, f"q{key}", references or {}),
        output=output,
        system=system,
        passages=records,
        is_list=is_list,
        statements=given,
    )
    return item_of(record, key, Division(**division))


def parity_item(case: Mapping[str, Any], key: int) -> Item:
    """The item of a worked case, read as the released scripts read it."""
    names = ("answer", "answers", "qa_pairs", "claims")
    return item(
        case["output"],
        case.get("docs", ()),
        key=str(key),
        question=case["question"],
        references={name: case[name] for name in names if name in case},
        is_list="answers" in case,
        reading="strict",
        splitter="full-stop",
    )


class HandMadeTrees:
    """A parser that knows the trees it was given, by the words of their sentence."""

    fingerprint = "parser:hand-made"

    def __init__(self, trees: Sequence[Mapping[str, Any]]) -> None:
        self.trees = {" ".join(tree["words"]): tree for tree in trees}

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        return [self._parse(text) for text in texts]

    def _parse(self, text: str) -> Parse:
        tree = self.trees[text]
        starts, offset = [], 0
        for word in tree["words"]:
            starts.append(offset)
            offset += len(word) + 1
        return Parse(tuple(tree["words"]), tuple(starts), tuple(tree["heads"]), tuple(tree["deps"]))
