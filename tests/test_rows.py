"""What is written again row by row is what loading writes."""

from datetime import datetime
from typing import Any

import pytest

from annotate.models import Study
from annotate.studies.lifecycle import create_study
from tests.annotate.loading import load_peaks
from tests.rows import LOADED, Rows
from tests.uploads.steps import outputs


def said():
    """Every row, without the times; keys are told by their place."""
    models: tuple[type[Any], ...] = (Study, *LOADED)
    rows = {model: list(model.objects.order_by("pk").values()) for model in models}
    place = {model: {row["id"]: n for n, row in enumerate(rows[model])} for model in rows}
    of = {
        (model, field.attname): place[to]
        for model in rows
        for field in model._meta.fields
        if (to := model if field.primary_key else field.related_model) in rows
    }
    return [
        (model.__name__, name, of[model, name][value] if value and (model, name) in of else value)
        for model in rows
        for row in rows[model]
        for name, value in row.items()
        if not isinstance(value, datetime) and name not in {"file", "seed"}
    ]


@pytest.fixture
def twice(study):
    """What was said after loading, and the study that was loaded and emptied since."""
    rows = Rows(load_peaks)
    rows.put(study)
    loaded = said(), outputs(study)
    study.delete()
    again = create_study(name=study.name, slug=study.slug, preset="alce", owner=None)
    rows.put(again)
    return loaded, again


def test_every_row_is_written_again(twice):
    loaded, again = twice
    assert (said(), outputs(again)) == loaded
    assert {name for name, *_ in loaded[0]} == {"Study", *(model.__name__ for model in LOADED)}
