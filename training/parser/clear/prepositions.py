"""Prepositions: `of` heads `of glass`, where the treebank has it the other way round."""

from itertools import pairwise

from training.parser.clear.tree import TreebankTree
from training.parser.clear.words import words

PREPOSITIONS = words(
    "of about on in for with by from at to into over upon without between despite through "
    "regarding except concerning against toward towards after before since until during besides "
    "beyond within via under instead"
)
SUBORDINATORS = words(
    "while when if although though whereas because as once unless whether that til till cos cuz "
    "lest whenever wherever so"
)
AFTER_THEIR_OBJECT = words(
    "ago long notwithstanding aside apart later earlier over through up in out away"
)
WITH_SECOND_PREPOSITION = words(
    "according instead out prior depending as up except regardless away together along such more "
    "ahead inside outside"
)

_MARK_TAGS = frozenset(("IN", "VBG", "JJ", "TO", "RB"))
_WITH_SUBJECT = frozenset(("with", "without", "of", "from", "about", "to"))
_QUESTION_WORDS = frozenset(("whether", "how", "if", "that"))
_POSSESSIVES = frozenset(("'s", "’s", "'", "’"))
_PHRASES = words(
    "nmod obl advcl acl xcomp ccomp advmod dep iobj acomp attr csubj appos dislocated orphan "
    "vocative"
)
_BEFORE_NOUNS = frozenset(("amod", "nummod", "compound", "npadvmod"))
_OF_A_NOUN = frozenset(("det", "nmod:poss", "amod"))


def mark_gerunds(tree: TreebankTree) -> None:
    """`by` in `by leaving` and `on` in `on how it works` are prepositions, not clause marks."""
    for word in tree.words:
        if (
            tree.rels[word] == "mark"
            and tree.xpos[word] in _MARK_TAGS
            and tree.heads[word]
            and _is_preposition(tree, word)
        ):
            tree.rels[word] = "case"


def _is_preposition(tree: TreebankTree, mark: int) -> bool:
    verb, low = tree.heads[mark], tree.low[mark]
    if low in SUBORDINATORS or (tree.xpos[mark] == "TO" and tree.xpos[verb] == "VB"):
        return False
    children = tree.children(verb)
    if low == "for" and any(
        child > mark and tree.rels[child] in ("mark", "aux") and tree.xpos[child] == "TO"
        for child in children
    ):
        return False  # `for them to leave`
    subject = any(tree.rels[child].startswith("nsubj") for child in children)
    gerund = tree.xpos[verb] == "VBG" or any(
        tree.rels[child].startswith("aux") and tree.xpos[child] == "VBG" for child in children
    )
    if low in ("than", "like"):
        return gerund and not subject
    if low not in PREPOSITIONS:
        return False
    return (gerund and (not subject or low in _WITH_SUBJECT)) or _asks(tree, mark, children)


def _asks(tree: TreebankTree, mark: int, children: list[int]) -> bool:
    """Whether the clause after the mark begins with a question word."""
    if any(
        child > mark and (tree.xpos[child].startswith("W") or tree.low[child] in _QUESTION_WORDS)
        for child in children
    ):
        return True
    return mark < tree.size and tree.xpos[mark + 1].startswith("W")


def raise_prepositions(tree: TreebankTree) -> None:
    for word in tree.words:
        cases = [
            child
            for child in tree.children(word)
            if tree.rels[child] == "case"
            and tree.xpos[child] != "POS"
            and tree.low[child] not in _POSSESSIVES
        ]
        before = [case for case in cases if case < word]
        if before:
            _raise(tree, word, before, cases)
        elif cases:
            _raise_postposition(tree, word, cases[0])
    for word in tree.words:
        if tree.rels[word] in ("obl", "nmod") and tree.upos[word] == "ADP":
            tree.rels[word] = "prep"


def _raise_postposition(tree: TreebankTree, word: int, case: int) -> None:
    """`ago` heads `two years ago` as an adverb; what a question left behind is a preposition."""
    head, rel = tree.heads[word], tree.rels[word]
    if tree.xpos[case] in ("RB", "IN") and tree.low[case] in AFTER_THEIR_OBJECT:
        tree.attach(case, head, "advmod")
        tree.attach(word, case, "npadvmod")
        return
    tree.attach(case, head, "root" if rel == "root" else "prep")
    tree.attach(word, case, "pobj")
    tree.objects[case], tree.prepositions[word] = word, case


def _raise(tree: TreebankTree, word: int, before: list[int], cases: list[int]) -> None:
    """The first preposition takes the object's place; several stand in a chain (`out of`)."""
    first, last = before[0], before[-1]
    rel = _relation(tree, word, first)
    verbal = _is_verbal(tree, word)
    for child in tree.children(word):
        if child in cases or child > last:
            continue
        if child > first:  # `from just across`
            tree.heads[child] = next(case for case in before if case > child)
        else:  # `only in`
            tree.heads[child] = first
    tree.attach(first, tree.heads[word], rel)
    for one, next_one in pairwise(before):
        second = tree.low[one] in WITH_SECOND_PREPOSITION
        tree.attach(next_one, one, "prep" if second else "pcomp")
    clausal = verbal or tree.upos[word] in ("ADV", "SCONJ")
    tree.attach(word, last, "pcomp" if clausal else "pobj")
    for case in cases:
        if case > word:
            tree.attach(case, word, "prep")
    tree.objects[first], tree.prepositions[word] = word, first


def _relation(tree: TreebankTree, word: int, preposition: int) -> str:
    """What the preposition is to the word above."""
    rel, base = tree.rels[word], tree.base(word)
    if rel == "obl:agent" and tree.low[preposition] == "by":
        return "agent"
    if base in _PHRASES:
        return "prep"
    return "nmod" if base in _BEFORE_NOUNS else rel


def _is_verbal(tree: TreebankTree, word: int) -> bool:
    """A verb, unless it is a gerund used as a noun (`the making of`)."""
    if tree.upos[word] not in ("VERB", "AUX"):
        return False
    noun = any(tree.rels[child] in _OF_A_NOUN for child in tree.children(word))
    return not (tree.xpos[word] == "VBG" and noun)
