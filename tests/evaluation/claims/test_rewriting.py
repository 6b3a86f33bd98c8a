"""Claims rewritten by a language model."""

import pytest

from evaluation.claims.rewriting import CutClaim, Rewriting
from evaluation.judges.entailment.loading import PairError
from evaluation.language_models.asking.calling import Caller
from evaluation.language_models.asking.claims import ModelRewriter
from evaluation.language_models.asking.server_apis import CUT, Reply
from tests.evaluation.asking.fake import Kept
from tests.evaluation.claims.trees import PACKS
from tests.evaluation.generating.talking import Answering

CUT_CLAIM = CutClaim(PACKS, "in packs of 25")
FULL = "Some brands come in packs of 25."


def claim_in(user):
    """The claim that a model is told, in its prompt or in all that it was told."""
    return user.rpartition("Part:\n")[2].partition("\n\n")[0]


def rewriting(answer, kept=None):
    """A rewriter, and the model that it asks, which answers each claim by a rule."""
    model = Answering(lambda prompt: answer(claim_in(prompt.user)))
    return ModelRewriter(Caller(model, Kept() if kept is None else kept)), model


def test_the_model_is_given_the_claim_and_its_sentence_without_marks():
    made, model = rewriting(lambda claim: f"  {FULL}\n")
    assert made.rewrite([CUT_CLAIM]) == [Rewriting(FULL)]
    ((prompt, sampling),) = model.asked
    assert "Some brands, such as Export As, come in packs of 25, while" in prompt.user
    assert prompt.user.endswith("Part:\nin packs of 25")
    assert "[2]" not in prompt.user
    assert sampling.temperature == 0


@pytest.mark.parametrize(
    ("answer", "refused"),
    [
        ("", "empty"),
        (" \n…", "empty"),
        (f"{FULL[:-1]} [2].", "marked"),
        (Reply("Some brands come", 1, 1, CUT), "unanswered"),
        (Reply("", 1, 1, "the model declined"), "unanswered"),
    ],
)
def test_an_answer_that_is_none_leaves_the_claim_as_it_was(answer, refused):
    made, _ = rewriting(lambda claim: answer)
    assert made.rewrite([CUT_CLAIM]) == [Rewriting("in packs of 25", refused)]


def test_a_claim_that_the_server_refuses_stays_as_it_was():
    def refuse(claim):
        raise PairError("too long")

    made, _ = rewriting(refuse)
    assert made.rewrite([CUT_CLAIM]) == [Rewriting("in packs of 25", "unanswered")]


def test_each_different_claim_is_asked_once_and_the_order_is_kept():
    other = CutClaim("Cups hold tea.", "tea")
    kept = Kept()
    made, model = rewriting(lambda claim: f"It is {claim}.", kept)
    found = made.rewrite([CUT_CLAIM, other, CUT_CLAIM])
    assert [one.text for one in found] == ["It is in packs of 25.", "It is tea.", found[0].text]
    assert len(model.asked) == 2
    again, nobody = rewriting(lambda claim: "never asked", kept)
    assert again.rewrite([CUT_CLAIM, other]) == found[:2]
    assert nobody.asked == []


def test_braces_in_a_text_are_only_text():
    odd = CutClaim("Write {claim} or {0}.", "{sentence}")
    made, model = rewriting(lambda claim: claim)
    assert made.rewrite([odd])[0].text == "{sentence}"
    assert "Sentence:\nWrite {claim} or {0}.\n" in model.asked[0][0].user


def test_the_signature_names_prompt_and_model(monkeypatch):
    made, model = rewriting(lambda claim: claim)
    before = made.signature
    assert before.startswith("rewriting:2|ask:")
    assert before.endswith(model.fingerprint)
    monkeypatch.setattr("evaluation.claims.rewriting.TASK", "Write.")
    assert made.signature != before
