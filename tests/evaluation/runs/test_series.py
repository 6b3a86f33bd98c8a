"""Systems that were made here alike but for their seeds, as reports take them together."""

from annotate.models import System
from evaluation.reporting.data_state import data_state
from evaluation.reporting.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.series import series_of
from tests.evaluation.asking.fake import serving
from tests.evaluation.runs.test_generations import State, bench, lab, made, says, worked

__all__ = ["bench", "lab"]


def test_seeds_that_are_made_one_by_one_are_one_series(bench, lab):
    with serving(says) as server:
        lab(server)
        asked = [("One", (1,), None), ("Two", (2,), None), ("Others", (3, 4), None)]
        for name, seeds, heat in [*asked, ("Hotter", (1,), 0.9)]:
            row = made(bench, name, options={"shots": "0"}, seeds=seeds, temperature=heat)
            assert worked(row).state == State.DONE
    told = {one.name: series_of(one.description) for one in System.objects.all()}
    assert told["One"] == told["Two"] == told["Others"] != ""
    assert "seeds" not in told["One"]
    assert told["Hotter"] not in ("", told["One"])
    assert [one for one, series in told.items() if not series] == ["Vermilion"]
    report = build(gather(bench), Filters(resamples=100))
    [series] = report["systems"]["series"]
    assert series["systems"] == ["One", "Others", "Two"]


def test_the_state_of_a_study_tells_of_a_series(bench, lab):
    before = data_state(bench)
    assert "series" not in before
    system = System.objects.get()
    system.description = "Signature: generated|vanilla|seeds:1|temperature:0.5"
    system.save()
    assert data_state(bench)["series"] == [["Vermilion", "vanilla|temperature:0.5"]]
