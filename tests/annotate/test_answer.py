"""An answer as pages show it: nothing lost, marks as chips that lead to their passages."""

import pytest

from annotate.content.shown_response import of_response
from tests.annotate.loading import PASSAGES, load, response


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
