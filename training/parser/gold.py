"""Texts with their right trees, as the parser learns them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from training.parser.clear import convert
from training.parser.conllu import TreebankSentence

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab


@dataclass(frozen=True, slots=True)
class Gold:
    """By word its form, whether a space follows, tag, head (its own index for a root), label."""

    words: tuple[str, ...]
    spaces: tuple[bool, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    deps: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def text(self) -> str:
        pairs = zip(self.words, self.spaces, strict=True)
        return "".join(word + " " * spaced for word, spaced in pairs)

    @property
    def depths(self) -> tuple[int, ...]:
        """How many steps it is from each word to its root."""
        return tuple(self._depth(word) for word in range(len(self)))

    def _depth(self, word: int) -> int:
        steps = 0
        while self.heads[word] != word:
            word, steps = self.heads[word], steps + 1
        return steps

    def doc(self, vocab: "Vocab") -> "Doc":
        """As spaCy has it."""
        from spacy.tokens import Doc

        return Doc(
            vocab,
            words=list(self.words),
            spaces=list(self.spaces),
            tags=list(self.tags),
            heads=list(self.heads),
            deps=list(self.deps),
        )


def gold_sentence(sentence: TreebankSentence) -> Gold | None:
    """The converted sentence; None where the conversion left no tree."""
    tree = convert(sentence.words)
    if not tree.is_sound():
        return None
    return Gold(
        words=tuple(word.form for word in sentence.words),
        spaces=tuple(word.spaced for word in sentence.words),
        tags=tuple(word.xpos for word in sentence.words),
        heads=tuple((tree.heads[word] or word) - 1 for word in tree.words),
        deps=tuple(tree.rels[1:]),
    )


def joined(sentences: Sequence[Gold]) -> Gold:
    """Sentences as one text, with a space after each."""
    heads: list[int] = []
    for sentence in sentences:
        before = len(heads)
        heads += [before + head for head in sentence.heads]
    return Gold(
        words=tuple(word for one in sentences for word in one.words),
        spaces=tuple(spaced for one in sentences for spaced in (*one.spaces[:-1], True)),
        tags=tuple(tag for one in sentences for tag in one.tags),
        heads=tuple(heads),
        deps=tuple(dep for one in sentences for dep in one.deps),
    )
