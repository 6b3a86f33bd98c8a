"""What a claim lost of its sentence."""

from evaluation.claims import Claim, Parse, ParsedSentence, divide
from evaluation.claims.quality import Quality, claim_qualities
from tests.evaluation.claims.trees import CUPS, PACKS, ByHand

SOUND = Quality(fallback="", lost_verb=False, lost_subject=False)


def qualities(sentence):
    (division,) = divide([sentence], ByHand())
    return claim_qualities(division)


def test_claims_with_verb_and_subject_are_sound():
    assert qualities(CUPS) == [SOUND, SOUND]
    assert SOUND.sound


def test_a_claim_may_lose_verb_and_subject():
    # 'brands' and '25' are cited: nothing coordinates right below 'come' between them.
    sentence = PACKS.replace("brands,", "brands [1],").replace(" [4]", "")
    (division,) = divide([sentence], ByHand())
    assert [claim.text for claim in division.claims] == [
        "Some brands , such as Export As ,",
        "in packs of 25",
    ]
    assert claim_qualities(division) == [
        Quality("", lost_verb=True, lost_subject=False),
        Quality("", lost_verb=True, lost_subject=True),
    ]


def test_a_fallback_loses_nothing_and_is_not_sound():
    (found,) = qualities(PACKS.replace("come in", "come [3] in"))
    assert found == Quality("root", lost_verb=False, lost_subject=False)
    assert not found.sound


def division_of(tags, *claims):
    # "It is cold": is(root), It is its subject.
    parse = Parse(("It", "is", "cold"), (0, 3, 6), (1, 1, 1), ("nsubj", "ROOT", "acomp"), tags)
    made = tuple(Claim("", (1,), words) for words in claims)
    return ParsedSentence("", parse, {}, made)


def test_without_tags_a_verb_is_what_holds_a_subject():
    untagged = division_of(("", "", ""), (0, 1), (2,))
    tagged = division_of(("PRP", "VBZ", "JJ"), (0, 1), (2,))
    expected = [SOUND, Quality("", lost_verb=True, lost_subject=True)]
    assert claim_qualities(untagged) == claim_qualities(tagged) == expected


def test_a_sentence_without_a_verb_cannot_lose_it():
    parse = Parse(("Cold", "cups"), (0, 5), (1, 1), ("amod", "ROOT"), ("JJ", "NNS"))
    division = ParsedSentence("", parse, {}, (Claim("", (1,), (0,)),))
    assert claim_qualities(division) == [SOUND]
