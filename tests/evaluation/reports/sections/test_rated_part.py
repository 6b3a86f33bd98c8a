"""Whether people rated responses like the rest: without a judge, and where it abstains."""

from pathlib import Path
from random import Random

import pytest

from annotate.protocol.written import read
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.sections.rated_part import rated_against_rest
from evaluation.reports.sections.scores import people_values
from evaluation.reports.sections.selective import selective
from evaluation.reports.selection import select
from evaluation.reports.tables.systems import systems as tables_of_systems
from tests.evaluation.reports.studies import AUTOAIS, described, study

SETS = {f"q{n:03}": {"dataset": "asqa" if n < 70 else "eli5"} for n in range(140)}
AIS = Path("annotate/protocols/ais.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("rated", "words"),
    [
        (
            range(50),
            "100 % of the rated responses and 22 % of the rest are from “asqa”",
        ),
        (range(0, 140, 2), ""),
        (range(140), ""),
    ],
)
def test_an_unlike_rated_part_is_said_without_a_judge(rated, words):
    votes = {f"{system}/q{n:03}:r": "yes no" for n in rated for system in "AB"}
    units = [f"{system}/q{n:03}:r" for n in range(140) for system in "AB"]
    data = described(study(votes={"attributable": votes}, units=units), SETS)
    report = build(data, Filters(resamples=20))
    said = [one["text"] for one in report["headline"] if one["key"] == "sample"]
    notes = [note for note in tables_of_systems(report)[0].notes if "the rest" in note]
    if not words:
        assert (said, notes) == ([], [])
        return
    [text] = said
    assert words in text
    assert notes == [f"Attributable: {text}"]


def test_responses_of_which_a_question_was_not_asked_are_rated():
    """Attributable is asked of interpretable answers: all of one data set, none of the other."""
    protocol = read(AIS.replace('    unasked: "no"\n', "")).protocol
    units = [f"A/q{n:03}:r" for n in range(0, 140, 2)]
    first = {unit: "yes" if unit < "A/q070" else "no" for unit in units}
    second = {unit: "yes" for unit in units if first[unit] == "yes"}
    others = [f"A/q{n:03}:r" for n in range(1, 140, 2)]
    votes = {"interpretable": first, "attributable": second}
    data = study(votes=votes, units=others, protocol=protocol, dimensions=(*protocol,))
    selected = select(described(data, SETS), Filters())
    assert len(people_values(selected, "attributable").response) == 35
    assert rated_against_rest(selected, selected.known["attributable"]) == ""


def test_nothing_is_guaranteed_where_the_rated_part_differs():
    draw = Random(1)
    votes, automatic = {}, {}
    for n in range(140):
        unit, truth = f"A/q{n:03}:r", draw.random() < 0.5
        automatic[unit] = {AUTOAIS: ("yes" if truth else "no", 0.9 if truth else 0.1)}
        votes[unit] = "yes" if truth else "no"
    for rated, is_said in ((range(0, 140, 2), False), (range(70), True)):
        some = {f"A/q{n:03}:r": votes[f"A/q{n:03}:r"] for n in rated}
        data = study(votes={"attributable": some}, automatic={"attributable": automatic})
        [row] = selective(select(described(data, SETS), Filters(resamples=20)))
        assert ("are from “asqa”" in row["differs"]) == is_said
        assert [one["kept"] is None for one in row["guarantees"]][:2] == [is_said] * 2
