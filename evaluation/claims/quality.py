"""The quality of a division, claim by claim, as in ALiiCE's error analysis.

A passage seldom entails a claim that lost the verb or the subject of its sentence, even if the
citation is correct.
"""

from collections.abc import Collection
from dataclasses import dataclass

from evaluation.claims.atomic import Claim, Fallback
from evaluation.claims.sentences import Parse, ParsedSentence

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD", "VERB", "AUX"})
_HELD_BY_VERBS = SUBJECTS | {"aux", "auxpass", "neg", "prt"}


@dataclass(frozen=True, slots=True)
class Quality:
    """Whether a claim is the whole undivided sentence, and what it lost."""

    fallback: Fallback
    lost_verb: bool
    lost_subject: bool

    @property
    def sound(self) -> bool:
        """Whether the claim has none of these faults."""
        return not (self.fallback or self.lost_verb or self.lost_subject)


def claim_qualities(division: ParsedSentence) -> list[Quality]:
    """Return the quality of each claim of a sentence, in order."""
    verbs = _verbs(division.parse)
    subjects = {word for word, label in enumerate(division.parse.deps) if label in SUBJECTS}
    return [
        Quality(claim.fallback, _lost(verbs, claim), _lost(subjects, claim))
        for claim in division.claims
    ]


def _lost(wanted: Collection[int], claim: Claim) -> bool:
    """Whether the sentence has such words and the claim none of them."""
    return bool(wanted) and not any(word in wanted for word in claim.words)


def _verbs(parse: Parse) -> set[int]:
    """Return verbs by tags; without tags, the words that hold a subject or an auxiliary."""
    if any(parse.tags):
        return {word for word, tag in enumerate(parse.tags) if tag in VERB_TAGS}
    return {
        head for head, label in zip(parse.heads, parse.deps, strict=True) if label in _HELD_BY_VERBS
    }
