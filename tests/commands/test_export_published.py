"""export_published: files of the demo can be read again; what cannot be written is said."""

import csv
import io
import re
from collections import Counter

import pytest
from django.core.management.base import CommandError

from annotate.models import Judge, Judgment, Response, Study, Unit
from annotate.rating.standing import change_standing
from annotate.studies.lifecycle import create_study
from evaluation.labels.export.published import published
from tests.annotate.loading import load_peaks
from tests.shared_rows import shared_rows

CITED, SHORT = "demo-cited-answers", "demo-short-answers"


@shared_rows
def peaks(alice):
    made = create_study(name="Peaks", slug="peaks", preset="alce", owner=alice)
    load_peaks(made)
    return made


def by_people(study, dimension):
    """How often each answer stands in what was read again."""
    rows = Judgment.objects.filter(judge__study=study, dimension=dimension)
    rows = rows.exclude(judge__kind=Judge.Kind.AUTOMATIC)
    return Counter(rows.values_list("value", flat=True))


@pytest.mark.parametrize(
    ("slug", "form", "preset", "dimensions"),
    [
        (CITED, "alce-citations", "alce", ("citation_recall", "citation_support")),
        (SHORT, "aqa-ratings", "ais", ("attributable",)),
    ],
)
def test_the_demo_can_be_read_again(run, demo, tmp_path, slug, form, preset, dimensions):
    file = tmp_path / "out"
    said = run("export_published", slug, "--format", form, "--output", file)
    assert said == ("", "")
    pieces = published(Study.objects.get(slug=slug), form)
    assert file.read_bytes().decode() == "".join(pieces)
    run("create_study", "again", "--preset", preset)
    run("import_outputs", "again", file, "--format", form)
    first, again = (Response.objects.current().filter(study__slug=s) for s in (slug, "again"))
    assert again.count() == first.count()
    for dimension in dimensions:
        labels = run("aggregate", slug, "--method", "majority").out
        made = Counter(
            row["value"]
            for row in csv.DictReader(io.StringIO(labels))
            # A sentence has three citations at most.
            if row["dimension"] == dimension and not re.search(r"\.c([4-9]|\d\d)", row["unit"])
        )
        assert by_people(Study.objects.get(slug="again"), dimension) == made
        assert made.total() >= 96
    if form == "alce-citations":
        keys = [
            set(
                Unit.objects.filter(response__in=some, kind="statement").values_list(
                    "response__system__name", "response__question__text", "key", "text"
                )
            )
            for some in (first, again)
        ]
        assert keys[0] == keys[1]


def test_excluded_raters_are_counted(run, demo):
    rater = Judge.objects.filter(study__slug=SHORT, kind="simulated")[0]
    change_standing(rater, Judge.Standing.EXCLUDED, reason="Careless")
    said = run("export_published", SHORT, "--format", "aqa-ratings")
    assert said.err.startswith("Left out, of excluded raters or unfinished tasks: ")
    assert said.out.startswith("system_name,question,answer,attribution,passage,human_rating,")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nowhere", "--format", "aqa-ratings"], "There is no study “nowhere”"),
        (["peaks", "--format", "aqa-ratings"], "Nobody has answered “attributable” here yet"),
        (["peaks", "--format", "alce-citations", "--judge", "x"], "No automatic judge “x”"),
    ],
)
def test_what_is_wrong_is_said(run, peaks, options, message):
    with pytest.raises(CommandError, match=message):
        run("export_published", *options)
