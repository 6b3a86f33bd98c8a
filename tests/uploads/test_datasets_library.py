"""Hugging Face's own library: it loads what goes out, and what it saves comes in."""

import json
import os
import zipfile

import pytest
from django.core.management import call_command

from annotate.exchange.dataset import write_dataset
from annotate.models import Response
from tests.formats.tables.making import MAPPING, RECORDS
from tests.uploads.files import judged, judgments, lines, response
from tests.uploads.steps import loaded

QUESTIONS = {"q1": "ASQA dev", "q2": "eli5", "q3": None}
SPLITS = {"ASQA_dev": 1, "eli5": 1, "other": 1}


@pytest.fixture
def datasets(tmp_path, monkeypatch):
    """The library, without a network and with folders of its own."""
    for name, value in (
        ("HF_HUB_OFFLINE", "1"),
        ("HF_DATASETS_OFFLINE", "1"),
        ("HF_HUB_DISABLE_TELEMETRY", "1"),
        ("HF_HOME", str(tmp_path / "home")),
    ):
        monkeypatch.setitem(os.environ, name, value)
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True)
    datasets.disable_progress_bars()
    return datasets


@pytest.fixture
def filled(study):
    """Answers to questions of two data sets and of none, each judged."""
    made = [response(n) for n in (1, 2, 3)]
    for one in made:
        if name := QUESTIONS[one["question"]["id"]]:
            one["question"]["dataset"] = name
    loaded(study, lines(*made), "answers.jsonl")
    rows = [judged(n, "s1", "citation_recall", "yes") for n in (1, 2, 3)]
    loaded(study, judgments(*rows), "judgments.csv")
    return study


def test_the_folder_that_goes_out_is_loaded_with_its_splits(datasets, filled, tmp_path):
    write_dataset(filled, tmp_path / "dataset.zip", licence="cc-by-4.0")
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(tmp_path / "dataset.zip") as archive:
        archive.extractall(folder)

    def load(*names, **options):
        return datasets.load_dataset(str(folder), *names, cache_dir=tmp_path / "cache", **options)

    for names in ((), ("responses",), ("judgments",)):
        found = load(*names)
        assert {split: len(rows) for split, rows in found.items()} == SPLITS
    [row] = load(split="ASQA_dev")
    assert (row["question_id"], row["system"]) == ("q1", "System A")
    assert row["output"] == "Thing 1 is round [1]. It is also blue [2]."
    assert [passage["n"] for passage in row["passages"]] == [1, 2]
    [row] = load("judgments", split="other")
    assert (row["question_id"], row["unit"], row["value"]) == ("q3", "s1", "yes")
    assert {*datasets.get_dataset_config_names(str(folder))} == {"responses", "judgments"}


@pytest.fixture
def mapping(tmp_path):
    path = tmp_path / "mapping.json"
    path.write_text(json.dumps(MAPPING.as_json()))
    return path


def texts(study):
    return [*Response.objects.filter(study=study).order_by("pk").values_list("text", flat=True)]


def test_a_folder_that_it_saved_is_loaded(datasets, study, mapping, tmp_path):
    rows = datasets.Dataset.from_list(RECORDS)
    folder = tmp_path / "saved"
    rows.save_to_disk(str(folder), num_shards=2)
    assert len([*folder.glob("*.arrow")]) == 2
    rows.map(lambda row: row, cache_file_name=str(folder / "cache-0.arrow"))
    call_command("import_outputs", study.slug, folder, mapping=mapping, verbosity=0)
    assert texts(study) == [record["says"] for record in RECORDS]
