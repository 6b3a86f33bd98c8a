"""The names of the relations."""

from typing import Final

from training.parser.clear.copulas import NEGATIONS
from training.parser.clear.tree import TreebankTree
from training.parser.clear.words import words

LABELS: Final = words(
    "ROOT acl acomp advcl advmod agent amod appos attr aux auxpass case cc ccomp compound conj "
    "csubj csubjpass dative dep det dobj expl intj mark meta neg nmod npadvmod nsubj nsubjpass "
    "nummod oprd parataxis pcomp pobj poss preconj predet prep prt punct quantmod relcl "
    "xcomp"
)
"""Every label that a converted tree may have."""

RENAMED: Final = {
    "acl:relcl": "relcl",
    "advcl:relcl": "relcl",
    "aux:pass": "auxpass",
    "compound:prt": "prt",
    "cop": "aux",
    "csubj:pass": "csubjpass",
    "det:predet": "predet",
    "discourse": "intj",
    "dislocated": "dep",
    "flat": "compound",
    "goeswith": "compound",
    "iobj": "dative",
    "list": "appos",
    "nmod:desc": "compound",
    "nmod:poss": "poss",
    "nsubj:pass": "nsubjpass",
    "obj": "dobj",
    "obl": "npadvmod",
    "obl:agent": "agent",
    "obl:unmarked": "npadvmod",
    "orphan": "dep",
    "reparandum": "dep",
    "root": "ROOT",
    "vocative": "npadvmod",
}
"""What only has another name here; a relation that is not listed loses what follows its colon."""

WITH_CLAUSE: Final = words(
    "want like need expect allow enable cause require make let have get see hear watch believe "
    "consider prefer permit help feel notice"
)
"""Verbs whose object is the subject of the clause that follows: `they want it to end`."""

_NOMINAL = frozenset(("NOUN", "PROPN", "PRON", "NUM", "SYM", "DET", "X"))


def name_relations(tree: TreebankTree) -> None:
    for word in tree.words:
        match tree.rels[word]:
            case "advmod":
                _name_adverb(tree, word)
            case "mark" if tree.xpos[word] == "TO":
                tree.rels[word] = "aux"
            case "expl" if tree.xpos[word] != "EX" and tree.low[word] != "there":
                tree.rels[word] = "nsubj" if word < tree.heads[word] else "dobj"
            case "csubj":
                _name_late_subject(tree, word)
            case "nmod:unmarked":
                tree.rels[word] = _bare_noun(tree, word)
            case "xcomp":
                _name_open_clause(tree, word)
    for word in tree.words:
        tree.rels[word] = _renamed(tree.rels[word])
        if not tree.heads[word]:
            tree.rels[word] = "ROOT"
        elif tree.rels[word] == "ROOT":
            tree.rels[word] = "dep"


def _renamed(rel: str) -> str:
    base = rel.partition(":")[0]
    for name in (RENAMED.get(rel, rel), RENAMED.get(base, base)):
        if name in LABELS:
            return name
    return "dep"


def _name_adverb(tree: TreebankTree, word: int) -> None:
    low, head = tree.low[word], tree.heads[word]
    if low in NEGATIONS and (
        low != "never" or tree.upos[word] == "PART" or "Polarity=Neg" in tree.feats[word]
    ):
        tree.rels[word] = "neg"
    elif (
        tree.upos[head] == "NUM" and word < head and tree.xpos[word] in ("IN", "JJR", "JJ")
    ):  # `about twenty`
        tree.rels[word] = "quantmod"


def _name_late_subject(tree: TreebankTree, word: int) -> None:
    """`it seems that they left`: the clause is no subject, since `it` is."""
    head = tree.heads[word]
    if word > head and any(tree.ud_rels[child] == "expl" for child in tree.children(head)):
        to = tree.infinitive_marks(word, "aux", "mark")
        tree.rels[word] = "xcomp" if to else "ccomp"


def _bare_noun(tree: TreebankTree, word: int) -> str:
    """What a noun that hangs on a noun without a preposition is to it."""
    head = tree.heads[word]
    if tree.upos[word] == "NUM" and tree.upos[head] in ("NOUN", "PROPN", "SYM"):
        return "nummod"
    if tree.xpos[word] == "PRP" and tree.low[word].endswith(("self", "selves")):
        return "appos" if word == head + 1 else "npadvmod"
    if tree.low[head] in ("all", "both"):
        return "dep"
    if word < head:
        return "compound" if tree.upos[word] in ("PROPN", "NUM") else "nmod"
    return "npadvmod"


def _name_open_clause(tree: TreebankTree, word: int) -> None:
    """A predicate without a subject of its own: `became famous`, `made it famous`, `let it go`."""
    verb = tree.heads[word]
    siblings = tree.children(verb)
    objects = [
        child for child in siblings if tree.rels[child] in ("obj", "dobj") and verb < child < word
    ]
    raised = objects or any(tree.rels[child] == "aux:pass" for child in siblings)
    if tree.upos[word] == "ADJ" or tree.xpos[word] in ("JJ", "JJR", "JJS"):
        if not any(tree.rels[child] in ("aux", "mark") for child in tree.children(word)):
            tree.rels[word] = "oprd" if raised else "acomp"
    elif tree.upos[word] in _NOMINAL:
        tree.rels[word] = "oprd" if raised else "attr"
    elif objects and tree.upos[word] in ("VERB", "AUX") and tree.lemmas[verb] in WITH_CLAUSE:
        tree.rels[word] = "ccomp"
        passive = any(tree.rels[child] == "aux:pass" for child in tree.children(word))
        tree.attach(objects[-1], word, "nsubjpass" if passive else "nsubj")
