"""Models that write their answer: a two-layer T5, made and saved by the tests."""

import pytest
from transformers import AutoTokenizer, T5ForConditionalGeneration

from evaluation.judges.entailment import ScorerError
from tests.evaluation.entailment import tiny_models
from tests.evaluation.entailment.texts import load, pairs

PROMPT = "premise: {premise} hypothesis: {hypothesis}"


def by_hand(folder, pair, prompt=PROMPT, label="1"):
    """The probability of the label as the first word that `generate` would write."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = T5ForConditionalGeneration.from_pretrained(folder).eval()
    text = prompt.format(premise=pair[0], hypothesis=pair[1])
    made = model.generate(
        **tokenizer(text, return_tensors="pt", return_token_type_ids=False),
        max_new_tokens=1,
        output_logits=True,
        return_dict_in_generate=True,
        do_sample=False,
    )
    return made.logits[0].softmax(-1)[0, tokenizer.get_vocab()[label]].item()


def test_prompt_and_label_can_be_others(t5):
    prompt = "{premise} is it so that {hypothesis} ?"
    scorer = load("seq2seq", model=str(t5), prompt=prompt, label="green")
    some = pairs(4)
    assert scorer.probabilities(some) == pytest.approx(
        [by_hand(t5, pair, prompt, "green") for pair in some], abs=1e-5
    )


def test_batched_equals_one_by_one(t5):
    scorer = load("seq2seq", model=str(t5), max_tokens=60)
    some = pairs(60, longest=9)
    apart = [scorer.probabilities([pair])[0] for pair in some]
    assert scorer.probabilities(some) == pytest.approx(apart, abs=1e-5)
    assert scorer.probabilities(some[::-1]) == pytest.approx(apart[::-1], abs=1e-5)
    assert max(apart) > 2 * min(apart)
    assert scorer.lengths.windowed > 0


@pytest.mark.parametrize("label", ["snowing", "☃", ""])
def test_a_label_is_one_token(t5, label):
    with pytest.raises(ScorerError, match="must be one token"):
        load("seq2seq", model=str(t5), label=label)


def test_a_prompt_names_both_texts(t5):
    with pytest.raises(ScorerError, match=r"must hold \{premise\}"):
        load("seq2seq", model=str(t5), prompt="{hypothesis} because {premise}")


def test_the_fingerprint_changes_with_prompt_label_and_weights(t5, tmp_path):
    other = tiny_models.t5(tmp_path, d_ff=48)
    made = {
        load("seq2seq", model=str(folder), **options).fingerprint
        for folder, options in (
            (t5, {}),
            (t5, {"prompt": PROMPT + " "}),
            (t5, {"label": "0"}),
            (t5, {"max_tokens": 99}),
            (other, {}),
        )
    }
    assert len(made) == 5


def test_prompts_that_differ_only_in_where_the_texts_stand_have_other_fingerprints(t5):
    prompts = [
        "a…b{premise}c{hypothesis}",
        "a{premise}b…c{hypothesis}",
        "a{premise}b{hypothesis}c",
        "a|b{premise}{hypothesis}",
        "a/b{premise}{hypothesis}",
        "a\nb{premise}{hypothesis}",
        "a b{premise}{hypothesis}",
    ]
    made = {load("seq2seq", model=str(t5), prompt=prompt).fingerprint for prompt in prompts}
    assert len(made) == len(prompts)
    usual = load("seq2seq", model=str(t5)).fingerprint
    assert "|prompt:premise: … hypothesis: …|label:1|" in usual
