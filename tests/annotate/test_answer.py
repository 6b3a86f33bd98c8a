"""An answer as pages show it: nothing lost, marks as chips that lead to their passages."""

import json

import pytest

from annotate.models import Passage
from annotate.reading import preview
from annotate.reading.answer import of_response
from annotate.services.studies import create_study
from tests.annotate.loading import PASSAGES, check, load, response


def show(study, output, *, cap=3, **more):
    load(study, [response(output, **more)])
    found = study.responses.latest("pk")
    return of_response(found, list(found.units.order_by("pk")), cap)


def text_of(shown):
    """The answer put together again from its parts, each chip as [number]."""
    return "".join(f"[{part.chip.number}]" if part.chip else part.text for part in shown.parts)


@pytest.fixture(params=["all", "first"])
def study(study, request):
    study.lines = request.param
    study.save()
    return study


def first_lines_alone(study):
    study.lines = "first"
    study.save()


@pytest.mark.parametrize(
    "output",
    [
        "High [1]. Very high [1][2].",
        "It is, [1] as maps show [2], high.",
        "[1] opens it. And the next one",
        "Both [2][1]. None. All [1].",
        "  Space around [1].  ",
        "A.[1] B.[2]",
    ],
)
def test_the_parts_are_the_answer(study, output):
    shown = show(study, output)
    assert text_of(shown).split() == shown.text.split()
    assert shown.text.strip() == output.strip()
    assert shown.is_flowing


def test_chips_lead_to_passages(study):
    shown = show(study, "High [1]. It is [1][2].")
    first, second = shown.statements
    assert [chip.key for chip in first.chips] == ["s1.c1"]
    assert [(c.key, c.number, c.passage) for c in second.chips] == [
        ("s2.c1", 1, 1),
        ("s2.c2", 2, 2),
    ]
    assert (first.passages, second.passages) == ("1", "1 2")
    assert [(p.n, p.title, p.cited_by) for p in shown.passages] == [
        (1, "Zugspitze", ("s1", "s2")),
        (2, "Wetterstein", ("s2",)),
    ]


def test_one_mark_with_several_numbers_is_several_chips(study):
    shown = show(study, "High [1, 2].")
    chips = [(part.chip.number, part.is_next) for part in shown.parts if part.chip]
    assert chips == [(1, False), (2, True)]


def test_a_mark_and_the_stop_after_it_stand_in_one_box(subtests, study):
    for output, kept in [
        ("High [1]. Higher.", ["1."]),
        ("High [1][2]. Higher", ["2."]),
        ("High [1], it is so (or low [2]).", ["1,", "2)."]),
        ("High [1] ? Ja [2]!”", ["1 ?", "2!”"]),
        ("高い[1]。低い[2]", ["1。"]),
        ("High [1] is so", []),
    ]:
        with subtests.test(output=output):
            found, within = [], None
            for part in show(study, output, run=output).parts:
                if part.attributes == (("class", "kept"),):
                    within = ""
                elif within is not None and part.closes:
                    found.append(within)
                    within = None
                elif within is not None:
                    within += str(part.chip.number) if part.chip else part.text
            assert found == kept


def test_a_mark_without_passage(study):
    shown = show(study, "High [7].")
    chip = shown.statements[0].chips[0]
    assert chip.missing
    assert (chip.number, chip.passage) == (7, None)
    assert shown.statements[0].passages == ""
    assert all(passage.cited_by == () for passage in shown.passages)


def test_a_mark_without_passage_says_what_the_answer_lists(study):
    output = "High [1]. Old [7].\n\nSources:\n- [1] Peaks\n- [7] Ages, https://ages.org/7"
    study.lines = "all"
    study.save()
    (known,), (lost,) = (statement.chips for statement in show(study, output).statements)
    assert (known.listed, known.missing) == ("Peaks", False)
    assert lost.why_missing == (
        "There is no passage 7; the answer lists it as: Ages, https://ages.org/7"
    )


def test_marks_beyond_those_that_count(study):
    shown = show(study, "Blue [1][2][3][4].", passages=PASSAGES)
    assert [chip.over_cap for chip in shown.statements[0].chips] == [False, False, False, True]
    found = study.responses.get()
    shown = of_response(found, list(found.units.order_by("pk")), 1)
    assert [chip.over_cap for chip in shown.statements[0].chips] == [False, True, True, True]


def test_what_stands_after_a_new_line_is_left_out(study):
    first_lines_alone(study)
    shown = show(study, "\n High [1].\nAnd this [2].\n")
    assert shown.text == "High [1]."
    assert shown.left_out == "And this [2]."
    assert len(shown.statements) == 1


def test_empty_and_listed_answers(study):
    shown = show(study, "")
    assert (shown.text, shown.statements, shown.left_out) == ("", (), "")
    assert len(shown.passages) == 2
    shown = show(study, "Alps [1], Andes [2], Ural.", is_list=True, system="List")
    assert len(shown.statements) == 3
    assert text_of(shown).split() == shown.text.split()


def test_an_undivided_answer(alice):
    study = create_study(name="Short", preset="ais", owner=alice)
    shown = show(study, "2,962 m\nabove the sea [1]")
    assert (shown.text, shown.statements) == ("2,962 m\nabove the sea [1]", ())
    assert shown.left_out == ""


def test_a_passage_keeps_its_id_and_address(study):
    passage = {
        "n": 5,
        "title": "",
        "text": "Text.",
        "id": "doc-9",
        "url": "https://example.org/a?b=c&d",
    }
    load(study, [response("High [5].") | {"passages": [passage]}])
    found = study.responses.get()
    shown = of_response(found, list(found.units.order_by("pk")), 3)
    (only,) = shown.passages
    assert (only.n, only.external_id, only.url) == (5, "doc-9", "https://example.org/a?b=c&d")
    assert shown.statements[0].chips[0].passage == 5


def test_a_text_is_stored_once_however_many_cite_it(study):
    same = (PASSAGES[0], PASSAGES[0])
    shown = show(study, "High [1][2].", passages=same)
    assert [passage.n for passage in shown.passages] == [1, 2]
    assert Passage.objects.filter(study=study).count() == 1


@pytest.mark.parametrize(
    "output",
    [
        "High [1]. Very high [1][2][9].",
        "High [1].\nCut off.",
        "Blue [1][2][1][2][1].",
    ],
)
def test_the_preview_looks_like_the_page(study, output):
    """What the check shows before loading is what the page shows after it."""
    waiting = check(study, "x.jsonl", json.dumps(response(output)))
    (before,) = preview.answers(waiting)
    assert before.shown == show(study, output)
