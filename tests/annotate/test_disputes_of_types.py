"""Disputes about answers that are no choice: the measure, the queue, and deciding them."""

from typing import Any

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotate.models import Judgment, Unit
from annotate.protocol.distances import disagreement, in_order
from annotate.protocol.written import read
from tests.annotate.loading import judgment, load_judgments
from tests.annotate.pages import visible
from tests.evaluation.rubric import EVERY, rubric_study
from tests.shared_rows import shared_rows

ASKED = read(EVERY.read_text(encoding="utf-8")).protocol

# s1 is “The Zugspitze is 2,962 m high [1].”
SAID = {
    ("r", "sure"): ["10", "90", "50"],
    ("r", "harms"): ["insult", "insult|advice", "insult"],
    ("s1", "errors"): ["4-13:made_up:major", "4-14:made_up:major", "-"],
    ("s1", "repair"): ["It is high.", "The peak\nis high.", "It is high."],
    ("s1.c1", "proof"): ["p1@0-4:against", "p1@0-8:against", "p1@0-4:against"],
    ("s2", "errors"): ["-", "-", "-"],
}


@shared_rows
def study(alice):
    study = rubric_study(alice, questions=1, file=EVERY)
    rows = [
        judgment(unit, key, value, judge=f"rater {name}", question_id="q1")
        for (unit, key), values in SAID.items()
        for name, value in zip("abc", values, strict=True)
    ]
    load_judgments(study, rows)
    return study


@shared_rows
def client(alice, signed_in):
    return signed_in(alice)


def unit(key):
    return Unit.objects.get(response__system__name="Vermilion", key=key)


def address(key, dimension):
    return reverse("dispute", args=["rubric", unit(key).pk, dimension])


# The measure -------------------------------------------------------------------------------------


def test_the_measure(subtests):
    for key, votes, expected in [
        ("sure", {"0": 1, "100": 1}, 1),
        ("sure", {"0": 1, "50": 1}, 1 / 2),
        ("sure", {"10": 1, "50": 1, "90": 1}, 2 * 2 * (0.4 + 0.4 + 0.8) / 9),
        ("harms", {"insult": 1, "private": 1}, 1),
        ("harms", {"-": 1, "private": 1}, 1),
        ("harms", {"insult": 1, "insult|advice": 1}, 1 / 2),  # one of two in common
        ("harms", {"insult": 2, "insult|advice": 1}, 2 * (2 / 9) * (1 / 2) / (1 / 2)),
        ("errors", {"0-4:made_up:minor": 1, "4-8:made_up:minor": 1}, 1),
        ("errors", {"0-4:made_up:minor": 1, "0-4:made_up:major": 1}, 1),
        ("errors", {"0-6:made_up:minor": 1, "0-2:made_up:minor": 1}, 1 - 2 * 2 / 8),
        ("errors", {"-": 1, "0-4:made_up:minor": 1}, 1),
        ("errors", {"-": 3}, 0),
        ("proof", {"p1@0-4:against": 1, "p2@0-4:against": 1}, 1),
    ]:
        with subtests.test(key=key):
            asked = ASKED[key]
            assert disagreement(asked, in_order(asked, votes)) == pytest.approx(expected)
            doubled = {value: 2 * n for value, n in votes.items()}
            assert disagreement(asked, in_order(asked, doubled)) == pytest.approx(expected)


def test_answers_stand_in_order_and_texts_are_not_compared():
    assert disagreement(ASKED["repair"], (("One.", 1), ("Two.", 1))) is None
    assert in_order(ASKED["sure"], {"100": 1, "9": 1}) == (("9", 1), ("100", 1))
    assert in_order(ASKED["harms"], {"advice": 1, "insult": 2}) == (("insult", 2), ("advice", 1))
    assert in_order(ASKED["worst"], {"grave": 1, "mild": 1}) == (("mild", 1), ("grave", 1))


SPANS = [
    "-", "0-4:made_up:minor", "0-4:made_up:major", "0-2:made_up:minor|2-4:made_up:minor",
    "2-9:made_up:minor", "20-30:left_out:major", "0-30:left_out:major", "0-1:made_up:minor",
]  # fmt: skip
some = st.dictionaries(st.sampled_from(SPANS), st.integers(1, 3), min_size=1, max_size=4)


@given(some)
def test_the_measure_stays_between_zero_and_one(votes):
    measured = disagreement(ASKED["errors"], in_order(ASKED["errors"], votes)) or 0.0
    assert 0 <= measured <= 1
    assert (measured > 0) == (len(votes) > 1 and any(covered(v) for v in pairs(votes)))


def pairs(votes):
    values = [*votes]
    return [(a, b) for n, a in enumerate(values) for b in values[n + 1 :]]


def covered(pair):
    """Whether two answers mark other characters, and not the same ones in other pieces."""

    def characters(value):
        parts = [] if value == "-" else [part.split(":") for part in value.split("|")]
        return {
            (place, bad) for span, _, bad in parts for place in range(*map(int, span.split("-")))
        }

    return characters(pair[0]) != characters(pair[1])


