"""Sentences without signs, since that is how claims are parsed: `evaluation.claims.cleaning`."""

from evaluation.claims.cleaning import SIGNS
from training.parser.gold import Gold

FEWEST_WORDS = 3


def bare(gold: Gold) -> Gold | None:
    """The sentence with word characters and commas only; None where too little is left of it.

    Printed reference marks (`[7]`) go too, as citations do, and commas at either end. What hung on
    a word that goes hangs on the next word above that stays.
    """
    words = [SIGNS.sub("", word) for word in gold.words]
    kept = [word for word, text in enumerate(words) if text and not _is_mark(gold, word)]
    while kept and words[kept[-1]] == ",":
        kept.pop()
    while kept and words[kept[0]] == ",":
        kept.pop(0)
    if len(kept) < FEWEST_WORDS:
        return None
    above = {word: _above(gold, word, set(kept)) for word in kept}
    root = _root(gold, above)
    if root is None:
        return None
    above = {word: head if head in above else root for word, head in above.items()}
    place = {word: number for number, word in enumerate(kept)}
    after = [*kept[1:], None]
    return Gold(
        words=tuple(words[word] for word in kept),
        spaces=tuple(
            end is not None and any(gold.spaces[word:end])
            for word, end in zip(kept, after, strict=True)
        ),
        tags=tuple(gold.tags[word] for word in kept),
        heads=tuple(place[root if word == root else above[word]] for word in kept),
        deps=tuple(_label(gold, word, root) for word in kept),
    )


def _is_mark(gold: Gold, word: int) -> bool:
    """Whether this is the number in `[7]`, with nothing but its brackets below it."""
    if not 0 < word < len(gold) - 1 or not gold.words[word].isdigit():
        return False
    return (gold.words[word - 1], gold.words[word + 1]) == ("[", "]") and all(
        child in (word - 1, word, word + 1) for child, head in enumerate(gold.heads) if head == word
    )


def _above(gold: Gold, word: int, kept: set[int]) -> int:
    """The nearest word above that stays; the root where none does."""
    head = gold.heads[word]
    while head not in kept and gold.heads[head] != head:
        head = gold.heads[head]
    return head


def _root(gold: Gold, above: dict[int, int]) -> int | None:
    """The root; where it goes, the first word below it takes its place."""
    old = next(word for word, head in enumerate(gold.heads) if word == head)
    if old in above:
        return old
    heirs = (word for word, head in above.items() if head == old and gold.deps[word] != "punct")
    return next(heirs, None)


def _label(gold: Gold, word: int, root: int) -> str:
    if word == root:
        return "ROOT"
    return "dep" if gold.deps[word] == "ROOT" else gold.deps[word]
