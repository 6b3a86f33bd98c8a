"""Automatic judges as people read them."""

import pytest

from annotate.protocol import signatures
from annotate.protocol.signatures import judge_caution, judge_title


def test_what_is_most_worth_knowing(subtests):
    for signature, expected in [
        ("alce|coverage:2|thr:0.5|cap:3|variant:released|v:1", "ALCE, word coverage"),
        ("autoais|coverage:2|variant:paper|v:2", "AutoAIS, word coverage, as in the paper"),
        ("alce|containment:1|thr:0.9|cap:3|v:1", "ALCE, containment, threshold 0.9"),
        (
            "alce|seq2seq:1|model:google/t5_xxl_true_nli_mixture|rev:1|thr:0.5|v:1",
            "ALCE, seq2seq google/t5_xxl_true_nli_mixture",
        ),
        ("alce|http:1|mode:pairs|url:http://[::1]:8/a|model:default|v:1", "ALCE, http ::1"),
        ("alce|http:1|url:https://nli.example.org/|model:big|v:1", "ALCE, http big"),
        ("alce|http:0|url:http://[|model:", "ALCE, http"),
        ("alce|http:1|mode:pairs|connection:lab|edition:ab|model:default|v:1", "ALCE, http lab"),
        ("alce|http:1|mode:chat|connection:lab|edition:ab|model:big|v:1", "ALCE, http big"),
        ("aliice|trained:1|weights:ab|thr:0.4373|v:2", "ALiiCE, network"),
        ("correctness|coverage:2|thr:0.5|v:1", "Correctness, word coverage"),
        ("fluency|model:gpt2|v:2", "Fluency"),
        (
            "model|choices:reversed|speaker:1|model:m-1|style:direct:1.ab|v:1",
            "Language model, m-1, choices reversed",
        ),
        ("model|repeat:2|model:m-1|style:direct:1.ab|v:1", "Language model, m-1, asked again (2)"),
        (
            "model|simulated:1|model:simulated model|style:direct:1|v:1",
            "Language model, simulated model",
        ),
        # A judge that somebody else named.
        ("autoais", "autoais"),
        ("Authored reference labels", "Authored reference labels"),
        ("gpt-4|judge", "gpt-4|judge"),
    ]:
        with subtests.test(signature=signature):
            assert judge_title(signature) == expected


def test_caution_about_built_in_scorers_and_simulated_models():
    for signature in ("alce|coverage:2|thr:0.5|v:1", "autoais|coverage:1|v:2"):
        assert "cannot see contradiction" in judge_caution(signature)
    assert "worse than chance" in judge_caution("aliice|trained:1|weights:ab|with:coverage2|v:2")
    for signature in ("aliice|classifier:1|model:a|v:2", "coverage", "x|coverage:2"):
        assert judge_caution(signature) == ""
    assert "no model was asked" in judge_caution("model|simulated:1|model:simulated model|v:1")
    assert judge_caution("model|speaker:1|model:m-1|v:1") == ""


def test_without_titles_no_judge_is_shown_by_its_signature(monkeypatch):
    monkeypatch.setattr(signatures, "_known", [])
    with pytest.raises(LookupError, match="No judge has a title yet"):
        judge_title("alce|coverage:2|v:1")
