"""Trees by hand: a word a line, as form, parts of speech, head and relation of the treebank."""

from training.parser.clear import convert
from training.parser.conllu import TreebankSentence, Word
from training.parser.gold import Gold


def words(table, *, lemmas=None, unspaced=()):
    """`Rain NOUN NN 2 nsubj` by line; `lemmas` where they are not the forms in small letters."""
    rows = [line.split() for line in table.strip().splitlines()]
    return tuple(
        Word(
            form=form,
            lemma=(lemmas or {}).get(form, form.lower()),
            upos=upos,
            xpos=xpos,
            feats="_",
            head=int(head),
            rel=rel,
            spaced=place not in unspaced,
        )
        for place, (form, upos, xpos, head, rel) in enumerate(rows, 1)
    )


def sentence(table, *, document="one", **options):
    return TreebankSentence(words(table, **options), document)


def converted(table, **options):
    """`relation(head, word)` of each word of the converted tree."""
    tree = convert(words(table, **options))
    assert tree.is_sound()
    return [
        f"{tree.rels[word]}({tree.forms[tree.heads[word]]}, {tree.forms[word]})"
        for word in tree.words
    ]


def gold(table, *, unspaced=()):
    """`Rain NN 2 nsubj` by line: converted trees, whose roots hang on 0."""
    rows = [line.split() for line in table.strip().splitlines()]
    return Gold(
        words=tuple(row[0] for row in rows),
        spaces=tuple(place not in unspaced for place in range(1, len(rows) + 1)),
        tags=tuple(row[1] for row in rows),
        heads=tuple((int(row[2]) or place) - 1 for place, row in enumerate(rows, 1)),
        deps=tuple(row[3] for row in rows),
    )