# The queue ---------------------------------------------------------------------------------------


# Deciding ----------------------------------------------------------------------------------------


DECISIONS = [
    ("r", "sure", {"value": "42.50"}, "42.5"),
    ("r", "harms", {"value": ["private", "insult"]}, "insult|private"),
    ("r", "harms", {"value": ["-"]}, "-"),
    ("s1", "repair", {"value": " Two\r\nlines "}, "Two\nlines"),
    ("s1", "errors", {"value-rows": "1", "value-nothing": "on"}, "-"),
    (
        "s1",
        "errors",
        {"value-rows": "2", "value-words-0": "2,962 m", "value-label-0": "made_up",
         "value-severity-0": "minor", "value-words-1": " "},
        "17-24:made_up:minor",
    ),
    (
        "s1",
        "errors",
        {"value-rows": "1", "value-words-0": "i", "value-which-0": "2",
         "value-label-0": "left_out", "value-severity-0": "major"},
        "14-15:left_out:major",
    ),
    (
        "s1",
        "errors",
        {"value-rows": "1", "value-words-0": "Zugspitze", "value-place-0": "4-14",
         "value-label-0": "made_up", "value-severity-0": "major"},
        "4-14:made_up:major",  # with the space that was marked, too
    ),
    (
        "s1.c1",
        "proof",
        {"value-rows": "1", "value-words-0": "Zugspitze", "value-passage-0": "1",
         "value-label-0": "speaks_for"},
        "p1@{}:speaks_for",
    ),
]  # fmt: skip


def test_a_decision_is_kept_in_the_one_way_of_writing_it(subtests, study, client):
    for key, dimension, sent, kept in DECISIONS:
        with subtests.test(key=key, sent=sent):
            Judgment.objects.filter(judge__kind="adjudicated").delete()
            if "{}" in kept:
                text = unit(key).source.passage.text
                at = text.index("Zugspitze")
                kept = kept.format(f"{at}-{at + 9}")
            page = client.post(address(key, dimension), sent)
            assert page.status_code == 302, visible(page.content.decode())
            stored = Judgment.objects.get(judge__kind="adjudicated")
            assert (stored.unit.key, stored.dimension, stored.value) == (key, dimension, kept)
            again = client.get(address(key, dimension))
            assert "Decided:" in visible(again.content.decode())
            assert again.context["form"]["value"].value() == kept
            assert len(again.context["form"].fields["value"].clean(kept)) == len(kept)


REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("r", "sure", {"value": "101"}, "expected a number from 0 to 100"),
    ("r", "sure", {}, "Give an answer."),
    ("r", "harms", {}, "Give an answer."),
    ("r", "harms", {"value": ["-", "insult"]}, "some of insult, advice, private"),
    ("s1", "repair", {"value": "x" * 401}, "a text of at most 400 characters"),
    ("s1", "errors", {"value-rows": "3"}, "Give an answer."),
    ("s1", "errors", {"value-rows": "1", "value-words-0": "Matterhorn"},
     "“Matterhorn” does not occur there in these words."),
    ("s1", "errors", {"value-rows": "1", "value-words-0": "i"}, "times: say which one."),
    ("s1", "errors", {"value-rows": "1", "value-words-0": "high", "value-label-0": "odd",
     "value-severity-0": "minor"}, "spans that are one of made_up, left_out"),
    ("s1", "errors", {"value-rows": "1", "value-words-0": "high", "value-nothing": "on"},
     "Either some words are marked, or nothing."),
    ("s1.c1", "proof", {"value-rows": "1", "value-words-0": "peak", "value-passage-0": "9"},
     "“peak” does not occur there"),
]  # fmt: skip


def test_what_is_no_answer_is_told_beside_the_field(subtests, study, client):
    for key, dimension, sent, said in REFUSED:
        with subtests.test(key=key):
            page = client.post(address(key, dimension), sent)
            assert page.status_code == 422
            assert said in visible(page.content.decode())
            words = sent.get("value-words-0", "")
            assert words in page.content.decode(), "what was typed is not lost"
            assert not Judgment.objects.filter(judge__kind="adjudicated").exists()


def test_the_answer_of_a_rater_is_taken_and_gone_on_from(subtests, study, client):
    for key, dimension in [*SAID][:5]:
        with subtests.test(key=key):
            of = Judgment.objects.get(unit=unit(key), dimension=dimension, judge__name="rater b")
            page = client.post(address(key, dimension), {"take": of.pk, "note": "So it is."})
            assert page.status_code == 200
            form = page.context["form"]
            assert form["value"].value() == of.value
            assert "So it is." in page.content.decode()
            assert not Judgment.objects.filter(judge__kind="adjudicated").exists()
            other = client.post(address("s2", "errors"), {"take": of.pk})
            assert not other.context["form"]["value"].value(), "of another dispute"
