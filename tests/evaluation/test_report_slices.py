"""Slices from the database into a report: read, offered by the form, kept in its bundle."""

import io

from annotate.content.questions import describe
from annotate.models import Question
from evaluation.report_pages.bundle import write_bundle
from evaluation.report_pages.data_state import data_state, same_data
from evaluation.report_pages.forms.reports import ReportFilterForm
from evaluation.report_pages.gathering import gather
from evaluation.reports.bundle import read_bundle
from evaluation.reports.filters import Filters
from evaluation.reports.selection import select
from tests.annotate.loading import load, response
from tests.shared_rows import shared_rows


@shared_rows
def sliced(study):
    lines = [response(f"{n} [1].", question=f"What is {n}?", question_id=f"q{n}") for n in (1, 2)]
    for line, dataset, hops in zip(lines, ("asqa", "eli5"), (1, 2), strict=True):
        line["question"] |= {"dataset": dataset, "metadata": {"hops": hops, "list": [1]}}
    load(study, lines)
    return study


FACETS = ({"dataset": "asqa", "hops": "1"}, {"dataset": "eli5", "hops": "2"})


def test_metadata_are_read_and_come_back_from_a_bundle(sliced):
    data = gather(sliced)
    assert data.facets == FACETS
    filters = Filters(slices=("dataset=eli5",), split="hops", resamples=10)
    out = io.BytesIO()
    write_bundle(sliced, filters, out, report="{}")
    out.seek(0)
    again, kept = read_bundle(out)
    assert again.facets == FACETS
    assert kept == filters
    assert select(again, kept).questions == [1]


def test_the_form_offers_what_is_there(sliced):
    query = {"slices": ["dataset=asqa"], "split": "hops", "compare": ["dataset=asqa", "hops=2"]}
    form = ReportFilterForm(sliced, query)
    assert form.is_valid(), form.errors
    filters = form.filters()
    assert filters == Filters(
        slices=("dataset=asqa",), split="hops", compare=("dataset=asqa", "hops=2")
    )
    assert Filters.from_query(filters.as_query()) == filters
    chips = [(chip.name, chip.value) for chip in form.chips(filters)]
    assert ("Slice", "dataset: asqa (1)") in chips
    alone = next(chip for chip in form.chips(filters) if chip.name == "Compared")
    assert "compare" not in alone.without


def test_two_different_slices_are_compared(sliced):
    for times in (1, 2):
        form = ReportFilterForm(sliced, {"compare": ["dataset=asqa"] * times})
        assert form.errors["compare"] == ["Tick two slices, or none."]


def test_other_slices_make_a_report_old(sliced):
    before = data_state(sliced)
    describe(sliced, Question.objects.all(), key="kind", value="who", by=None)
    assert not same_data(before, data_state(sliced))
