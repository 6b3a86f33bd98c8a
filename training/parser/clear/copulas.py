"""Copulas: `is` heads `is a city`, and takes what belongs to the clause rather than to `city`."""

from training.parser.clear.tree import TreebankTree
from training.parser.clear.words import words

OF_THE_CLAUSE = frozenset(
    (
        "nsubj",
        "csubj",
        "aux",
        "expl",
        "advcl",
        "parataxis",
        "discourse",
        "vocative",
        "dislocated",
        "cc",
        "mark",
        "reparandum",
        "list",
    )
)
DEGREE = words(
    "very so too more most quite rather really extremely highly fairly pretty less least somewhat "
    "increasingly particularly as how that incredibly absolutely totally completely entirely fully "
    "relatively especially slightly much far even way nearly almost equally widely well "
    "perfectly"
)
NEGATIONS = frozenset(("not", "n't", "n’t", "never", "nt"))

_OF_A_NOUN = frozenset(("det", "amod", "nummod", "nmod"))
_MAKES_A_CLAUSE = frozenset(("nsubj", "cop", "aux", "csubj", "expl"))
_ADJECTIVE_TAGS = frozenset(("JJ", "JJR", "JJS", "VBN", "VBG"))


def raise_copulas(tree: TreebankTree) -> None:
    for predicate in tree.words:
        copulas = [child for child in tree.children(predicate) if tree.rels[child] == "cop"]
        if copulas:
            for other in copulas[:-1]:
                tree.rels[other] = "aux"
            _Clause(tree, predicate, copulas[-1]).convert()
    for word in tree.words:
        if tree.rels[word] == "expl" and (tree.xpos[word] == "EX" or tree.low[word] == "there"):
            _name_what_there_is(tree, tree.heads[word])


def lift_left_of_linking_verb(tree: TreebankTree) -> None:
    """What stands before `became` in `later became a city` is the verb's, not the predicate's."""
    for word in tree.words:
        verb = tree.heads[word]
        nominal = tree.upos[word] in ("NOUN", "PROPN", "ADJ", "NUM", "PRON")
        if tree.rels[word] == "xcomp" and 0 < verb < word and nominal:
            for child in tree.children(word):
                if child < verb:
                    tree.heads[child] = verb


def _name_what_there_is(tree: TreebankTree, verb: int) -> None:
    """`there is a city`: the city is the attribute."""
    if tree.lemmas[verb] == "be":
        for child in tree.children(verb):
            if tree.rels[child] in ("nsubj", "nsubj:pass"):
                tree.rels[child] = "attr"


