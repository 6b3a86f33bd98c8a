"""Words of the treebank that spaCy's tokenizer leaves together are learned as one word."""

from collections.abc import Callable, Iterable

from training.parser.gold import Gold

Tokenizer = Callable[[str], Iterable[tuple[int, int]]]
"""Gives the start and end of each token of a text."""


def merged(gold: Gold, tokenizer: Tokenizer) -> Gold:
    """Join the words that lie in one token.

    The highest of them gives tag, label and head: with another the joined word could hang on what
    hangs on it.
    """
    groups = _groups(gold, tokenizer)
    depths = gold.depths
    tops = [min(group, key=lambda word: (depths[word], word)) for group in groups]
    place = {word: number for number, group in enumerate(groups) for word in group}
    return Gold(
        words=tuple("".join(gold.words[word] for word in group) for group in groups),
        spaces=tuple(gold.spaces[group[-1]] for group in groups),
        tags=tuple(gold.tags[top] for top in tops),
        heads=tuple(place[gold.heads[top]] for top in tops),
        deps=tuple(gold.deps[top] for top in tops),
    )


def _groups(gold: Gold, tokenizer: Tokenizer) -> list[range]:
    """The words by token. A token that cuts a word parts nothing and joins nothing."""
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    offset = 0
    for word, (form, spaced) in enumerate(zip(gold.words, gold.spaces, strict=True)):
        starts[offset] = word
        offset += len(form)
        ends[offset] = word
        offset += spaced
    groups: list[range] = []
    done = 0
    for start, end in tokenizer(gold.text):
        first, last = starts.get(start), ends.get(end)
        if first is not None and last is not None and first < last:
            groups += [range(word, word + 1) for word in range(done, first)]
            groups.append(range(first, last + 1))
            done = last + 1
    return groups + [range(word, word + 1) for word in range(done, len(gold))]
