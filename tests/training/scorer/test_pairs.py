"""Labelled pairs: what is read, what is refused, and what a pass is mixed of."""

import json
import random
from collections import Counter

import pytest

from tests.training.scorer.small import pairs, write
from training.scorer.pairs import (
    Contribution,
    LabelledPair,
    PairsError,
    among_others,
    data_digest,
    even,
    mixed,
    read,
    read_judged,
    sampled,
    targets,
)


def test_what_is_written_is_read(tmp_path):
    some = [*pairs(3, "fever"), LabelledPair("Rain.", "Snow.", 0, "wice", "claim 1")]
    folder = write(tmp_path, train=some)
    assert list(read(folder / "train.jsonl.gz")) == some


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nothing", "file.jsonl, line 2: expected a JSON object"),
        ("[1]", "file.jsonl, line 2: expected a JSON object, found list"),
        ('{"premise": "a", "source": "x", "label": 1}', "hypothesis: expected a text, found None"),
        (
            '{"premise": "a", "hypothesis": "b", "source": "x", "label": 2}',
            "label: expected 0 or 1, found 2",
        ),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, message):
    good = '{"premise": "a", "hypothesis": "b", "source": "x", "label": 1}'
    path = tmp_path / "file.jsonl"
    path.write_text(f"{good}\n{line}\n", encoding="utf-8")
    with pytest.raises(PairsError, match=message.replace("[", r"\[")):
        list(read(path))


def test_a_broken_or_missing_file_is_named(tmp_path):
    (tmp_path / "broken.jsonl.gz").write_bytes(b"no gzip")
    for name in ("broken.jsonl.gz", "missing.jsonl"):
        with pytest.raises(PairsError, match=f"{name}” cannot be read"):
            list(read(tmp_path / name))


def test_judged_claims_have_three_levels(tmp_path):
    claim = {"claim": "It rains.", "evidence": ["[1] https://a.example/b It rains.", "Snow."]}
    lines = [json.dumps({**claim, "support": one}) for one in ("complete", "partial", "incomplete")]
    lines.append(json.dumps({"claim": "It rains.", "evidence": [], "support": "partial"}))
    path = tmp_path / "judged.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    found = list(read_judged(path))
    assert [(one.label, one.partly) for one in found] == [(1, False), (0, True), (0, False)]
    assert {one.premise for one in found} == {"It rains.\nSnow."}
    assert {one.source for one in found} == {"expertqa"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"evidence": [], "support": "partial"}', "claim: expected a text, found None"),
        ('{"claim": "a", "evidence": "b", "support": "partial"}', "evidence: expected a list"),
        ('{"claim": "a", "evidence": [], "support": "some"}', "expected one of complete, partial"),
    ],
)
def test_a_wrong_claim_is_named(tmp_path, line, message):
    path = tmp_path / "judged.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(PairsError, match=f"judged.jsonl, line 1.*{message}"):
        list(read_judged(path))


def test_rare_labels_weigh_more_and_both_together_as_much_as_before():
    some = [LabelledPair("a", f"{n}", int(n < 6), "expertqa") for n in range(8)]
    some += [LabelledPair("a", f"{n}", 1, "one kind") for n in range(3)]
    some += [LabelledPair("a", f"{n}", int(n < 99), "very rare") for n in range(100)]
    found = even(some)
    assert found["expertqa", 1] * 6 == found["expertqa", 0] * 2 == 4
    assert found["one kind", 1] == 1
    assert found["very rare", 0] == 3


def test_shares_cap_and_repeat_and_the_first_one_counts():
    some = [*pairs(10, "snli"), *pairs(4, "ab-lfqa"), *pairs(3, "rest")]
    shares = [
        Contribution(source="snli", most=5),
        Contribution(source="ab-*", times=3),
        Contribution(source="s*"),
    ]
    chosen = mixed(some, shares, random.Random(1))
    counted = Counter(some[number].source for number in chosen)
    assert counted == {"snli": 5, "ab-lfqa": 12}
    others = mixed(some, shares, random.Random(2))
    assert chosen != others
    assert chosen == mixed(some, shares, random.Random(1))


def test_a_premise_among_others_is_still_there():
    some = [*pairs(20, "fever"), *pairs(5, "wice")]
    found = among_others(some, ["fever"], 1.0, random.Random(1))
    for before, after in zip(some, found, strict=True):
        assert before.premise in after.premise
        assert after.premise.count(".") > 1 or before.source == "wice"
    assert among_others(some, ["fever"], 0.0, random.Random(1)) == some
    assert among_others(some, ["none"], 1.0, random.Random(1)) == some


def test_a_sample_keeps_groups_whole():
    grouped = [LabelledPair(f"{n}", "x", 0, "wice", f"claim {n // 3}") for n in range(60)]
    found = sampled(grouped, 30, seed=1)
    assert len(found) == 30
    assert set(Counter(pair.group for pair in found).values()) == {3}
    assert sorted(sampled(grouped, 1_000, seed=1)) == sorted(grouped)


def test_targets_are_found_by_their_names():
    some = [*pairs(1, "ab-lfqa"), *pairs(1, "wice"), *pairs(1, "snli")]
    assert [pair.source for pair in targets(some, ["ab-*", "wice"])] == ["ab-lfqa", "wice"]


def test_the_digest_of_data_changes_with_a_label():
    some = pairs(3, "snli")
    changed = [some[0]._replace(label=1 - some[0].label), *some[1:]]
    assert data_digest(some) == data_digest(list(some)) != data_digest(changed)