class _Clause:
    """A predicate with its copula, and what each of the predicate's children belongs to."""

    def __init__(self, tree: TreebankTree, predicate: int, copula: int) -> None:
        self.tree, self.predicate, self.copula = tree, predicate, copula
        self.children = tree.children(predicate)
        self.prepositional = any(
            tree.rels[child] == "case" and tree.xpos[child] != "POS" for child in self.children
        )
        """The predicate is such as `in the north`."""
        self.clausal = self._is_clausal()
        self.impersonal = any(
            tree.rels[child] == "expl" and tree.low[child] in ("it", "that", "this")
            for child in self.children
        )
        self.of_quality = tree.upos[predicate] in ("ADJ", "ADV")
        self.complement = self._complement()

    def convert(self) -> None:
        tree = self.tree
        tree.attach(self.copula, tree.heads[self.predicate], tree.rels[self.predicate])
        tree.heads[self.predicate] = self.copula
        tree.predicates[self.copula] = self.predicate
        for child in self.children:
            if child != self.copula and self._rises(child):
                tree.heads[child] = self.copula
                self._rename(child)
        tree.rels[self.predicate] = self._relation()

    def _is_clausal(self) -> bool:
        """The predicate is a clause of its own: `the problem is that they left`."""
        tree = self.tree
        if any(":outer" in tree.rels[child] for child in self.children):
            return True
        return (
            tree.upos[self.predicate] == "VERB"
            and not self.prepositional
            and any(
                tree.rels[child].startswith(("obj", "mark", "aux")) and child > self.copula
                for child in self.children
            )
        )

    def _complement(self) -> int:
        """The phrase that an adjective or participle keeps: `is full of water`. 0 where none is."""
        tree = self.tree
        if tree.upos[self.predicate] not in ("ADJ", "VERB"):
            return 0
        return next(
            (
                child
                for child in self.children
                if tree.base(child) == "obl"
                and tree.rels[child] != "obl:unmarked"
                and child > max(self.copula, self.predicate)
            ),
            0,
        )

    def _rises(self, child: int) -> bool:
        """Whether a child of the predicate becomes one of the copula."""
        tree, base = self.tree, self.tree.base(child)
        if self.clausal:
            return ":outer" in tree.rels[child] or child < self.copula
        if child < self.copula < self.predicate and base not in ("conj", "punct"):
            return True
        if base in OF_THE_CLAUSE:
            return not self._stays_with_predicate(child, base)
        match base:
            case "advmod":
                return self._adverb_rises(child)
            case "obl":
                return self._phrase_rises(child)
            case "conj":
                return self._conjunct_rises(child)
            case "ccomp":
                return tree.upos[self.predicate] in ("NOUN", "PROPN", "PRON")
        return False

    def _stays_with_predicate(self, child: int, base: str) -> bool:
        """A comparison (`better than it was`), and what marks the predicate alone."""
        tree = self.tree
        if base == "advcl":
            return child > self.predicate and any(
                tree.rels[mark] in ("mark", "case") and tree.low[mark] in ("than", "as")
                for mark in tree.children(child)
            )
        return base == "mark" and self.copula < child < self.predicate

    def _adverb_rises(self, child: int) -> bool:
        tree, low = self.tree, self.tree.low[child]
        if low in NEGATIONS:
            return True
        if child > self.predicate:
            return low != "enough"
        if child < self.copula:
            return low not in DEGREE
        return not (
            self._in_noun_phrase(child)
            or (self.of_quality and low in DEGREE)
            or (self.of_quality and low.endswith("ly") and child == self.predicate - 1)
            or (self.prepositional and tree.rels[child + 1] == "case" and self._keeps(child + 1))
        )

    def _in_noun_phrase(self, child: int) -> bool:
        """Whether a word of the predicate's noun phrase stands between copula and child."""
        return any(
            self.copula < other < child and self.tree.base(other) in _OF_A_NOUN
            for other in self.children
        )

    def _keeps(self, child: int) -> bool:
        return self.tree.heads[child] == self.predicate

    def _phrase_rises(self, child: int) -> bool:
        between = self.copula < child < self.predicate
        if between and self.of_quality and self.tree.rels[child] == "obl:unmarked":
            return False  # `is two years old`
        return child != self.complement

    def _conjunct_rises(self, child: int) -> bool:
        """Whether a conjunct is a clause of its own."""
        tree = self.tree
        return (
            any(tree.base(word) in _MAKES_A_CLAUSE for word in tree.children(child))
            or (tree.upos[child] in ("VERB", "AUX") and tree.xpos[child] not in ("VBN", "VBG"))
            or child in tree.predicates
        )

    def _rename(self, child: int) -> None:
        tree = self.tree
        if self.clausal:
            if ":outer" in tree.rels[child]:
                tree.rels[child] = tree.base(child)
        elif tree.base(child) == "csubj" and child > self.predicate:
            if not self.impersonal:
                tree.rels[child] = "csubj"
            elif tree.infinitive_marks(child, "mark", "aux"):  # `it is hard to say`
                tree.rels[child] = "xcomp"
            else:
                tree.rels[child] = "ccomp"

    def _relation(self) -> str:
        """What the predicate is to the copula."""
        tree, word = self.tree, self.predicate
        if self.prepositional:
            return "obl"
        if self.clausal:
            return "xcomp" if tree.infinitive_marks(word, "mark") else "ccomp"
        if tree.upos[word] == "ADJ" or tree.xpos[word] in _ADJECTIVE_TAGS:
            return "acomp"
        return {"ADV": "advmod", "ADP": "prep"}.get(tree.upos[word], "attr")
